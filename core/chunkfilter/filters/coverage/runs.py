"""Runs of words that stand verbatim in a kept chunk, and how far they cover a stretch without a hidden seam.

Two runs may meet only where the first ends with its keeper or the second begins with its keeper: anywhere
else the chunk may join what no keeper says in one piece.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from chunkfilter.filters.batch import BoolArray
from chunkfilter.filters.coverage.index import RowArray, Shingles
from chunkfilter.filters.coverage.stretches import RUN, Stretch
from chunkfilter.text.ragged import IntArray, Ragged, ranges
from chunkfilter.text.weights import Weights
from chunkfilter.text.words import QUARTERS

#: Shingles of one stretch may stand in this many places; beyond, the chunk stays. Only texts that repeat a
#: few words thousands of times come near.
MOST_PLACES = 1 << 18


class Run(NamedTuple):
    """Words of a chunk that stand verbatim in another one, as far as they lie around a stretch.

    Args:
        start: place of its first word, in the chunk that may go.
        end: one past its last.
        at_start: it begins with the first word of the other chunk.
        at_end: it ends with the other chunk's last word.
    """

    start: int
    end: int
    at_start: bool
    at_end: bool


@dataclass(frozen=True, slots=True)
class Covering:
    """The runs that may help to cover one stretch.

    Args:
        start: its first word.
        end: one past its last.
        runs: by the row that holds them.
    """

    start: int
    end: int
    runs: dict[int, tuple[Run, ...]]

    def reach(self, rows: Sequence[int]) -> tuple[int, int]:
        """How far the runs of some rows get; see :func:`reach`."""
        return reach((run for row in rows for run in self.runs.get(row, ())), self.start)

    def leads_on(self, row: int, here: tuple[int, int]) -> bool:
        """Whether the runs of a row get further than other rows that :meth:`reach` so far."""
        furthest, furthest_end = here
        return any(
            run.start <= (furthest if run.at_start else furthest_end)
            and (run.end > furthest or (run.at_end and run.end > furthest_end))
            for run in self.runs.get(row, ())
        )


def reach(runs: Iterable[Run], start: int) -> tuple[int, int]:
    """How far runs cover the words from ``start`` on, one after another, seams only where allowed.

    Returns:
        One past the last word covered, and the furthest end of a run that ends with its keeper; ``start``
        where there is none.
    """
    furthest = furthest_end = start
    left = set(runs)
    while True:
        taken = [run for run in left if run.start <= (furthest if run.at_start else furthest_end)]
        if not taken:
            return furthest, furthest_end
        left.difference_update(taken)
        furthest = max(furthest, *(run.end for run in taken))
        furthest_end = max(furthest_end, *(run.end for run in taken if run.at_end), furthest_end)


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Runs as arrays of one length, with where they stand in the rows that hold them."""

    starts: IntArray
    ends: IntArray
    theirs: IntArray
    rows: IntArray
    at_start: BoolArray
    at_end: BoolArray

    def where(self, mask: BoolArray) -> "Runs":
        """The runs of a mask."""
        return Runs(
            self.starts[mask],
            self.ends[mask],
            self.theirs[mask],
            self.rows[mask],
            self.at_start[mask],
            self.at_end[mask],
        )


class RunFinder:
    """Finds the runs of the kept chunks on a stretch.

    Args:
        words: n rows.
        rows: shape (total,): the row of each word.
        seen: shape (n,), one past the last word seen of each row.
        weight: of the words.
        seams: whether two runs may only meet where one of their keepers begins or ends.
    """

    def __init__(
        self, words: Ragged, rows: RowArray, seen: IntArray, weight: Weights, *, seams: bool = True
    ) -> None:
        self._seams = seams
        self._words = words
        self._seen = seen
        self._weight = weight
        self._rows = rows

    def covering(
        self, stretch: Stretch, shingles: Shingles, stays: BoolArray, givers: Sequence[int]
    ) -> Covering | None:
        """The runs of the chunks that stay on a stretch; ``None`` if all together do not cover it.

        Args:
            stretch: words of a chunk that does not stay.
            shingles: of the size that fits the stretch.
            stays: shape (n,).
            givers: rows that give the sentence which does as well as runs.
        """
        found = self.runs(stretch, shingles, stays)
        found = found.where(_reachable(found, stretch.start))
        if not givers and int(found.ends.max(initial=stretch.start)) < stretch.end:
            return None
        whole = Run(stretch.start, stretch.end, at_start=False, at_end=False)
        runs: dict[int, tuple[Run, ...]] = dict.fromkeys(givers, (whole,))
        for row, run in zip(found.rows.tolist(), _as_runs(found), strict=True):
            runs[row] = (*runs.get(row, ()), run)
        return Covering(stretch.start, stretch.end, runs)

    def runs(self, stretch: Stretch, shingles: Shingles, stays: BoolArray) -> Runs:
        """The runs of the chunks that stay on a stretch, as far as shingles that touch it reach."""
        found = self._joined(stretch, shingles, stays)
        return found.where(self._long_enough(stretch, found))

    def _joined(self, stretch: Stretch, shingles: Shingles, stays: BoolArray) -> Runs:
        """Shingles of a stretch in the chunks that stay, joined where they follow each other."""
        size = shingles.size
        first = max(stretch.low, stretch.start - size + 1)
        groups = shingles.group[first : min(stretch.end, stretch.high - size + 1)]
        shared = np.flatnonzero(groups >= 0)
        starts = shingles.offsets[groups[shared]]
        counts = shingles.offsets[groups[shared] + 1] - starts
        if int(counts.sum()) > MOST_PLACES:
            starts, counts, shared = starts[:0], counts[:0], shared[:0]
        theirs = shingles.places[ranges(starts, counts)]
        rows = self._rows[theirs].astype(np.int64)
        alive = stays[rows]
        if stretch.seen:
            alive &= theirs + size <= self._seen[rows]
        ours, theirs, rows = np.repeat(shared + first, counts)[alive], theirs[alive], rows[alive]
        shifts = theirs - ours
        order = np.lexsort((ours, shifts))
        ours, theirs, rows, shifts = ours[order], theirs[order], rows[order], shifts[order]
        heads = np.flatnonzero(np.append(True, (np.diff(shifts) != 0) | (np.diff(ours) != 1))[: len(ours)])
        ends = ours[np.append(heads[1:], len(ours))[: len(heads)] - 1] + size
        starts, theirs, rows, offsets = ours[heads], theirs[heads], rows[heads], self._words.offsets
        at_start = (theirs == offsets[:-1][rows]) | (not self._seams)
        at_end = (theirs + ends - starts == offsets[1:][rows]) | (not self._seams)
        return Runs(starts, ends, theirs, rows, at_start, at_end)

    def _long_enough(self, stretch: Stretch, found: Runs) -> BoolArray:
        """Whether each run has five words or is the whole text.

        In scripts without spaces that takes more than five characters, and the run may reach further from
        the stretch than the shingles that touch it.
        """
        enough = self._weight.between(found.starts, found.ends) >= RUN * QUARTERS
        enough |= (found.starts == stretch.low) & (found.ends == stretch.high)
        for place in np.flatnonzero(~enough).tolist():
            start, end = self._extended(stretch, found, place)
            enough[place] = (start == stretch.low and end == stretch.high) or bool(
                self._weight.between(start, end) >= RUN * QUARTERS
            )
        return enough

    def _extended(self, stretch: Stretch, found: Runs, place: int) -> tuple[int, int]:
        values, row = self._words.values, int(found.rows[place])
        low = int(self._words.offsets[row])
        high = int(self._seen[row]) if stretch.seen else int(self._words.offsets[row + 1])
        start, end, shift = (
            int(found.starts[place]),
            int(found.ends[place]),
            int(found.theirs[place] - found.starts[place]),
        )
        while start > stretch.low and start + shift > low and values[start - 1] == values[start + shift - 1]:
            start -= 1
        while end < stretch.high and end + shift < high and values[end] == values[end + shift]:
            end += 1
        return start, end


def _as_runs(found: Runs) -> Iterable[Run]:
    return map(
        Run, found.starts.tolist(), found.ends.tolist(), found.at_start.tolist(), found.at_end.tolist()
    )


def _reachable(found: Runs, start: int) -> BoolArray:
    """The runs that a chain of all runs can reach from ``start``; the others can never help."""
    furthest = furthest_end = start
    reached = np.zeros(len(found.starts), dtype=np.bool_)
    while True:
        taken = ~reached & (found.starts <= np.where(found.at_start, furthest, furthest_end))
        if not taken.any():
            return reached
        reached |= taken
        furthest = max(furthest, int(found.ends[taken].max()))
        furthest_end = max(furthest_end, int(found.ends[taken & found.at_end].max(initial=start)))
