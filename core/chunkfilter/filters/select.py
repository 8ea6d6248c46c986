"""Greedy selection for pairs: a chunk goes only for one that stays, so nothing chains."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.relation import Check, Guard, Index, Pairs, ScoreArray
from chunkfilter.filters.selection import Dropped, Selection
from chunkfilter.text.ragged import IntArray

#: Rows compared at once with all that stayed before them. None of these sizes changes the result.
BLOCK = 2048
#: Rows compared at once with each other: fewer where many are alike, more where few are.
LEAST_PART, MOST_PART = 16, 512
#: Members of the index looked at first; then four times as many, and so on, by the rows without a keeper.
WINDOW = 512


def select_pairs(
    batch: Batch,
    active: BoolArray,
    index: Index,
    checks: Sequence[Check],
    rule: str,
    guard: Guard | None = None,
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
    """
    walk = _Walk(batch, index, checks, rule, guard)
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
        self, batch: Batch, index: Index, checks: Sequence[Check], rule: str, guard: Guard | None
    ) -> None:
        self.members = 0
        self._index = index
        self._scopes = batch.scopes
        self._checks = checks
        self._guard = guard
        self._rule = rule
        self._gone = np.zeros(len(batch), dtype=np.bool_)
        self._selection = Selection()
        self._vetoed: dict[int, tuple[float, int, str]] = {}

    def add(self, rows: IntArray) -> None:
        """Let rows stay, for now."""
        self._index.add(rows)
        self.members += len(rows)

    def without_keeper(self, rows: IntArray, first: int, last: int) -> IntArray:
        """Let the rows go that have a keeper among the members ``first`` to ``last``; the others."""
        width = WINDOW
        while first < last and len(rows):
            pairs = self._unvetoed(self._holding(rows, first, min(first + width, last)))
            if len(pairs.rows):
                going, firsts = np.unique(pairs.rows, return_index=True)
                self._drop(going, pairs.columns[firsts], pairs.scores[firsts])
                rows = rows[~self._gone[rows]]
            first, width = first + width, 4 * width
        return rows

    def settle(self, rows: IntArray) -> int:
        """Decide between rows that have no keeper among the members so far; the number of pairs alike.

        Pairs that a guard keeps apart do not count: they are compared whatever the size of the part.
        """
        first = self.members
        self.add(rows)
        pairs = self._holding(rows, first, self.members)
        names = self._vetoes(pairs)
        for start, stop in _by_row(pairs):
            staying = start + np.flatnonzero(~self._gone[pairs.columns[start:stop]])
            keepers = staying if names is None else staying[names[staying] == ""]
            if len(keepers):
                first_of_all = pairs.at(keepers[:1])
                self._drop(first_of_all.rows, first_of_all.columns, first_of_all.scores)
            elif names is not None and len(staying):
                self._note(pairs.at(staying), names[staying])
        return len(pairs.rows) if names is None else int(np.count_nonzero(names == ""))

    def finished(self) -> Selection:
        """The decisions; a veto counts for a chunk that stays, against one that stays."""
        for row, (_, column, name) in sorted(self._vetoed.items()):
            if not self._gone[row] and not self._gone[column]:
                self._selection.conflicts[row] = (column, name)
        return self._selection

    def _drop(self, rows: IntArray, columns: IntArray, scores: ScoreArray) -> None:
        self._gone[rows] = True
        self._selection.dropped.extend(
            Dropped(row, (column,), self._rule, score)
            for row, column, score in zip(rows.tolist(), columns.tolist(), scores.tolist(), strict=True)
        )

    def _holding(self, rows: IntArray, first: int, last: int) -> Pairs:
        """Pairs of rows and members between which every conjunct holds."""
        pairs = self._index.find(rows, first, last)
        if not len(pairs.rows):
            return pairs
        pairs = pairs.where(
            ~self._gone[pairs.columns] & (self._scopes[pairs.rows] == self._scopes[pairs.columns])
        )
        for check in self._checks:
            scores = np.minimum(pairs.scores, check(pairs.rows, pairs.columns))
            pairs = Pairs(pairs.rows, pairs.columns, scores).where(~np.isnan(scores))
        return pairs

    def _vetoes(self, pairs: Pairs) -> NDArray[np.str_] | None:
        """The guard's answer for each pair; ``None`` if there is no guard."""
        return None if self._guard is None else self._guard(pairs.rows, pairs.columns)

    def _unvetoed(self, pairs: Pairs) -> Pairs:
        """The pairs that no guard keeps apart; the others, whose columns stay, are noted."""
        names = self._vetoes(pairs)
        if names is None:
            return pairs
        vetoed = names != ""
        self._note(pairs.where(vetoed), names[vetoed])
        return pairs.where(~vetoed)

    def _note(self, pairs: Pairs, names: NDArray[np.str_]) -> None:
        """Remember the best vetoed pair of each row, the first of equals."""
        best = np.lexsort((pairs.columns, -pairs.scores, pairs.rows))
        rows, firsts = np.unique(pairs.rows[best], return_index=True)
        for row, place in zip(rows.tolist(), best[firsts].tolist(), strict=True):
            score = float(pairs.scores[place])
            if row not in self._vetoed or score > self._vetoed[row][0]:
                self._vetoed[row] = (score, int(pairs.columns[place]), str(names[place]))


def _by_row(pairs: Pairs) -> Iterator[tuple[int, int]]:
    """First place of each row among the pairs, and one past its last."""
    starts = np.flatnonzero(np.diff(pairs.rows, prepend=-1)).tolist()
    return zip(starts, [*starts[1:], len(pairs.rows)], strict=False)
