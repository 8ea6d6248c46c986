"""Exact copies, which go first: the same words in the same order, or without words the same text."""

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.text.keys import folded
from chunkfilter.text.ragged import IntArray, ranges
from chunkfilter.text.slices import equal_slices, group_equals, mixed, slice_hashes


def twins(batch: Batch, active: BoolArray) -> IntArray:
    """For each chunk the first one of its words that stays for it, or -1, shape (len(batch),).

    A twin is of the same scope, and an embedder sees as much of it: white space and punctuation that words do
    not count may push the end of a copy out of its window.

    Args:
        batch: n chunks.
        active: shape (n,): chunks that take part.
    """
    twin = np.full(len(batch), -1, dtype=np.int64)
    rows = np.flatnonzero(active & (batch.words.lengths > 0))
    order, groups = _grouped(batch, rows)
    ranked = rows[order]
    if len(ranked):
        first = ranked[np.flatnonzero(np.append(True, np.diff(groups) != 0))]
        twin[ranked] = np.repeat(first, np.unique(groups, return_counts=True)[1])
    without_words: dict[tuple[str, int], int] = {}
    for row in np.flatnonzero(active & (batch.words.lengths == 0)).tolist():
        twin[row] = without_words.setdefault((folded(batch.texts[row]), int(batch.scopes[row])), row)
    own = np.arange(len(batch))
    twin[(twin == own) | (own < batch.stored) | (batch.visible_words > batch.visible_words[twin])] = -1
    return twin


def _grouped(batch: Batch, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Order of some rows by their words and scope, and the group of each in that order."""
    words, scopes = batch.words, batch.scopes[rows]
    lengths = words.lengths[rows]
    values = words.values[ranges(words.offsets[rows], lengths)]
    ends = np.cumsum(lengths)
    starts = ends - lengths

    def same(one: IntArray, other: IntArray) -> BoolArray:
        equal: BoolArray = scopes[one] == scopes[other]
        return equal & equal_slices(values, starts, ends, one, other)

    return group_equals(slice_hashes(values, starts, ends) ^ mixed(scopes), same)
