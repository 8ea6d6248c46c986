"""What each chunk needs to be covered, and what it can give: sentences and runs, as arrays over the batch."""

from dataclasses import dataclass

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.coverage.edges import known_edges
from chunkfilter.text.ragged import AnyIntArray, IntArray
from chunkfilter.text.sentences import Sentences
from chunkfilter.text.slices import equal_slices, group_equals, mixed, slice_hashes


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The sentences of a batch and what they ask for.

    A sentence is known by a key that is equal for equal words in the same scope: an even one for a sentence
    that ends for certain, the odd one above it for words that end with their chunk, open to more.

    Args:
        sentences: s sentences of n chunks.
        rows: shape (s,): the chunk of each sentence.
        needed: shape (s,): key that a keeper must give; -1 for a part of a sentence, which needs runs.
        instead: shape (s,): for a part that looks whole, the key that does as well as runs; else -1.
        closed: shape (s,): even key if the sentence stands as one of its own, else -1.
        open: shape (s,): odd key that it gives: sentences of their own and last words of a chunk; else -1.
        seen: shape (n,): one past the last word that the embedder sees, a place in the flat words.
    """

    sentences: Sentences
    rows: IntArray
    needed: IntArray
    instead: IntArray
    closed: IntArray
    open: IntArray
    seen: IntArray


def find_units(batch: Batch) -> Units:
    """Find what each chunk of a batch needs and gives.

    What a chunk's neighbours tell can only make its needs easier and add to what it gives: with fewer
    neighbours, nothing more is redundant. That its document begins with it, it knows by itself.
    """
    words = batch.words
    sentences = batch.sentences
    rows = np.repeat(np.arange(len(batch), dtype=np.int64), np.diff(sentences.first))
    keys = _keys(words.values, sentences, batch.scopes[rows])
    edges = known_edges(batch.chunks, batch.reading_order)
    filled = np.diff(sentences.first) > 0
    first, last = sentences.first[:-1][filled], sentences.first[1:][filled] - 1
    looks_whole, gives, cut, ends, open_end = (np.zeros(len(rows), dtype=np.bool_) for _ in range(5))
    looks_whole[:] = gives[:] = ends[:] = True
    looks_whole[first] = (sentences.opened | ~sentences.lower | edges.opening)[filled]
    gives[first] = looks_whole[first] | (edges.starts == 1)[filled]
    ends[last] = (sentences.closed | (edges.ends == 1))[filled]
    open_end[last] = ~sentences.closed[filled]
    cut[first] = (edges.starts == -1)[filled]
    cut[last] |= (edges.ends == -1)[filled] & open_end[last]
    asked = np.where(looks_whole, keys + open_end, -1)
    return Units(
        sentences,
        rows,
        np.where(cut, -1, asked),
        np.where(cut, asked, -1),
        np.where(gives & ends, keys, -1),
        np.where(gives, keys + 1, -1),
        words.offsets[:-1] + batch.visible_words,
    )


def _keys(values: AnyIntArray, sentences: Sentences, scopes: IntArray) -> IntArray:
    """Even numbers, equal for equal sentences of one scope."""
    starts, ends = sentences.starts, sentences.ends
    hashes = slice_hashes(values, starts, ends)
    hashes ^= mixed(scopes)

    def same(one: IntArray, other: IntArray) -> BoolArray:
        equal: BoolArray = scopes[one] == scopes[other]
        return equal & equal_slices(values, starts, ends, one, other)

    order, groups = group_equals(hashes, same)
    keys = np.empty(len(starts), dtype=np.int64)
    keys[order] = 2 * groups
    return keys
