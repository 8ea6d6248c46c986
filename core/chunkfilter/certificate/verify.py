"""Checks the texts, the partition, and each removal against the keepers it names."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from chunkfilter.certificate.evidence import Evidence, Run, Signals
from chunkfilter.certificate.rules import CHECKS, Check
from chunkfilter.chunk import Chunk, as_chunks
from chunkfilter.errors import CertificateError, MissingSignalError
from chunkfilter.filters.scope import scope_numbers
from chunkfilter.policy import Term
from chunkfilter.result import FilterResult, Removal, digest
from chunkfilter.text.characters import is_blank

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
    new, stored = as_chunks(chunks), as_chunks(existing, "stored chunk")
    _check_texts("chunk", new, result.digests)
    _check_texts("stored chunk", stored, result.existing_digests)
    _check_partition(result, new, len(stored))
    run = Run(
        [*new, *stored],
        len(new),
        result.policy,
        result.report.window,
        Signals(vectors, embedder, entities, topics),
    )
    terms = _terms(result)
    checks = _prepared(terms, run)
    scopes, _ = scope_numbers(run.chunks, result.policy.scope)
    for removal in result.removed:
        places = (*removal.kept_by, *(len(new) + place for place in removal.kept_by_existing))
        if any(scopes[place] != scopes[removal.index] for place in places):
            raise CertificateError(f"{_line(removal, new)}: a keeper is of another scope")
        _check_line(removal, checks, Evidence(run, removal.index, places))


def _terms(result: FilterResult) -> dict[str, tuple[Term, ...]]:
    """The terms behind each name a removal may bear; ``coverage`` removes copies as ``exact``."""
    terms = {str(stage): stage.terms for stage in result.policy.stages}
    if any(term.name == "coverage" for group in terms.values() for term in group):
        terms.setdefault("exact", (Term("exact"), Term("copy")))
    return terms


def _prepared(terms: dict[str, tuple[Term, ...]], run: Run) -> dict[str, list[tuple[Term, Check]]]:
    """Each term with its check.

    Raises:
        MissingSignalError: a rule cannot be checked; it is named.
    """
    prepared: dict[str, Check] = {}
    for term in (term for group in terms.values() for term in group):
        if term.name == "none":
            continue
        if term.name not in CHECKS:
            raise MissingSignalError(f"rule {str(term)!r} was not checked: it needs the signals of the run")
        if term.name not in prepared:
            prepared[term.name] = CHECKS[term.name](run)
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


def _check_partition(result: FilterResult, chunks: Sequence[Chunk], stored: int) -> None:
    total = len(chunks)
    removed = [removal.index for removal in result.removed]
    shared_out = sorted([*result.kept, *removed]) == list(range(total))
    if not shared_out or list(result.kept) != sorted(result.kept):
        raise CertificateError(f"kept and removed do not share out the positions 0 to {total - 1}")
    kept = set(result.kept)
    for removal in result.removed:
        line = _line(removal, chunks)
        for keeper in removal.kept_by:
            if keeper not in kept:
                raise CertificateError(f"{line}: its keeper {keeper} was not kept")
        for place in removal.kept_by_existing:
            if not 0 <= place < stored:
                raise CertificateError(f"{line}: there is no stored chunk {place}")
        if any(len(set(named)) < len(named) for named in (removal.kept_by, removal.kept_by_existing)):
            raise CertificateError(f"{line}: a keeper is named twice")


def _check_line(removal: Removal, checks: dict[str, list[tuple[Term, Check]]], evidence: Evidence) -> None:
    line = _line(removal, evidence.run.chunks)
    if removal.rule == "blank":
        blank = evidence.run.policy.drops_blank and is_blank(evidence.removed.text)
        if not blank or evidence.keepers or removal.score is not None:
            raise CertificateError(f"{line}: rule 'blank', but its text is not blank or something is named")
        return
    if not checks.get(removal.rule):
        raise CertificateError(f"{line}: rule {removal.rule!r} is not in the policy")
    scores: list[float] = []
    for term, check in checks[removal.rule]:
        scores.append(check(term, evidence))
        if math.isnan(scores[-1]):
            ids = ", ".join(repr(keeper.id) for keeper in evidence.keepers)
            raise CertificateError(
                f"{line}: rule {str(term)!r} does not hold with its keepers {[*removal.kept_by]} and stored "
                f"{[*removal.kept_by_existing]} (ids {ids or 'none'})"
            )
    _check_score(line, removal.score, min(scores))


def _check_score(line: str, stored: float | None, derived: float) -> None:
    expected = None if math.isinf(derived) else derived
    if (stored is None) != (expected is None) or (
        stored is not None and expected is not None and not abs(stored - expected) <= _SCORE_TOLERANCE
    ):
        raise CertificateError(f"{line}: its score is {stored}; expected {expected}")
