"""What a guard keeps apart, and when a chunk has been kept apart from enough others.

Near copies of one text that differ in a number each are all alike and all stay. To look at every pair of them
would take time that grows with the square of their number. So a chunk is held against ``ENOUGH`` chunks, the
first in keep order that it is like and a guard keeps it apart from; after them only a copy may stand for it,
found by its words. Nothing goes that would not go without that limit; a paraphrase further on may stay.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.exact import groups
from chunkfilter.filters.relation import NO_PAIRS, Check, Guard, Pairs
from chunkfilter.text.ragged import IntArray

#: Vetoes after which a chunk is compared with copies alone.
ENOUGH = 100


class Vetoes:
    """The answers of a guard, in keep order of the kept chunks for each row.

    Args:
        guard: keeps pairs apart; ``None`` for none.
        count: number of rows.
    """

    def __init__(self, guard: Guard | None, count: int) -> None:
        self._guard = guard
        self._counts = np.zeros(count, dtype=np.int64)
        kept_apart = count if guard is not None else 0
        self._scores = np.full(kept_apart, -np.inf)  # of the best vetoed pair of each row
        self._columns = np.full(kept_apart, -1, dtype=np.int64)
        self._places = np.zeros(kept_apart, dtype=np.int8)
        self._names: dict[str, int] = {}

    def __bool__(self) -> bool:
        return self._guard is not None

    def enough(self, rows: IntArray) -> BoolArray:
        """Whether each row has been kept apart from enough others, shape (r,)."""
        tired: BoolArray = self._counts[rows] >= ENOUGH
        return tired

    def names(self, pairs: Pairs) -> NDArray[np.str_]:
        """The guard's answer for each pair, empty for those it lets pass."""
        if self._guard is None:
            return np.zeros(len(pairs.rows), dtype="<U1")
        return self._guard(pairs.rows, pairs.columns)

    def passing(self, pairs: Pairs, names: NDArray[np.str_]) -> Pairs:
        """The pairs that pass, but none after enough vetoes of its row; those before are remembered.

        Args:
            pairs: all columns stay and come after those that were looked at before.
            names: the guard's answers.
        """
        if self._guard is None or not len(pairs.rows):
            return pairs
        vetoed = names != ""
        so_far = np.cumsum(vetoed)
        heads = np.flatnonzero(np.diff(pairs.rows, prepend=-1))
        lengths = np.diff(heads, append=len(pairs.rows))
        earlier = np.repeat((so_far - vetoed)[heads], lengths)
        early = self._counts[pairs.rows] + so_far - vetoed - earlier < ENOUGH
        noted = vetoed & early
        self._note(pairs.where(noted), names[noted])
        self._counts[pairs.rows[heads]] += np.add.reduceat(vetoed.astype(np.int64), heads)
        return pairs.where(~vetoed & early)

    def conflicts(self, gone: BoolArray) -> dict[int, tuple[int, str]]:
        """The best vetoed pair of each chunk that stays, against one that stays: row -> (column, name)."""
        rows = np.flatnonzero((self._columns >= 0) & ~gone[: len(self._columns)])
        rows = rows[~gone[self._columns[rows]]]
        names = list(self._names)
        pairs = zip(self._columns[rows].tolist(), self._places[rows].tolist(), strict=True)
        return {
            row: (column, names[place]) for row, (column, place) in zip(rows.tolist(), pairs, strict=True)
        }

    def _note(self, pairs: Pairs, names: NDArray[np.str_]) -> None:
        """Remember the best vetoed pair of each row, the first of equals."""
        order = np.lexsort((pairs.columns, -pairs.scores, pairs.rows))
        best = order[np.unique(pairs.rows[order], return_index=True)[1]]
        best = best[pairs.scores[best] > self._scores[pairs.rows[best]]]
        rows = pairs.rows[best]
        self._scores[rows] = pairs.scores[best]
        self._columns[rows] = pairs.columns[best]
        numbers = (self._names.setdefault(name, len(self._names)) for name in names[best].tolist())
        self._places[rows] = np.fromiter(numbers, dtype=np.int8, count=len(best))


class Copies:
    """Chunks with the same words, looked up without a comparison; nothing is prepared before it is asked.

    Args:
        batch: the chunks.
        checks: prepares what a pair must pass.
    """

    def __init__(self, batch: Batch, checks: Callable[[], Sequence[Check]]) -> None:
        self._batch = batch
        self._prepare = checks
        self._checks: Sequence[Check] | None = None

    def first(self, row: int, gone: BoolArray) -> Pairs:
        """The pair of a row and the first copy before it that stays and passes; else none."""
        if self._checks is None:
            self._checks = self._prepare()
            self._groups = groups(self._batch)
            self._order = np.argsort(self._groups, kind="stable").astype(np.int64)
            self._ranked = self._groups[self._order]
        start = np.searchsorted(self._ranked, self._groups[row])
        stop = np.searchsorted(self._ranked, self._groups[row], side="right")
        same = self._order[start:stop]
        columns = same[(same < row) & ~gone[same]]
        if not len(columns):
            return NO_PAIRS
        rows = np.full(len(columns), row, dtype=np.int64)
        scores = np.min([check(rows, columns) for check in self._checks], axis=0)
        return Pairs(rows, columns, scores).at(np.flatnonzero(~np.isnan(scores))[:1])
