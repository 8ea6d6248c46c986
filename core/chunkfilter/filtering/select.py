"""Greedy selection for pairs: a chunk is removed only for a kept one, so nothing chains."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkfilter.rules.batch import Batch
from chunkfilter.rules.rule import Check, Index, Pairs, Removed
from chunkfilter.text.ragged import BoolArray, IntArray

#: Rows compared at once with all that was kept before them. None of these sizes changes the result.
BLOCK = 2048
#: Rows compared at once with each other: fewer where many are alike, more where few are.
LEAST_PART, MOST_PART = 16, 512
#: Members of the index looked at first; then four times as many, and so on, by the rows without a
#: representative.
WINDOW = 512


@dataclass(frozen=True, slots=True)
class Likeness:
    """When two chunks of a batch are alike.

    Args:
        batch: the chunks.
        index: finds pairs; empty.
        checks: conditions that must hold too; the score of a pair is the smallest of all.
    """

    batch: Batch
    index: Index
    checks: Sequence[Check]

    def pairs(self, rows: IntArray, first: int, last: int) -> Pairs:
        """Pairs of rows and members between which every condition holds."""
        pairs = self.index.find(rows, first, last)
        if not len(pairs.rows):
            return pairs
        scopes = self.batch.scopes
        pairs = pairs.where(scopes[pairs.rows] == scopes[pairs.columns])
        for check in self.checks:
            scores = np.minimum(pairs.scores, check(pairs.rows, pairs.columns))
            pairs = Pairs(pairs.rows, pairs.columns, scores).where(~np.isnan(scores))
        return pairs


def select_pairs(likeness: Likeness, active: BoolArray, rule: str) -> list[Removed]:
    """Walk the chunks in keep order; one is removed if it is like a kept chunk, the first in keep order.

    Args:
        likeness: when two chunks are alike.
        active: shape (n,): chunks that take part; the others are neither removed nor representatives.
        rule: name of the rule in the result.
    """
    walk = _Walk(likeness, active, rule)
    rows = np.flatnonzero(active)
    existing = likeness.batch.existing
    walk.add(rows[rows < existing])
    new, size = rows[rows >= existing], LEAST_PART
    for start in range(0, len(new), BLOCK):
        before = walk.members
        waiting = walk.without_representative(new[start : start + BLOCK], 0, before)
        while len(waiting):
            part, waiting = waiting[:size], waiting[size:]
            alike = walk.settle(walk.without_representative(part, before, walk.members))
            size = max(size // 2, LEAST_PART) if alike > len(part) else min(size * 2, MOST_PART)
    return walk.removed


def find_conflicts(likeness: Likeness, kept: IntArray) -> dict[int, int]:
    """For each kept chunk that is like an earlier kept one, the best of the first such: row -> row.

    Args:
        likeness: when two chunks are alike.
        kept: rows of the kept chunks, ascending.
    """
    likeness.index.add(kept)
    found: dict[int, int] = {}
    new = kept[kept >= likeness.batch.existing]
    for start in range(0, len(new), BLOCK):
        asking = new[start : start + BLOCK]
        first, last, width = 0, int(np.searchsorted(kept, asking[-1])), WINDOW
        while first < last and len(asking):
            pairs = likeness.pairs(asking, first, min(first + width, last))
            best = np.lexsort((pairs.columns, -pairs.scores, pairs.rows))
            heads = best[np.unique(pairs.rows[best], return_index=True)[1]]
            found.update(zip(pairs.rows[heads].tolist(), pairs.columns[heads].tolist(), strict=True))
            asking = np.setdiff1d(asking, pairs.rows)
            first, width = first + width, 4 * width
    return found


class _Walk:
    """What was kept and removed, on the way through the chunks."""

    def __init__(self, likeness: Likeness, active: BoolArray, rule: str) -> None:
        self.members = 0
        self.removed: list[Removed] = []
        self._likeness = likeness
        self._rule = rule
        self._gone = ~active

    def add(self, rows: IntArray) -> None:
        """Keep rows, for now."""
        self._likeness.index.add(rows)
        self.members += len(rows)

    def without_representative(self, rows: IntArray, first: int, last: int) -> IntArray:
        """Remove the rows that are like one of the members ``first`` to ``last``; the others."""
        width = WINDOW
        while first < last and len(rows):
            pairs = self._likeness.pairs(rows, first, min(first + width, last))
            if len(pairs.rows):
                self._remove(pairs.at(np.unique(pairs.rows, return_index=True)[1]))
                rows = rows[~self._gone[rows]]
            first, width = first + width, 4 * width
        return rows

    def settle(self, rows: IntArray) -> int:
        """Decide between rows that are like none of the members so far; the number of pairs alike."""
        first = self.members
        self.add(rows)
        pairs = self._likeness.pairs(rows, first, self.members)
        _, starts = np.unique(pairs.rows, return_index=True)
        stops = np.append(starts, len(pairs.rows))[1:]
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
            kept = start + np.flatnonzero(~self._gone[pairs.columns[start:stop]])
            if len(kept):
                self._remove(pairs.at(kept[:1]))
        self._keep_only(first, rows[~self._gone[rows]])
        return len(pairs.rows)

    def _keep_only(self, first: int, rows: IntArray) -> None:
        """Of the members from ``first`` on keep the rows: the others can represent none."""
        if first + len(rows) < self.members:
            self._likeness.index.cut(first)
            self.members = first
            self.add(rows)

    def _remove(self, pairs: Pairs) -> None:
        """Remove the rows of pairs for their columns."""
        self._gone[pairs.rows] = True
        self.removed.extend(
            Removed(row, (column,), self._rule, score)
            for row, column, score in zip(
                pairs.rows.tolist(), pairs.columns.tolist(), pairs.scores.tolist(), strict=True
            )
        )
