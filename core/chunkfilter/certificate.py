"""Re-derives every line of a result from the texts, on a simple path of its own.

It shares nothing with the filters but the normalised words: each removal is checked alone, against the
texts of the keepers it names, by the plainest reading of the rule.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from chunkfilter.chunk import Chunk, as_chunks
from chunkfilter.errors import CertificateError, MissingSignalError
from chunkfilter.filters.scope import scope_numbers
from chunkfilter.policy import Term
from chunkfilter.result import FilterResult, Removal, digest
from chunkfilter.text.characters import is_blank
from chunkfilter.text.keys import folded, paper_key
from chunkfilter.text.words import words


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a line is checked against: the text that went, its keepers' texts, and the run's signals."""

    removed: Chunk
    keepers: tuple[Chunk, ...]
    signals: Any = None


def _exact_holds(term: Term, evidence: Evidence) -> bool:
    key = paper_key if term.paper else _words_or_text
    return len(evidence.keepers) == 1 and key(evidence.removed.text) == key(evidence.keepers[0].text)


def _words_or_text(text: str) -> tuple[str, ...]:
    return tuple(words(text)) or ("", folded(text))


#: How each rule is re-derived; a rule that is not here needs signals the certificate was not given.
CHECKS: dict[str, Callable[[Term, Evidence], bool]] = {
    "exact": _exact_holds,
    "random": lambda _term, evidence: not evidence.keepers,
}


def verify(
    result: FilterResult,
    chunks: Iterable[Chunk | str],
    *,
    against: Iterable[Chunk | str] = (),
    embeddings: Any = None,
    embedder: Any = None,
    entities: Any = None,
) -> None:
    """Check that a result holds for the texts; see :meth:`chunkfilter.FilterResult.verify`.

    Raises:
        CertificateError: the first line that does not hold, by its position.
        MissingSignalError: a rule needs a signal that was not given.
    """
    del embeddings, embedder, entities
    new, stored = as_chunks(chunks), as_chunks(against, "stored chunk")
    _check_texts("chunk", new, result.digests)
    _check_texts("stored chunk", stored, result.stored_digests)
    _check_partition(result, len(new), len(stored))
    terms = {str(stage): stage.terms for stage in result.policy.stages}
    scopes, _ = scope_numbers([*new, *stored], result.policy.scope)
    for removal in result.removed:
        keepers = [*removal.kept_by, *(len(new) + place for place in removal.stored_by)]
        if any(scopes[keeper] != scopes[removal.index] for keeper in keepers):
            raise CertificateError(f"removal of chunk {removal.index}: a keeper is of another scope")
        evidence = Evidence(new[removal.index], tuple([*new, *stored][keeper] for keeper in keepers))
        _check_line(removal, terms, evidence, result.policy.drops_blank)


def _check_texts(what: str, chunks: Sequence[Chunk], digests: Sequence[str]) -> None:
    if len(chunks) != len(digests):
        raise CertificateError(f"{what}s: {len(chunks)} were given, the result is about {len(digests)}")
    for position, (chunk, expected) in enumerate(zip(chunks, digests, strict=True)):
        if digest(chunk.text) != expected:
            raise CertificateError(
                f"{what} {position} (id {chunk.id!r}): its text is not the one that was filtered"
            )


def _check_partition(result: FilterResult, total: int, stored: int) -> None:
    removed = [removal.index for removal in result.removed]
    if list(result.kept) != sorted(set(result.kept)) or sorted([*result.kept, *removed]) != list(
        range(total)
    ):
        raise CertificateError(f"kept and removed do not share out the positions 0 to {total - 1}")
    kept = set(result.kept)
    for removal in result.removed:
        for keeper in removal.kept_by:
            if keeper not in kept:
                raise CertificateError(f"removal of chunk {removal.index}: its keeper {keeper} was not kept")
        for place in removal.stored_by:
            if not 0 <= place < stored:
                raise CertificateError(f"removal of chunk {removal.index}: there is no stored chunk {place}")


def _check_line(
    removal: Removal, terms: dict[str, tuple[Term, ...]], evidence: Evidence, drops_blank: bool
) -> None:
    if removal.rule == "blank":
        if not (drops_blank and is_blank(evidence.removed.text)) or evidence.keepers:
            raise CertificateError(
                f"removal of chunk {removal.index}: rule 'blank', but its text is not blank"
            )
        return
    if removal.rule not in terms:
        raise CertificateError(
            f"removal of chunk {removal.index}: rule {removal.rule!r} is not in the policy"
        )
    for term in terms[removal.rule]:
        if term.name not in CHECKS:
            raise MissingSignalError(f"rule {str(term)!r} was not checked: it needs the signals of the run")
        if not CHECKS[term.name](term, evidence):
            raise CertificateError(
                f"removal of chunk {removal.index} (id {evidence.removed.id!r}): rule {str(term)!r} does not "
                f"hold with its keepers {[*removal.kept_by]} and stored {[*removal.stored_by]}"
            )
