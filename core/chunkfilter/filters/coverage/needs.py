"""What one chunk asks of its keepers, and which chunks may be covered at all."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.coverage.index import Holders, Shingles
from chunkfilter.filters.coverage.units import Units
from chunkfilter.text.ragged import IntArray, offsets_of, ranges
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


@dataclass(frozen=True, slots=True)
class Need:
    """What one chunk asks for: (key, seen) of sentences, and stretches."""

    sentences: tuple[tuple[int, bool], ...]
    stretches: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Stretches:
    """Stretches of all chunks: arrays of one length, ordered by row."""

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


class Needs:
    """The needs of all chunks of a batch and the inverted lists that answer them.

    Args:
        batch: n chunks.
        units: their sentences.
        active: shape (n,): chunks that take part.
        gives: shape (n,): those of them that may stand for others.
    """

    def __init__(self, batch: Batch, units: Units, active: BoolArray, gives: BoolArray) -> None:
        self._units = units
        self._batch = batch
        self._active = active
        self._gives = gives
        self._going = active & (np.arange(len(batch)) >= batch.stored) & (batch.words.lengths > 0)
        self._end_seen = units.sentences.ends <= units.seen[units.rows]
        self.anywhere, self.seen = self._holders()
        self._stretches = self._find_stretches()
        self.shingles: dict[int, Shingles] = {}
        self._first_stretch = np.searchsorted(self._stretches.rows, np.arange(len(batch) + 1))

    def _holders(self) -> tuple[Holders, Holders]:
        units = self._units
        giving = self._gives[units.rows]
        asked = np.maximum(units.needed, units.instead)[self._going[units.rows]]
        wanted = np.zeros(
            int(max(units.needed.max(initial=0), units.open.max(initial=0))) + 2, dtype=np.bool_
        )
        wanted[asked[asked >= 0]] = True
        keys = np.concatenate([np.where(giving, units.closed, -1), np.where(giving, units.open, -1)])
        rows = np.concatenate([units.rows, units.rows])
        anywhere = Holders.of(keys, rows, wanted)
        if self._end_seen.all():
            return anywhere, anywhere
        return anywhere, Holders.of(np.where(np.tile(self._end_seen, 2), keys, -1), rows, wanted)

    def _find_stretches(self) -> _Stretches:
        units, offsets = self._units, self._batch.words.offsets
        rows, starts, ends = units.rows, units.sentences.starts, units.sentences.ends
        seen = units.seen[rows]
        part = (units.needed < 0) & self._going[rows]
        cut = (starts < seen) & (seen < ends) & self._going[rows]
        whole, clipped = np.flatnonzero(part), np.flatnonzero(cut)
        # a head of a few words may be one short run; the same words must stand in runs of the whole text too
        few_seen = (seen < offsets[1:][rows]) & (seen - offsets[:-1][rows] < RUN * QUARTERS)
        again = np.flatnonzero(part & self._end_seen & few_seen)
        chosen = np.concatenate([whole, clipped, again])
        in_head = np.zeros(len(chosen), dtype=np.bool_)
        in_head[: len(whole)] = self._end_seen[whole]
        in_head[len(whole) : len(whole) + len(clipped)] = True
        order = np.lexsort((starts[chosen], rows[chosen]))
        keys = units.instead[chosen]
        keys[len(whole) : len(whole) + len(clipped)] = -1
        chosen, in_head, keys = chosen[order], in_head[order], keys[order]
        lows, highs = offsets[:-1][rows[chosen]], offsets[1:][rows[chosen]]
        return _Stretches(
            rows[chosen],
            starts[chosen],
            np.where(in_head, np.minimum(ends[chosen], seen[chosen]), ends[chosen]),
            lows,
            np.where(in_head, np.minimum(highs, seen[chosen]), highs),
            in_head,
            keys,
        )

    def of(self, row: int) -> Need:
        """What one chunk asks for."""
        sentences, stretches = self._units.sentences, self._stretches
        span = slice(int(sentences.first[row]), int(sentences.first[row + 1]))
        keys, seen = self._units.needed[span].tolist(), self._end_seen[span].tolist()
        places = slice(int(self._first_stretch[row]), int(self._first_stretch[row + 1]))
        return Need(
            tuple({pair: None for pair in zip(keys, seen, strict=True) if pair[0] >= 0}),
            tuple(
                map(
                    Stretch,
                    stretches.starts[places].tolist(),
                    stretches.ends[places].tolist(),
                    stretches.lows[places].tolist(),
                    stretches.highs[places].tolist(),
                    stretches.seen[places].tolist(),
                    stretches.keys[places].tolist(),
                )
            ),
        )

    @cached_property
    def coverable(self) -> BoolArray:
        """Chunks each of whose sentences and words another chunk holds, shape (n,)."""
        units = self._units
        asked = np.flatnonzero((units.needed >= 0) & self._going[units.rows])
        keys, rows = units.needed[asked], units.rows[asked]
        held = self.anywhere.held_elsewhere(keys, rows)
        if self.seen is not self.anywhere:
            held &= ~self._end_seen[asked] | self.seen.held_elsewhere(keys, rows)
        possible = self._going.copy()
        possible[rows[~held]] = False
        stretches = self._stretches
        asking = possible[stretches.rows]
        for size in np.unique(stretches.sizes[asking]).tolist():
            of_size = np.flatnonzero(asking & (stretches.sizes == size))
            shingles = self.shingles[size] = self._shingles(size, of_size)
            possible[stretches.rows[of_size[~self._held(shingles, of_size)]]] = False
        return possible

    def _shingles(self, size: int, asking: IntArray) -> Shingles:
        """The shingles of one size that touch the given stretches."""
        words, stretches = self._batch.words, self._stretches
        first = np.maximum(stretches.lows[asking], stretches.starts[asking] - size + 1)
        end = np.minimum(stretches.ends[asking], stretches.highs[asking] - size + 1)
        change = np.zeros(len(words.values) + 1, dtype=np.int32)
        np.add.at(change, first, 1)
        np.add.at(change, end, -1)
        wanted = np.cumsum(change)[:-1] > 0
        return Shingles.of(words, size, wanted, self._active, self._gives, self._batch.scopes)

    def _held(self, shingles: Shingles, asking: IntArray) -> BoolArray:
        """Whether every word of the given stretches lies in a shingle that another chunk gives."""
        stretches, size = self._stretches, shingles.size
        held = offsets_of(shingles.elsewhere.astype(np.int64))
        lengths = stretches.ends[asking] - stretches.starts[asking]
        places = ranges(stretches.starts[asking], lengths)
        first = np.maximum(np.repeat(stretches.lows[asking], lengths), places - size + 1)
        last = np.minimum(np.repeat(stretches.highs[asking], lengths) - size, places)
        in_runs = np.logical_and.reduceat(held[last + 1] > held[first], np.cumsum(lengths) - lengths)
        keyed = asking[stretches.keys[asking] >= 0]
        whole = np.zeros(len(stretches.keys), dtype=np.bool_)
        whole[keyed] = self.anywhere.held_elsewhere(stretches.keys[keyed], stretches.rows[keyed])
        return in_runs | whole[asking]
