"""Sets as a few bits each, from which follows how many values two of them share at most.

Each value sets one bit. What two sets share lies on bits that both have set, and more values than bits come
only of values that fell on one bit: so no two sets share more than their common bits and the values of the
one that found their bit taken. It is a bound, never an estimate: nothing that it rules out was alike.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from chunkfilter.text.bits import bit_sums
from chunkfilter.text.ragged import IntArray, Ragged

#: Least bits a value of a set of mean size: a byte or two a value; more would tell little more.
_BITS = 8
#: Bits handled at once: keeps the working memory at some megabytes.
_TILE = 1 << 21
#: Words of pairs handled at once, so that they stay in a near cache.
_PAIRED = 1 << 16
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class SetSketches:
    """Sketches of n sets.

    Args:
        blocks: a number for each value of each set, some sets after others; a value may stand several times.
        sizes: distinct values of each set, shape (n,).
    """

    def __init__(self, blocks: Iterable[Ragged], sizes: IntArray) -> None:
        mean = int(sizes.sum()) // max(int(np.count_nonzero(sizes)), 1)
        exponent = max((_BITS * mean - 1).bit_length(), 6)
        self._bits = np.empty((len(sizes), (1 << exponent) // 64), dtype=np.uint64)
        done = 0
        for block in blocks:
            _fill(self._bits[done : done + len(block)], block, exponent)
            done += len(block)
        self._surplus: IntArray = sizes - bit_sums(self._bits)

    def most_shared(self, left: IntArray, right: IntArray) -> IntArray:
        """At least as many as the sets ``left[i]`` and ``right[i]`` share, shape (p,)."""
        common = np.empty(len(left), dtype=np.int64)
        step = max(_PAIRED // self._bits.shape[1], 1)
        ours, theirs = np.empty((2, min(step, len(left)), self._bits.shape[1]), dtype=np.uint64)
        for start in range(0, len(left), step):
            pairs = slice(start, min(start + step, len(left)))
            both, other = ours[: pairs.stop - start], theirs[: pairs.stop - start]
            np.take(self._bits, left[pairs], axis=0, out=both, mode="clip")  # the default mode buffers
            np.take(self._bits, right[pairs], axis=0, out=other, mode="clip")
            both &= other
            common[pairs] = bit_sums(both)
        return common + np.minimum(self._surplus[left], self._surplus[right])


def _fill(result: NDArray[np.uint64], sets: Ragged, exponent: int) -> None:
    """Write the bits of each set, ``2 ** exponent`` of them, to ``result``, shape (n, 2 ** exponent / 64)."""
    width = 1 << exponent
    step = max(_TILE // width, 1)
    for first in range(0, len(sets), step):
        offsets = sets.offsets[first : first + step + 1]
        marks = np.zeros((len(offsets) - 1, width), dtype=np.bool_)
        values = sets.values[offsets[0] : offsets[-1]].astype(np.uint64)
        places = ((values * _GOLDEN) >> np.uint64(64 - exponent)).astype(np.int64)
        marks[np.repeat(np.arange(len(marks)), np.diff(offsets)), places] = True
        result[first : first + step] = np.packbits(marks, axis=1).view(np.uint64)
