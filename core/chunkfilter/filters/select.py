"""Greedy selection for pairs: a chunk goes only for one that stays, so nothing chains."""

from collections.abc import Iterator, Sequence

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.relation import Check, Guard, Index, Pairs, ScoreArray
from chunkfilter.filters.selection import Dropped, Selection
from chunkfilter.text.ragged import IntArray

#: Rows compared at once with all that stayed before them, and then, if they still stay, with each other.
#: None of these sizes changes the result.
BLOCK = 1024
PART = 128
#: Members of the index looked at first; then twice as many, and so on, by the rows without a keeper so far.
WINDOW = 1024


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
    for block in _blocks(rows[rows >= batch.stored], BLOCK):
        before = walk.members
        for part in _blocks(walk.without_keeper(block, 0, before), PART):
            walk.settle(walk.without_keeper(part, before, walk.members))
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
            pairs = self._holding(rows, first, min(first + width, last))
            going, firsts = np.unique(pairs.rows, return_index=True)
            self._drop(going, pairs.columns[firsts], pairs.scores[firsts])
            rows = rows[~self._gone[rows]]
            first, width = first + width, 2 * width
        return rows

    def settle(self, rows: IntArray) -> None:
        """Decide between rows that have no keeper among the members so far."""
        first = self.members
        self.add(rows)
        for row, columns, scores in _by_row(self._holding(rows, first, self.members)):
            staying = np.flatnonzero(~self._gone[columns])
            if len(staying):
                self._drop(np.array([row]), columns[staying[:1]], scores[staying[:1]])

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
        pairs = pairs.where(
            ~self._gone[pairs.columns] & (self._scopes[pairs.rows] == self._scopes[pairs.columns])
        )
        for check in self._checks:
            scores = np.minimum(pairs.scores, check(pairs.rows, pairs.columns))
            pairs = Pairs(pairs.rows, pairs.columns, scores).where(~np.isnan(scores))
        return pairs if self._guard is None else self._unvetoed(pairs, self._guard)

    def _unvetoed(self, pairs: Pairs, guard: Guard) -> Pairs:
        names = guard(pairs.rows, pairs.columns)
        vetoed = pairs.where(names != "")
        for row, column, score, name in zip(
            vetoed.rows.tolist(),
            vetoed.columns.tolist(),
            vetoed.scores.tolist(),
            names[names != ""].tolist(),
            strict=True,
        ):
            if row not in self._vetoed or score > self._vetoed[row][0]:
                self._vetoed[row] = (score, column, name)
        return pairs.where(names == "")


def _blocks(rows: IntArray, size: int) -> Iterator[IntArray]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


def _by_row(pairs: Pairs) -> Iterator[tuple[int, IntArray, ScoreArray]]:
    rows, starts = np.unique(pairs.rows, return_index=True)
    stops = [*starts[1:].tolist(), len(pairs.rows)] if len(rows) else []
    for row, start, stop in zip(rows.tolist(), starts.tolist(), stops, strict=True):
        yield row, pairs.columns[start:stop], pairs.scores[start:stop]
