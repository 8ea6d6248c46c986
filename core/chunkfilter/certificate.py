"""Re-derives every line of a result from the texts, on a simple path of its own.

A certificate shares with the filters how texts are normalised and cut into sentences, and nothing else: each
removal is checked alone, against the texts of the representatives it names, by the plainest reading of its
rule (:attr:`chunkfilter.rules.rule.Rule.certify`).
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from chunkfilter.chunk import Chunk, as_chunks
from chunkfilter.errors import CertificateError
from chunkfilter.filtering.scope import scope_numbers
from chunkfilter.policy import Term
from chunkfilter.result import FilterResult, Removal, digest
from chunkfilter.rules.rule import Certify, Run
from chunkfilter.signals.embedders import as_embedder
from chunkfilter.text.normalise import is_blank

#: How far a stored score may be from the one that is derived again.
_SCORE_TOLERANCE = 1e-5


def verify(
    result: FilterResult,
    chunks: Iterable[Chunk | str],
    *,
    existing: Iterable[Chunk | str] = (),
    vectors: Any = None,
    embedder: Any = None,
    entities: Any = None,
    topics: Any = None,
) -> None:
    """Check that a result holds for the texts; see :meth:`chunkfilter.FilterResult.verify`.

    Raises:
        CertificateError: the first line that does not hold, by its position.
        MissingSignalError: a rule needs a signal that was not given.
    """
    new, old = as_chunks(chunks), as_chunks(existing, "existing chunk")
    _check_texts("chunk", new, result.digests)
    _check_texts("existing chunk", old, result.existing_digests)
    _check_partition(result, new, len(old))
    reading = None if embedder is None else as_embedder(embedder)
    signals = {"vectors": vectors, "embedder": reading, "entities": entities, "topics": topics}
    run = Run([*new, *old], len(new), result.policy, result.report.window, signals)
    checks = _prepared(result, run)
    scopes, _ = scope_numbers(run.chunks, result.policy.scope)
    for removal in result.removed:
        places = (*removal.kept_by, *(len(new) + place for place in removal.kept_by_existing))
        if any(scopes[place] != scopes[removal.index] for place in places):
            raise CertificateError(f"{_line(removal, new)}: a representative is of another scope")
        _check_line(removal, places, checks, run)


Checks = dict[str, list[tuple[Term, Certify]]]


def _prepared(result: FilterResult, run: Run) -> Checks:
    """The terms behind each name a removal may have, with their checks; ``coverage`` removes copies as
    ``exact``.

    Raises:
        MissingSignalError: a rule needs a signal that was not given; it is named.
    """
    terms = {str(stage): stage.terms for stage in result.policy.stages}
    if any(term.name == "coverage" for group in terms.values() for term in group):
        terms.setdefault("exact", (Term("exact"),))
    prepared: dict[str, Certify] = {}
    for term in (term for group in terms.values() for term in group):
        if term.name not in prepared and term.rule.certify is not None:
            prepared[term.name] = term.rule.certify(run)
    return {
        name: [(term, prepared[term.name]) for term in group if term.name in prepared]
        for name, group in terms.items()
    }


def _check_texts(what: str, chunks: Sequence[Chunk], digests: Sequence[str]) -> None:
    if len(chunks) != len(digests):
        raise CertificateError(f"{what}s: {len(chunks)} were given, the result is about {len(digests)}")
    for position, (chunk, expected) in enumerate(zip(chunks, digests, strict=True)):
        if digest(chunk.text) != expected:
            raise CertificateError(
                f"{what} {position} (id {chunk.id!r}): its text is not the one that was filtered"
            )


def _line(removal: Removal, chunks: Sequence[Chunk]) -> str:
    known = 0 <= removal.index < len(chunks)
    return f"removal of chunk {removal.index}" + (f" (id {chunks[removal.index].id!r})" if known else "")


def _check_partition(result: FilterResult, chunks: Sequence[Chunk], existing: int) -> None:
    total = len(chunks)
    removed = [removal.index for removal in result.removed]
    partition = sorted([*result.kept, *removed]) == list(range(total))
    if not partition or list(result.kept) != sorted(result.kept):
        raise CertificateError(f"kept and removed are not a partition of the positions 0 to {total - 1}")
    kept = set(result.kept)
    for removal in result.removed:
        line = _line(removal, chunks)
        for place in removal.kept_by:
            if place not in kept:
                raise CertificateError(f"{line}: its representative {place} was not kept")
        for place in removal.kept_by_existing:
            if not 0 <= place < existing:
                raise CertificateError(f"{line}: there is no existing chunk {place}")
        if any(len(set(named)) < len(named) for named in (removal.kept_by, removal.kept_by_existing)):
            raise CertificateError(f"{line}: a representative is named twice")


def _check_line(removal: Removal, places: tuple[int, ...], checks: Checks, run: Run) -> None:
    line = _line(removal, run.chunks)
    if removal.rule == "blank":
        blank = run.policy.drops_blank and is_blank(run.chunks[removal.index].text)
        if not blank or places or removal.score is not None:
            raise CertificateError(f"{line}: rule 'blank', but its text is not blank or something is named")
        return
    if not checks.get(removal.rule):
        raise CertificateError(f"{line}: rule {removal.rule!r} is not in the policy")
    scores: list[float] = []
    for term, check in checks[removal.rule]:
        scores.append(check(term, removal.index, places))
        if math.isnan(scores[-1]):
            ids = ", ".join(repr(run.chunks[place].id) for place in places)
            raise CertificateError(
                f"{line}: rule {str(term)!r} does not hold with its representatives {[*removal.kept_by]} and "
                f"existing {[*removal.kept_by_existing]} (ids {ids or 'none'})"
            )
    _check_score(line, removal.score, min(scores))


def _check_score(line: str, stored: float | None, derived: float) -> None:
    expected = None if math.isinf(derived) else derived
    if (stored is None) != (expected is None) or (
        stored is not None and expected is not None and not abs(stored - expected) <= _SCORE_TOLERANCE
    ):
        raise CertificateError(f"{line}: its score is {stored}; expected {expected}")
