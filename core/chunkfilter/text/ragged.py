"""Rows of different lengths in two flat arrays, so that whole batches are handled by array operations."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
AnyIntArray = NDArray[np.int64] | NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """``n`` rows of integers: row ``i`` is ``values[offsets[i]:offsets[i + 1]]``.

    Args:
        values: shape (total,), any integer type.
        offsets: shape (n + 1,), int64, ascending from 0 to total.
    """

    values: NDArray[np.int64] | NDArray[np.int32]
    offsets: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[np.int64] | NDArray[np.int32]:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def __iter__(self) -> Iterator[NDArray[np.int64] | NDArray[np.int32]]:
        return (self[row] for row in range(len(self)))

    def part(self, rows: slice) -> "Ragged":
        """Some rows that follow each other, on the same memory."""
        offsets = self.offsets[rows.start : rows.stop + 1]
        return Ragged(self.values[offsets[0] : offsets[-1]], offsets - offsets[0])

    def taken(self, rows: AnyIntArray) -> "Ragged":
        """Some rows, in the order in which they are named, shape (r,)."""
        lengths = self.lengths[rows]
        return Ragged(self.values[ranges(self.offsets[:-1][rows], lengths)], offsets_of(lengths))

    @property
    def lengths(self) -> IntArray:
        """Length of each row, shape (n,)."""
        return np.diff(self.offsets)

    @property
    def rows(self) -> IntArray:
        """The row of each value, shape (total,)."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.lengths)


def offsets_of(lengths: "NDArray[np.int64] | list[int]") -> IntArray:
    """Offsets of rows with the given lengths, shape (n + 1,)."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """``start, start + 1, ...`` for each (start, length), one after another, shape (sum(lengths),)."""
    offsets = offsets_of(lengths)
    return np.arange(offsets[-1], dtype=np.int64) + np.repeat(starts - offsets[:-1], lengths)


def row_blocks(offsets: IntArray, most: int) -> Iterator[slice]:
    """Cut rows into blocks of about ``most`` values, or one longer row; one block if there is no row.

    Args:
        offsets: shape (n + 1,), of the rows.
        most: values of a block.
    """
    first, count = 0, len(offsets) - 1
    while first == 0 or first < count:
        last = int(np.searchsorted(offsets, offsets[first] + most, side="right")) - 1
        last = min(max(first + 1, last), count)
        yield slice(first, last)
        first = max(last, 1)
