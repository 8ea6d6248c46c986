"""Runs the stages of a policy one after another, and names for each removal representatives that are kept to
the end.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from chunkfilter.filtering.guards import difference, is_guarded
from chunkfilter.filtering.select import Likeness, find_conflicts, select_pairs
from chunkfilter.policy import Stage, Term
from chunkfilter.rules.batch import Batch
from chunkfilter.rules.groups import SameGroup, group_index
from chunkfilter.rules.rule import Check, Index, Removed, Rule
from chunkfilter.text.normalise import is_blank
from chunkfilter.text.ragged import BoolArray


@dataclass(frozen=True, slots=True)
class Decisions:
    """What a run decided, in rows of the batch.

    Args:
        removed: by row.
        conflicts: row of a kept chunk -> (row of an earlier kept one, how they differ).
    """

    removed: list[Removed] = field(default_factory=list)
    conflicts: dict[int, tuple[int, str]] = field(default_factory=dict)


def run_policy(batch: Batch) -> Decisions:
    """Run the blank policy and every stage."""
    active = np.ones(len(batch), dtype=np.bool_)
    removed: list[Removed] = []
    if batch.policy.drops_blank:
        blank = (row for row in range(batch.existing, len(batch)) if is_blank(batch.texts[row]))
        removed += [Removed(row, (), "blank", None) for row in blank]
        active[[entry.row for entry in removed]] = False
    conflicts: dict[int, int] = {}
    for stage in batch.policy.stages:
        found, alike = run_stage(batch, stage, active)
        active[[entry.row for entry in found]] = False
        removed += found
        conflicts.update(alike)
    removed = with_kept_representatives(removed, _Representatives(batch).find)
    gone = {entry.row for entry in removed}
    return Decisions(
        removed,
        {
            row: (other, difference(batch.texts[row], batch.texts[other]))
            for row, other in sorted(conflicts.items())
            if row not in gone and other not in gone
        },
    )


def run_stage(batch: Batch, stage: Stage, active: BoolArray) -> tuple[list[Removed], dict[int, int]]:
    """Run one stage over the active chunks: what it removes, and the conflicts among what it keeps."""
    first: Rule = stage.terms[0].rule
    if first.select is not None:
        return first.select(batch, stage.terms[0], active), {}
    if not is_guarded(batch, stage):
        return select_pairs(_likeness(batch, stage), active, str(stage)), {}
    checks = [_check(batch, term) for term in stage.terms]
    copies = Likeness(
        batch,
        group_index(batch.same_but_harmless, batch.scopes),
        [_without_degree(check) for check in checks],
    )
    removed = [
        replace(entry, score=_score(checks, entry)) for entry in select_pairs(copies, active, str(stage))
    ]
    kept = active.copy()
    kept[[entry.row for entry in removed]] = False
    return removed, find_conflicts(_likeness(batch, stage), np.flatnonzero(kept))


def _likeness(batch: Batch, stage: Stage) -> Likeness:
    """The cheapest rule with an index proposes, the others check."""
    terms = sorted(stage.terms, key=lambda term: term.rule.cost)
    proposing = next(term for term in terms if term.rule.index is not None)
    index: Index = proposing.rule.index(batch, proposing)
    return Likeness(batch, index, [_check(batch, term) for term in terms if term is not proposing])


def _check(batch: Batch, term: Term) -> Check:
    check: Check = term.rule.check(batch, term)
    return check


def _without_degree(check: Check) -> Check:
    """A check whose pairs count as 1 or NaN: what is alike for the index of copies has no other degree."""
    return lambda rows, columns: np.where(np.isnan(check(rows, columns)), np.nan, np.inf)


def _score(checks: list[Check], entry: Removed) -> float:
    row, column = np.array([entry.row]), np.array([entry.representatives[0]])
    return float(min(check(row, column)[0] for check in checks))


#: ``(removal, candidates) -> the removal with other representatives``; ``None`` if no candidate will do.
Find = Callable[[Removed, tuple[int, ...]], Removed | None]


def with_kept_representatives(removed: list[Removed], find: Find) -> list[Removed]:
    """Give each removal whose representative was removed in a later stage another one, or keep that
    representative.

    Only a chunk that is directly redundant, under some stage's rule, to finally kept ones may be removed.

    Args:
        removed: of all stages, one stage after another; representatives were kept by their own stage.
        find: tries the representatives of the one that was removed, and those the removal has left.

    Returns:
        Removals whose representatives are all kept, by row.
    """
    entries = {entry.row: entry for entry in removed}
    dependents: dict[int, list[int]] = {}
    for entry in removed:
        for other in entry.representatives:
            if other in entries:
                dependents.setdefault(other, []).append(entry.row)
    for lost in [entry.row for entry in reversed(removed) if entry.row in dependents]:
        found: list[Removed] = []
        for row in dependents[lost]:
            if row not in entries or lost not in entries[row].representatives:
                continue
            left = (other for other in entries[row].representatives if other != lost)
            other_entry = find(entries[row], (*entries[lost].representatives, *left))
            if other_entry is None:
                del entries[lost]
                break
            found.append(other_entry)
        else:
            entries.update({entry.row: entry for entry in found})
    return sorted(entries.values(), key=lambda entry: entry.row)


class _Representatives:
    """Tries other representatives for a removal, under the rules of the policy."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._checks: dict[Term, Check] = {}
        self._covers: dict[Term, Callable[[int, BoolArray], tuple[int, ...] | None]] = {}

    def find(self, removal: Removed, candidates: tuple[int, ...]) -> Removed | None:
        """The removal with candidates that represent it under some stage."""
        for stage in self._batch.policy.stages:
            whole = stage.terms[0].rule.select is not None
            found = (self._cover if whole else self._first_pair)(removal, candidates, stage)
            if found is not None:
                return found
        return None

    def _first_pair(self, removal: Removed, candidates: tuple[int, ...], stage: Stage) -> Removed | None:
        row = np.array([removal.row], dtype=np.int64)
        for candidate in candidates:
            column = np.array([candidate], dtype=np.int64)
            checks = [self._check(term) for term in stage.terms]
            if is_guarded(self._batch, stage):
                checks.append(_without_degree(SameGroup(self._batch.same_but_harmless)))
            scores = [check(row, column)[0] for check in checks]
            if not np.isnan(scores).any():
                return replace(
                    removal, representatives=(candidate,), rule=str(stage), score=float(min(scores))
                )
        return None

    def _cover(self, removal: Removed, candidates: tuple[int, ...], stage: Stage) -> Removed | None:
        term = stage.terms[0]
        if term.rule.cover is None:
            return None
        if term not in self._covers:
            self._covers[term] = term.rule.cover(self._batch, term)
        mask = np.zeros(len(self._batch), dtype=np.bool_)
        mask[list(candidates)] = True
        found = self._covers[term](removal.row, mask)
        return None if found is None else Removed(removal.row, found, str(term), 1.0)

    def _check(self, term: Term) -> Check:
        if term not in self._checks:
            self._checks[term] = _check(self._batch, term)
        return self._checks[term]
