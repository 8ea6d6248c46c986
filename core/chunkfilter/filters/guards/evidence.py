"""What guards compare, computed once for all chunks of a batch."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.guards.numbers import number_words
from chunkfilter.filters.guards.scripts import dominant_scripts
from chunkfilter.text.bags import HeldBags
from chunkfilter.text.growing import Growing
from chunkfilter.text.keys import folded
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of, row_blocks
from chunkfilter.text.shared_counts import shared_counts
from chunkfilter.text.slices import HashArray, equal_slices, mixed, slice_hashes
from chunkfilter.text.words import QUARTERS

#: Words hashed at once.
_BLOCK = 1 << 20


class Evidence:
    """Words, numbers and scripts of the n chunks of a batch; pairs are two arrays of rows, shape (p,)."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._words = batch.words

    @cached_property
    def cut(self) -> BoolArray:
        """Whether an embedder sees only a part of each chunk, shape (n,)."""
        seen: BoolArray = self._batch.visible_words < self._words.lengths
        return seen

    @cached_property
    def scripts(self) -> IntArray:
        """Number of the script that most words of each chunk are written in, shape (n,); -1 for none."""
        return dominant_scripts(self._words, self._batch.vocabulary.words(), self._batch.word_weights)

    @cached_property
    def unspaced(self) -> BoolArray:
        """Whether most words of each chunk are single characters of a script without spaces, shape (n,)."""
        single = np.flatnonzero((self._batch.word_weights < QUARTERS)[self._words.values])
        counts = np.diff(np.searchsorted(single, self._words.offsets))
        most: BoolArray = 2 * counts > self._words.lengths
        return most

    def same_words(self, rows: IntArray, columns: IntArray) -> BoolArray:
        """Whether the words are the same, one after another; texts without words are compared themselves."""
        same: BoolArray = self._sequences[rows] == self._sequences[columns]
        places = np.flatnonzero(same)
        starts, ends = self._words.offsets[:-1], self._words.offsets[1:]
        same[places] = equal_slices(self._words.values, starts, ends, rows[places], columns[places])
        return same

    def same_multiset(self, rows: IntArray, columns: IntArray) -> BoolArray:
        """Whether the words are the same but for their order; never for texts without words."""
        same: BoolArray = self._multisets[rows] == self._multisets[columns]
        return same & (self._words.lengths[rows] > 0)

    def same_numbers(self, rows: IntArray, columns: IntArray) -> BoolArray:
        """Whether numbers and identifiers are the same but for their order."""
        same: BoolArray = self._number_multisets[rows] == self._number_multisets[columns]
        return same

    def numbers_within(self, rows: IntArray, columns: IntArray) -> BoolArray:
        """Whether each number and identifier of the row is one of the column's too."""
        held: BoolArray = self._number_bags.sizes[rows] == shared_counts(self._number_bags, rows, columns)
        return held

    def shared_words(self, rows: IntArray, columns: IntArray) -> NDArray[np.float64]:
        """Share of the distinct words of the text with fewer that the other has; 1 where it has none."""
        sizes = np.minimum(self._bags.sizes[rows], self._bags.sizes[columns])
        shared = shared_counts(self._bags, rows, columns)
        return np.where(sizes == 0, 1.0, shared / np.maximum(sizes, 1))

    @cached_property
    def _bags(self) -> HeldBags:
        return HeldBags(self._words)

    @cached_property
    def _is_number(self) -> BoolArray:
        return number_words(self._batch.vocabulary.words())

    @cached_property
    def _number_bags(self) -> HeldBags:
        return HeldBags(_only(self._words, self._is_number))

    @cached_property
    def _sequences(self) -> HashArray:
        hashes = np.zeros(len(self._words), dtype=np.uint64)
        worded = self._words.lengths > 0
        offsets = self._words.offsets
        hashes[worded] = slice_hashes(self._words.values, offsets[:-1][worded], offsets[1:][worded])
        seen: dict[str, int] = {}
        for row in np.flatnonzero(~worded).tolist():
            hashes[row] = seen.setdefault(folded(self._batch.texts[row]), len(seen))
        return hashes

    @cached_property
    def _multisets(self) -> HashArray:
        return _multiset_hashes(self._words)

    @cached_property
    def _number_multisets(self) -> HashArray:
        return _multiset_hashes(self._words, self._is_number)


def _only(rows: Ragged, wanted: BoolArray) -> Ragged:
    """The rows without numbers that are not wanted.

    Args:
        rows: n rows of numbers.
        wanted: shape (numbers,), of each number.
    """
    values, counts = Growing(np.int32), np.zeros(len(rows), dtype=np.int64)
    for part in row_blocks(rows.offsets, _BLOCK):
        block = rows.part(part)
        places = np.flatnonzero(wanted[block.values])
        values.add(block.values[places].astype(np.int32, copy=False))
        counts[part] = np.diff(np.searchsorted(places, block.offsets))
    return Ragged(values.whole(), offsets_of(counts))


def _multiset_hashes(rows: Ragged, wanted: BoolArray | None = None) -> HashArray:
    """A hash of the wanted values of each row in whatever order, shape (n,); 0 for rows without any.

    Args:
        rows: n rows of numbers.
        wanted: shape (numbers,), of each number; ``None`` for all.
    """
    hashes, lengths = np.zeros(len(rows), dtype=np.uint64), rows.lengths
    for part in row_blocks(rows.offsets, _BLOCK):
        filled = lengths[part] > 0
        if filled.any():
            block = rows.part(part)
            mixes = mixed(block.values)
            if wanted is not None:
                mixes[~wanted[block.values]] = 0
            hashes[part][filled] = np.add.reduceat(mixes, block.offsets[:-1][filled])
    return hashes
