"""The 3-grams of the tokens of texts, as numbers that are equal exactly when the 3-grams are.

A text of fewer tokens is its own single shingle: it is like nothing but a copy of itself.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from chunkfilter.text.normalise import tokens
from chunkfilter.text.ragged import AnyIntArray, IntArray, Ragged, offsets_of, ranges, row_blocks
from chunkfilter.text.row_sets import distinct_counts

SIZE = 3
#: Shingles that are looked at at once where all are.
_BLOCK = 1 << 20
Shingle = tuple[str, ...]


def text_shingles(text: str) -> list[Shingle]:
    """The shingles of one text in order: the 3-grams of its tokens, or all of a text with fewer tokens."""
    found = tokens(text)
    if len(found) < SIZE:
        return [tuple(found)]
    return [tuple(found[place : place + SIZE]) for place in range(len(found) - SIZE + 1)]


def shingle_places(rows: Ragged) -> tuple[IntArray, IntArray]:
    """Where the 3-grams of rows of words begin.

    Args:
        rows: n rows of numbers of words.

    Returns:
        Places in ``rows.values``, shape (total,), row by row, and their number in each row, shape (n,);
        none in rows of fewer than ``SIZE`` words.
    """
    counts = np.maximum(rows.lengths - SIZE + 1, 0)
    return ranges(rows.offsets[:-1], counts), counts


class ShingleBags:
    """The shingles of n texts as numbers, made from the words when they are asked for.

    Args:
        rows: the tokens of n texts as numbers below ``vocabulary``.
        vocabulary: number of distinct tokens.
        chosen: shape (n,): texts whose shingles are asked for, the others have none; ``None`` for all.
    """

    def __init__(self, rows: Ragged, vocabulary: int, chosen: NDArray[np.bool_] | None = None) -> None:
        self._words, self._base = rows, max(vocabulary, 1)
        chosen = np.ones(len(rows), dtype=np.bool_) if chosen is None else chosen
        counts = np.where(chosen, np.maximum(rows.lengths - SIZE + 1, 0), 0)
        lone = chosen & (counts == 0)
        self._lone = np.zeros(len(rows), dtype=np.int64)
        self._lone[lone] = _numbered_below_zero(rows, np.flatnonzero(lone))
        self.lengths: IntArray = np.where(lone, 1, counts)
        self.sizes: IntArray = np.zeros(len(rows), dtype=np.int64)
        for part, taken in self._blocks(packed=True):
            self.sizes[part] = distinct_counts(taken)

    def taken(self, rows: IntArray) -> IntArray:
        """The shingles of some texts, one text after another, shape (total,)."""
        return self._taken(rows, packed=True)

    def hashes(self) -> Iterator[Ragged]:
        """A number for each shingle, the same wherever it stands, some texts after others."""
        return (taken for _, taken in self._blocks(packed=False))

    def _blocks(self, *, packed: bool) -> Iterator[tuple[slice, Ragged]]:
        offsets = offsets_of(self.lengths)
        for part in row_blocks(offsets, _BLOCK):
            numbers = self._taken(np.arange(part.start, part.stop), packed=packed)
            yield part, Ragged(numbers, offsets[part.start : part.stop + 1] - offsets[part.start])

    def _taken(self, rows: IntArray, *, packed: bool) -> IntArray:
        offsets, lone = offsets_of(self.lengths[rows]), self._lone[rows]
        counts = np.where(lone < 0, 0, self.lengths[rows])
        places = ranges(self._words.offsets[rows], counts)
        numbers = (_packed if packed else _hashed)(self._words.values, places, self._base)
        if len(numbers) == offsets[-1]:
            return numbers
        values = np.empty(offsets[-1], dtype=np.int64)
        values[offsets[:-1][lone < 0]] = lone[lone < 0]
        values[ranges(offsets[:-1], counts)] = numbers
        return values


def _numbered_below_zero(rows: Ragged, lone: IntArray) -> list[int]:
    """Numbers for texts that are one shingle, equal for equal ones."""
    known: dict[bytes, int] = {}
    return [-1 - known.setdefault(rows[place].tobytes(), len(known)) for place in lone.tolist()]


def _packed(values: AnyIntArray, places: IntArray, base: int) -> IntArray:
    """Three numbers of words in one; pairs are renumbered first where three do not fit into 63 bits."""
    packed = values[places].astype(np.int64)
    for step in range(1, SIZE):
        if (int(packed.max(initial=0)) + 1) * base > np.iinfo(np.int64).max:
            packed = np.unique(packed, return_inverse=True)[1].reshape(-1)
        packed *= base
        packed += values[places + step]
    return packed


def _hashed(values: AnyIntArray, places: IntArray, base: int) -> IntArray:
    """The same where it fits into 64 bits, else what is left of it there."""
    packed = values[places].astype(np.int64)
    for step in range(1, SIZE):
        packed *= base
        packed += values[places + step]
    return packed
