"""Stretches: words of a chunk that are no whole sentence and must lie in runs."""

from dataclasses import dataclass

import numpy as np

from chunkfilter.filters.batch import BoolArray
from chunkfilter.filters.coverage.units import Units
from chunkfilter.text.ragged import IntArray
from chunkfilter.text.weights import Weights
from chunkfilter.text.words import QUARTERS

#: Words a run must have; a text with fewer is one run.
RUN = 5


@dataclass(frozen=True, slots=True)
class Stretch:
    """Words that must lie in runs.

    Args:
        start: place of the first word.
        end: one past the last.
        low: where the text begins in which the runs may lie.
        high: one past its last word.
        seen: whether the runs must lie in what the embedder sees of the keepers.
        key: of a sentence that does as well as runs; -1 for none.
    """

    start: int
    end: int
    low: int
    high: int
    seen: bool
    key: int = -1

    @property
    def size(self) -> int:
        """Words of the shingles that find its runs."""
        return min(self.high - self.low, RUN)


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """The stretches of all chunks: arrays of one length, ordered by row; see :class:`Stretch`."""

    rows: IntArray
    starts: IntArray
    ends: IntArray
    lows: IntArray
    highs: IntArray
    seen: BoolArray
    keys: IntArray

    @property
    def sizes(self) -> IntArray:
        """Words of the shingles that find a stretch's runs."""
        sizes: IntArray = np.minimum(self.highs - self.lows, RUN)
        return sizes

    def __getitem__(self, place: int) -> Stretch:
        return Stretch(
            int(self.starts[place]),
            int(self.ends[place]),
            int(self.lows[place]),
            int(self.highs[place]),
            bool(self.seen[place]),
            int(self.keys[place]),
        )


def find_stretches(units: Units, offsets: IntArray, weight: Weights, going: BoolArray) -> Stretches:
    """The stretches of the chunks that may go.

    A part of a sentence that lies in the visible head must be seen in the keepers, one beyond it must only be
    there; a sentence that the end of the head cuts is whole beyond and a part in the head. A few last words
    that no terminator ends need both: to stand at an end, and to lie in runs.

    Args:
        units: the sentences of n chunks.
        offsets: shape (n + 1,), of their words.
        weight: of the words.
        going: shape (n,).
    """
    rows, starts, ends = units.rows, units.sentences.starts, units.sentences.ends
    seen, in_sight = units.seen[rows], ends <= units.seen[rows]
    short = weight.between(starts, ends) < RUN * QUARTERS
    part = ((units.needed < 0) | (short & (units.needed % 2 == 1))) & going[rows]
    instead = np.where(short & (units.instead % 2 == 1), -1, units.instead)
    # a head of a few words may be one short run; the same words must stand in runs of the whole text too
    few_seen = (seen < offsets[1:][rows]) & (seen - offsets[:-1][rows] < RUN * QUARTERS)
    whole = np.flatnonzero(part)
    clipped = np.flatnonzero((starts < seen) & (seen < ends) & going[rows])
    again = np.flatnonzero(part & in_sight & few_seen)
    chosen = np.concatenate([whole, clipped, again])
    kinds = np.repeat(np.arange(3), [len(whole), len(clipped), len(again)])
    order = np.lexsort((starts[chosen], rows[chosen]))
    chosen, kinds = chosen[order], kinds[order]
    in_head = (kinds == 1) | ((kinds == 0) & in_sight[chosen])
    highs = offsets[1:][rows[chosen]]
    return Stretches(
        rows[chosen],
        starts[chosen],
        np.where(in_head, np.minimum(ends[chosen], seen[chosen]), ends[chosen]),
        offsets[:-1][rows[chosen]],
        np.where(in_head, np.minimum(highs, seen[chosen]), highs),
        in_head,
        np.where(kinds == 1, -1, instead[chosen]),
    )
