"""Greedy selection for pairs: a chunk goes only for one that stays, so nothing chains."""

from collections.abc import Callable, Sequence

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.relation import Check, Guard, Index, Pairs
from chunkfilter.filters.selection import Dropped, Selection
from chunkfilter.filters.vetoes import Copies, Vetoes
from chunkfilter.text.ragged import IntArray

#: Rows compared at once with all that stayed before them. None of these sizes changes the result.
BLOCK = 2048
#: Rows compared at once with each other: fewer where many are alike, more where few are.
LEAST_PART, MOST_PART = 16, 512
#: Members of the index looked at first; then four times as many, and so on, by the rows without a keeper.
WINDOW = 512
#: Likewise where a guard may keep a row apart from all of them.
GUARDED_WINDOW = 128


def select_pairs(
    batch: Batch,
    active: BoolArray,
    index: Index,
    checks: Sequence[Check],
    rule: str,
    guard: Guard | None = None,
    own_check: Callable[[], Check] | None = None,
) -> Selection:
    """Walk the chunks in keep order; one goes if the rule holds between it and a chunk that stays.

    The named keeper is the first in keep order.

    Args:
        batch: the chunks.
        active: shape (len(batch),): chunks that take part; the others neither go nor stand for any.
        index: finds pairs; empty.
        checks: conjuncts that must hold too; the score of a pair is the smallest of all.
        rule: name of the rule in the result.
        guard: vetoes pairs; the best vetoed pair of a chunk that stays is recorded as a conflict.
        own_check: prepares the check of what the index finds, for copies after many vetoes.
    """
    copies = Copies(batch, lambda: [*((own_check(),) if own_check else ()), *checks])
    walk = _Walk(batch, active, index, checks, rule, Vetoes(guard, len(batch)), copies)
    rows = np.flatnonzero(active)
    walk.add(rows[rows < batch.stored])
    new, size = rows[rows >= batch.stored], LEAST_PART
    for start in range(0, len(new), BLOCK):
        before = walk.members
        waiting = walk.without_keeper(new[start : start + BLOCK], 0, before)
        while len(waiting):
            part, waiting = waiting[:size], waiting[size:]
            alike = walk.settle(walk.without_keeper(part, before, walk.members))
            size = max(size // 2, LEAST_PART) if alike > len(part) else min(size * 2, MOST_PART)
    return walk.finished()


class _Walk:
    """What stays and what went, on the way through the chunks."""

    def __init__(
        self,
        batch: Batch,
        active: BoolArray,
        index: Index,
        checks: Sequence[Check],
        rule: str,
        vetoes: Vetoes,
        copies: Copies,
    ) -> None:
        self.members = 0
        self._index = index
        self._scopes = batch.scopes
        self._checks = checks
        self._rule = rule
        self._vetoes = vetoes
        self._copies = copies
        self._gone = ~active
        self._selection = Selection()

    def add(self, rows: IntArray) -> None:
        """Let rows stay, for now."""
        self._index.add(rows)
        self.members += len(rows)

    def without_keeper(self, rows: IntArray, first: int, last: int) -> IntArray:
        """Let the rows go that have a keeper among the members ``first`` to ``last``; the others."""
        width = GUARDED_WINDOW if self._vetoes else WINDOW
        asking = rows[~self._vetoes.enough(rows)]
        while first < last and len(asking):
            pairs = self._holding(asking, first, min(first + width, last))
            pairs = self._vetoes.passing(pairs, self._vetoes.names(pairs))
            if len(pairs.rows):
                firsts = np.unique(pairs.rows, return_index=True)[1]
                self._drop(pairs.at(firsts))
            asking = asking[~self._gone[asking] & ~self._vetoes.enough(asking)]
            first, width = first + width, 4 * width
        return rows[~self._gone[rows]]

    def settle(self, rows: IntArray) -> int:
        """Decide between rows that have no keeper among the members so far; the number of pairs alike.

        Pairs that a guard keeps apart do not count: they are compared whatever the size of the part.
        """
        first = self.members
        self.add(rows)
        tired = self._vetoes.enough(rows)
        pairs = self._holding(rows[~tired], first, self.members)
        names = self._vetoes.names(pairs)
        turns = np.union1d(pairs.rows, rows[tired])
        starts, stops = (np.searchsorted(pairs.rows, turns, side) for side in ("left", "right"))
        for row, start, stop in zip(turns, starts.tolist(), stops.tolist(), strict=True):
            staying = start + np.flatnonzero(~self._gone[pairs.columns[start:stop]])
            keepers = self._vetoes.passing(pairs.at(staying), names[staying])
            if not len(keepers.rows) and self._vetoes.enough(row):
                keepers = self._copies.first(int(row), self._gone)
            if len(keepers.rows):
                self._drop(keepers.at(np.zeros(1, dtype=np.int64)))
        self._keep_only(first, rows[~self._gone[rows]])
        return int(np.count_nonzero(names == ""))

    def _keep_only(self, first: int, rows: IntArray) -> None:
        """Of the members from ``first`` on keep the rows: the others can stand for none."""
        if first + len(rows) < self.members:
            self._index.cut(first)
            self.members = first
            self.add(rows)

    def finished(self) -> Selection:
        """The decisions; a veto counts for a chunk that stays, against one that stays."""
        self._selection.conflicts.update(self._vetoes.conflicts(self._gone))
        return self._selection

    def _drop(self, pairs: Pairs) -> None:
        """Let the rows of pairs go for their columns."""
        self._gone[pairs.rows] = True
        self._selection.dropped.extend(
            Dropped(row, (column,), self._rule, score)
            for row, column, score in zip(
                pairs.rows.tolist(), pairs.columns.tolist(), pairs.scores.tolist(), strict=True
            )
        )

    def _holding(self, rows: IntArray, first: int, last: int) -> Pairs:
        """Pairs of rows and members between which every conjunct holds."""
        pairs = self._index.find(rows, first, last)
        if not len(pairs.rows):
            return pairs
        pairs = pairs.where(self._scopes[pairs.rows] == self._scopes[pairs.columns])
        for check in self._checks:
            scores = np.minimum(pairs.scores, check(pairs.rows, pairs.columns))
            pairs = Pairs(pairs.rows, pairs.columns, scores).where(~np.isnan(scores))
        return pairs
