"""What each chunk asks of its keepers, the inverted lists that answer, and which chunks may be covered."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.coverage.index import Holders, Shingles
from chunkfilter.filters.coverage.stretches import find_stretches
from chunkfilter.filters.coverage.units import Units
from chunkfilter.text.ragged import IntArray, ranges


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
        self._in_sight = units.sentences.ends <= units.seen[units.rows]
        self.anywhere, self.seen = self._holders()
        self.stretches = find_stretches(units, batch.words.offsets, batch.weight, self._going)
        self._first_stretch = np.searchsorted(self.stretches.rows, np.arange(len(batch) + 1))
        self.shingles: dict[int, Shingles] = {}

    def _holders(self) -> tuple[Holders, Holders]:
        units = self._units
        giving = self._gives[units.rows]
        asked = np.maximum(units.needed, units.instead)[self._going[units.rows]]
        wanted = np.zeros(int(max(asked.max(initial=0), units.open.max(initial=0))) + 2, dtype=np.bool_)
        wanted[asked[asked >= 0]] = True
        keys = np.concatenate([np.where(giving, units.closed, -1), np.where(giving, units.open, -1)])
        rows = np.concatenate([units.rows, units.rows])
        anywhere = Holders.of(keys, rows, wanted)
        if self._in_sight.all():
            return anywhere, anywhere
        return anywhere, Holders.of(np.where(np.tile(self._in_sight, 2), keys, -1), rows, wanted)

    def sentences(self, row: int) -> Iterator[IntArray]:
        """For each sentence a chunk asks for, the rows that give it, ascending."""
        span = slice(self._units.sentences.first[row], self._units.sentences.first[row + 1])
        lows, highs = self._answers
        for low, high in zip(lows[span].tolist(), highs[span].tolist(), strict=True):
            if low >= 0:
                yield self._rows[low:high]

    def givers(self, key: int, seen: bool) -> IntArray:
        """The rows that give a sentence, in what is seen of them if it must be seen, ascending."""
        holders = self.seen if seen else self.anywhere
        return holders.rows[holders.offsets[key] : holders.offsets[key + 1]]

    @cached_property
    def _rows(self) -> IntArray:
        return np.concatenate([self.anywhere.rows, self.seen.rows])

    @cached_property
    def _answers(self) -> tuple[IntArray, IntArray]:
        """Where in ``_rows`` the rows stand that give each sentence, -1 where none is asked for."""
        needed, seen = self._units.needed, self._in_sight & (self.seen is not self.anywhere)
        shift = np.where(seen, len(self.anywhere.rows), 0)
        bounds = [
            np.where(needed < 0, -1, shift + np.where(seen, self.seen.offsets[at], self.anywhere.offsets[at]))
            for at in (np.maximum(needed, 0), np.maximum(needed, 0) + 1)
        ]
        return bounds[0], bounds[1]

    def stretches_of(self, row: int) -> range:
        """The numbers of a chunk's stretches."""
        return range(int(self._first_stretch[row]), int(self._first_stretch[row + 1]))

    @cached_property
    def coverable(self) -> BoolArray:
        """Chunks each of whose sentences and words another chunk holds, shape (n,)."""
        units = self._units
        asked = np.flatnonzero((units.needed >= 0) & self._going[units.rows])
        keys, rows = units.needed[asked], units.rows[asked]
        held = self.anywhere.held_elsewhere(keys, rows)
        if self.seen is not self.anywhere:
            held &= ~self._in_sight[asked] | self.seen.held_elsewhere(keys, rows)
        possible = self._going.copy()
        possible[rows[~held]] = False
        stretches = self.stretches
        asking = possible[stretches.rows]
        for size in np.unique(stretches.sizes[asking]).tolist():
            of_size = np.flatnonzero(asking & (stretches.sizes == size))
            shingles = self.shingles[size] = self._shingles(size, of_size)
            possible[stretches.rows[of_size[~self._held(shingles, of_size)]]] = False
        return possible

    def _shingles(self, size: int, asking: IntArray) -> Shingles:
        """The shingles of one size that touch the given stretches."""
        words, stretches = self._batch.words, self.stretches
        first = np.maximum(stretches.lows[asking], stretches.starts[asking] - size + 1)
        end = np.minimum(stretches.ends[asking], stretches.highs[asking] - size + 1)
        wanted = np.zeros(len(words.values), dtype=np.bool_)
        wanted[ranges(first, end - first)] = True
        return Shingles.of(
            words, self._batch.word_rows, size, wanted, self._active, self._gives, self._batch.scopes
        )

    def _held(self, shingles: Shingles, asking: IntArray) -> BoolArray:
        """Whether every word of the given stretches lies in a shingle that another chunk gives."""
        stretches, size = self.stretches, shingles.size
        held = np.zeros(len(shingles.elsewhere) + 1, dtype=np.int32)
        np.cumsum(shingles.elsewhere, out=held[1:])
        lengths = stretches.ends[asking] - stretches.starts[asking]
        places = ranges(stretches.starts[asking], lengths)
        first = np.maximum(np.repeat(stretches.lows[asking], lengths), places - size + 1)
        last = np.minimum(np.repeat(stretches.highs[asking], lengths) - size, places)
        in_runs = np.logical_and.reduceat(held[last + 1] > held[first], np.cumsum(lengths) - lengths)
        keyed = asking[stretches.keys[asking] >= 0]
        whole = np.zeros(len(stretches.keys), dtype=np.bool_)
        whole[keyed] = self.anywhere.held_elsewhere(stretches.keys[keyed], stretches.rows[keyed])
        return in_runs | whole[asking]
