"""Rows that count as sets and are taken when they are asked for: all sets at once would take gigabytes."""

from typing import Protocol

from chunkfilter.text.ragged import AnyIntArray, IntArray, Ragged, ranges
from chunkfilter.text.row_sets import distinct_counts


class Bags(Protocol):
    """n rows of values; one that stands several times in a row counts once."""

    @property
    def lengths(self) -> IntArray:
        """Values of each row, each as often as it stands there, shape (n,)."""
        ...

    @property
    def sizes(self) -> IntArray:
        """Distinct values of each row, shape (n,)."""
        ...

    def taken(self, rows: IntArray) -> AnyIntArray:
        """The values of some rows, one row after another, shape (total,).

        They are equal where the values are, within one call, and greater than the least integer of their
        type by more than their number.
        """
        ...


class HeldBags:
    """Rows that are in memory anyway.

    Args:
        rows: n rows of numbers.
        sizes: distinct values of each, shape (n,); ``None`` if they are to be counted.
    """

    def __init__(self, rows: Ragged, sizes: IntArray | None = None) -> None:
        self._rows = rows
        self.lengths = rows.lengths
        self.sizes = distinct_counts(rows) if sizes is None else sizes

    def taken(self, rows: IntArray) -> AnyIntArray:
        """The values of some rows, one row after another, shape (total,)."""
        return self._rows.values[ranges(self._rows.offsets[rows], self.lengths[rows])]


def held_sets(sets: Ragged) -> HeldBags:
    """Rows whose values are distinct already."""
    return HeldBags(sets, sets.lengths)
