"""Rows as sets: sorted, each value once; how much pairs of them share, for whole batches at once."""

import numpy as np

from chunkfilter.text.ragged import AnyIntArray, IntArray, Ragged, offsets_of, ranges

#: Values handled at once: keeps the working memory at some tens of megabytes.
_TILE = 1 << 20
_LAST = np.iinfo(np.int64).max


def sorted_sets(rows: Ragged) -> Ragged:
    """Each row sorted ascending, each of its values once.

    Args:
        rows: n rows of values below the largest int64.
    """
    lengths = rows.lengths
    by_length = np.argsort(lengths, kind="stable")
    by_length = by_length[lengths[by_length] > 0]
    result, sizes = np.empty(len(rows.values), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    for tile in _tiles(by_length, lengths):
        widths = lengths[tile]
        places = ranges(rows.offsets[tile], widths)
        matrix = np.full((len(tile), int(widths.max())), _LAST)
        inside = np.arange(matrix.shape[1]) < widths[:, None]
        matrix[inside] = rows.values[places]
        matrix.sort(axis=1)
        fresh = matrix != _LAST
        fresh[:, 1:] &= matrix[:, 1:] != matrix[:, :-1]
        sizes[tile] = fresh.sum(axis=1)
        result[ranges(rows.offsets[tile], sizes[tile])] = matrix[fresh]
    return Ragged(result[ranges(rows.offsets[:-1], sizes)], offsets_of(sizes))


def _tiles(order: IntArray, lengths: IntArray) -> list[IntArray]:
    """Rows of like length together, about ``_TILE`` values at once."""
    tile = np.cumsum(lengths[order]) // _TILE
    return [part for part in np.split(order, np.flatnonzero(np.diff(tile)) + 1) if len(part)]


def shared_counts(sets: Ragged, left: IntArray, right: IntArray) -> IntArray:
    """How many values the sets ``left[i]`` and ``right[i]`` share, shape (p,).

    Args:
        sets: rows made by :func:`sorted_sets`.
        left: shape (p,), rows; the smaller sets are looked up in the larger ones.
        right: shape (p,), rows.
    """
    lengths = sets.lengths
    swap = lengths[left] > lengths[right]
    small, large = np.where(swap, right, left), np.where(swap, left, right)
    counts = np.zeros(len(left), dtype=np.int64)
    pair_tiles = np.flatnonzero(np.diff(np.cumsum(lengths[small]) // _TILE)) + 1
    for pairs in np.split(np.arange(len(left)), pair_tiles):
        if not len(pairs):
            continue
        widths = lengths[small[pairs]]
        wanted = sets.values[ranges(sets.offsets[small[pairs]], widths)]
        starts = np.repeat(sets.offsets[large[pairs]], widths)
        ends = np.repeat(sets.offsets[large[pairs] + 1], widths)
        places = lower_bounds(sets.values, starts, ends, wanted)
        found = places < ends
        found[found] = sets.values[places[found]] == wanted[found]
        counts[pairs] = np.bincount(np.repeat(np.arange(len(pairs)), widths)[found], minlength=len(pairs))
    return counts


def lower_bounds(
    values: AnyIntArray,
    starts: IntArray,
    ends: IntArray,
    wanted: AnyIntArray | int,
) -> IntArray:
    """For each slice ``values[start:end]``, sorted, the first place of a value >= wanted, shape (s,)."""
    low, high = starts.copy(), ends.copy()
    last = max(len(values) - 1, 0)
    for _ in range(int((ends - starts).max(initial=0)).bit_length()):
        middle = (low + high) >> 1
        less = (values[np.minimum(middle, last)] < wanted) & (low < high)
        low = np.where(less, middle + 1, low)
        high = np.where(less, high, middle)
    return low
