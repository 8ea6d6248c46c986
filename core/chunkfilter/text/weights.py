"""How much the words between two places count."""

from typing import overload

import numpy as np

from chunkfilter.text.ragged import AnyIntArray, IntArray
from chunkfilter.text.words import QUARTERS


class Weights:
    """Quarters of a word, summed up to each place in flat words; nothing is held where every word is whole.

    Args:
        values: shape (total,), numbers of words.
        quarters: shape (words,), what each word counts.
    """

    def __init__(self, values: AnyIntArray, quarters: IntArray) -> None:
        self._up_to: AnyIntArray | None = None
        if (quarters != QUARTERS).any():
            small = len(values) * QUARTERS <= np.iinfo(np.int32).max
            self._up_to = np.zeros(len(values) + 1, dtype="i4" if small else "i8")
            np.take(quarters.astype(self._up_to.dtype), values, out=self._up_to[1:], mode="clip")
            np.cumsum(self._up_to[1:], out=self._up_to[1:])

    @overload
    def between(self, starts: int, ends: int) -> int: ...
    @overload
    def between(self, starts: IntArray, ends: IntArray) -> IntArray: ...
    def between(self, starts: IntArray | int, ends: IntArray | int) -> IntArray | int:
        """What the words from each start up to each end count, in quarters of a word."""
        if self._up_to is None:
            return (ends - starts) * QUARTERS
        found: IntArray = self._up_to[ends] - self._up_to[starts]
        return found
