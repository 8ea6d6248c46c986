"""Exact copies, which go first: the same words in the same order, or without words the same text."""

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.text.keys import folded
from chunkfilter.text.ragged import IntArray, ranges
from chunkfilter.text.slices import equal_slices, group_equals, mixed, slice_hashes


class Copies:
    """Chunks of equal words and scope.

    One stands for another only if an embedder sees as much of it: white space and punctuation, which words
    do not count, may push the end of a copy out of its window.

    Args:
        batch: n chunks.
        active: shape (n,): chunks that take part.
    """

    def __init__(self, batch: Batch, active: BoolArray) -> None:
        self._visible = batch.visible_words
        self._group = _groups(batch, active)
        self._stored = batch.stored
        several = np.bincount(self._group, minlength=len(batch)) > 1
        rows = np.flatnonzero(several[self._group])
        order = rows[np.argsort(self._group[rows], kind="stable")]
        heads = np.flatnonzero(np.append(True, np.diff(self._group[order]) != 0)[: len(order)])
        self._members = {int(members[0]): members for members in np.split(order, heads[1:]) if len(order)}

    def first_copies(self) -> dict[int, int]:
        """For each chunk that has a copy more wanted than itself, the most wanted one."""
        return {
            row: first
            for first, members in self._members.items()
            for row in members[1:].tolist()
            if row >= self._stored and self._visible[row] <= self._visible[first]
        }

    def standing(self, row: int, stays: BoolArray) -> int | None:
        """The most wanted copy of a chunk that stays, other than itself."""
        for other in self._members.get(int(self._group[row]), ()):
            if other != row and stays[other] and self._visible[row] <= self._visible[other]:
                return int(other)
        return None

    def same(self, row: int, keepers: tuple[int, ...]) -> bool:
        """Whether a chunk is a copy of its only keeper."""
        return len(keepers) == 1 and bool(self._group[row] == self._group[keepers[0]])


def _groups(batch: Batch, active: BoolArray) -> IntArray:
    """For each active chunk the first active one that is a copy of it, itself included, shape (n,)."""
    group = np.arange(len(batch), dtype=np.int64)
    rows = np.flatnonzero(active & (batch.words.lengths > 0))
    order, numbers = _grouped(batch, rows)
    ranked = rows[order]
    heads = np.flatnonzero(np.append(True, np.diff(numbers) != 0)[: len(numbers)])
    group[ranked] = np.repeat(ranked[heads], np.diff(np.append(heads, len(ranked))))
    without_words: dict[tuple[str, int], int] = {}
    for row in np.flatnonzero(active & (batch.words.lengths == 0)).tolist():
        group[row] = without_words.setdefault((folded(batch.texts[row]), int(batch.scopes[row])), row)
    return group


def _grouped(batch: Batch, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Order of some rows by their words and scope, and the group of each in that order."""
    words, scopes = batch.words, batch.scopes[rows]
    lengths = words.lengths[rows]
    everything = int(lengths.sum()) == len(words.values)
    values = words.values if everything else words.values[ranges(words.offsets[rows], lengths)]
    ends = np.cumsum(lengths)
    starts = ends - lengths

    def same(one: IntArray, other: IntArray) -> BoolArray:
        equal: BoolArray = scopes[one] == scopes[other]
        return equal & equal_slices(values, starts, ends, one, other)

    return group_equals(slice_hashes(values, starts, ends) ^ mixed(scopes), same)
