"""The word 3-grams of texts, as sets of numbers that are equal exactly when the 3-grams are.

A text of fewer words is its own single shingle: it is like nothing but a copy of itself.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chunkfilter.text.keys import folded
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of, ranges, row_blocks
from chunkfilter.text.row_sets import sorted_sets
from chunkfilter.text.words import words

SIZE = 3
#: Words whose shingles are put into sets at once.
_BLOCK = 1 << 20
Shingle = tuple[str, ...]


def text_shingles(text: str) -> list[Shingle]:
    """The shingles of one text in order: its word 3-grams, or all of a text with fewer words.

    A text without words has one shingle, the text with white space folded.
    """
    found = words(text)
    if len(found) < SIZE:
        return [tuple(found) or ("", folded(text))]
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


def shingle_sets(
    texts: Sequence[str], rows: Ragged, vocabulary: int, chosen: NDArray[np.bool_] | None = None
) -> Ragged:
    """The set of shingles of each text, n sorted rows of int64.

    Args:
        texts: n texts.
        rows: their words as numbers below ``vocabulary``.
        vocabulary: number of words.
        chosen: shape (n,): texts whose sets are asked for, the others get empty ones; ``None`` for all.
    """
    base, short = max(vocabulary, 1), dict[bytes | str, int]()
    chosen = np.ones(len(rows), dtype=np.bool_) if chosen is None else chosen
    # packed numbers mean the same in every block only where three of them need not be numbered anew
    size = _BLOCK if base**SIZE <= np.iinfo(np.int64).max else max(len(rows.values), 1)
    values, lengths, done = np.empty(len(rows.values) + len(rows), dtype=np.int64), list[IntArray](), 0
    for part in row_blocks(rows.offsets, size):
        found = _sets(texts[part], rows.part(part), base, chosen[part], short)
        values[done : done + len(found.values)] = found.values
        lengths.append(found.lengths)
        done += len(found.values)
    return Ragged(values[:done], offsets_of(np.concatenate(lengths)))  # memory that is not written takes none


def _sets(
    texts: Sequence[str], rows: Ragged, base: int, chosen: NDArray[np.bool_], short: dict[bytes | str, int]
) -> Ragged:
    """The sets of a block; ``short`` numbers the texts that are one shingle, in all blocks."""
    counts = np.where(chosen, np.maximum(rows.lengths - SIZE + 1, 0), 0)
    lone = chosen & (counts == 0)
    offsets = offsets_of(np.where(lone, 1, counts))
    values = np.empty(offsets[-1], dtype=np.int64)
    for row in np.flatnonzero(lone).tolist():
        key = rows[row].tobytes() or folded(texts[row])
        values[offsets[row]] = -1 - short.setdefault(key, len(short))
    values[ranges(offsets[:-1], counts)] = _packed(rows.values, ranges(rows.offsets[:-1], counts), base)
    return sorted_sets(Ragged(values, offsets))


def _packed(values: np.ndarray, places: IntArray, base: int) -> IntArray:
    """Three numbers of words in one; pairs are renumbered first where three do not fit into 63 bits."""
    numbers = np.asarray(values, dtype=np.int64)
    packed = numbers[places]
    for step in range(1, SIZE):
        if (int(packed.max(initial=0)) + 1) * base > np.iinfo(np.int64).max:
            packed = np.unique(packed, return_inverse=True)[1].reshape(-1)
        packed = packed * base + numbers[places + step]
    return packed
