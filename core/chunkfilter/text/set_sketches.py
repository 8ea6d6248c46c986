"""Sets as a few bits each, from which follows how many values two of them share at most.

Each value sets one bit. What two sets share lies on bits that both have set, and more values than bits come
only of values that fell on one bit: so no two sets share more than their common bits and the values of the
one that found their bit taken. It is a bound, never an estimate: nothing that it rules out was alike.
"""

import numpy as np
from numpy.typing import NDArray

from chunkfilter.text.bits import bit_counts
from chunkfilter.text.ragged import IntArray, Ragged

#: Least bits a value of a set of mean size: a byte or two a value; more would tell little more.
_BITS = 8
#: Bits, and words of pairs, handled at once: keeps the working memory at some megabytes.
_TILE = 1 << 21
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class SetSketches:
    """Sketches of n sets.

    Args:
        sets: rows made by :func:`chunkfilter.text.row_sets.sorted_sets`.
    """

    def __init__(self, sets: Ragged) -> None:
        mean = len(sets.values) // max(int(np.count_nonzero(sets.lengths)), 1)
        self._bits = _packed(sets, max((_BITS * mean - 1).bit_length(), 6))
        self._surplus: IntArray = sets.lengths - bit_counts(self._bits).sum(axis=1, dtype=np.int64)

    def most_shared(self, left: IntArray, right: IntArray) -> IntArray:
        """At least as many as the sets ``left[i]`` and ``right[i]`` share, shape (p,)."""
        common = np.empty(len(left), dtype=np.int64)
        step = max(_TILE // self._bits.shape[1], 1)
        for start in range(0, len(left), step):
            part = slice(start, start + step)
            both = self._bits[left[part]]
            both &= self._bits[right[part]]
            bit_counts(both).sum(axis=1, dtype=np.int64, out=common[part])
        return common + np.minimum(self._surplus[left], self._surplus[right])


def _packed(sets: Ragged, exponent: int) -> NDArray[np.uint64]:
    """The bits of each set, ``2 ** exponent`` of them, shape (n, 2 ** exponent / 64)."""
    width = 1 << exponent
    result = np.empty((len(sets), width // 64), dtype=np.uint64)
    step = max(_TILE // width, 1)
    for first in range(0, len(sets), step):
        offsets = sets.offsets[first : first + step + 1]
        marks = np.zeros((len(offsets) - 1, width), dtype=np.bool_)
        values = sets.values[offsets[0] : offsets[-1]].astype(np.uint64)
        places = ((values * _GOLDEN) >> np.uint64(64 - exponent)).astype(np.int64)
        marks[np.repeat(np.arange(len(marks)), np.diff(offsets)), places] = True
        result[first : first + step] = np.packbits(marks, axis=1).view(np.uint64)
    return result
