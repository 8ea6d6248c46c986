"""Rows as sets: sorted, each value once; how much pairs of them share, for whole batches at once."""

import numpy as np

from chunkfilter.text.ragged import AnyIntArray, IntArray, Ragged, offsets_of, ranges, row_blocks

#: Values handled at once: keeps the working memory at some tens of megabytes.
_TILE = 1 << 19
#: Values of the rows that are sorted before the next ones.
_BLOCK = 1 << 21
#: Pairs of one row that are counted together by marks; fewer are sorted.
_RUN = 16
_FIRST, _LAST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def sorted_sets(rows: Ragged) -> Ragged:
    """Each row sorted ascending, each of its values once.

    Args:
        rows: n rows of values below the largest int64.
    """
    values, sizes, done = np.empty_like(rows.values), list[IntArray](), 0
    for part in row_blocks(rows.offsets, _BLOCK):
        found = _sorted_sets(rows.part(part))
        values[done : done + len(found.values)] = found.values
        sizes.append(found.lengths)
        done += len(found.values)
    return Ragged(values[:done], offsets_of(np.concatenate(sizes)))


def _sorted_sets(rows: Ragged) -> Ragged:
    lengths = rows.lengths
    result, sizes = np.empty(len(rows.values), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    for tile in _tiles(np.argsort(lengths, kind="stable"), lengths):
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
    """Rows of like length together, about ``_TILE`` values at once; without empty rows.

    Args:
        order: rows by ascending length.
        lengths: length of each row.
    """
    order = order[lengths[order] > 0]
    tile = np.cumsum(lengths[order]) // _TILE
    return [part for part in np.split(order, np.flatnonzero(np.diff(tile)) + 1) if len(part)]


def shared_counts(sets: Ragged, left: IntArray, right: IntArray) -> IntArray:
    """How many values the sets ``left[i]`` and ``right[i]`` share, shape (p,).

    Args:
        sets: rows made by :func:`sorted_sets`, values above the smallest int64 by more than their number.
        left: shape (p,), rows; fastest where many pairs of one row stand together.
        right: shape (p,), rows.
    """
    counts = np.zeros(len(left), dtype=np.int64)
    starts = np.flatnonzero(np.diff(left, prepend=-1))
    lengths = np.diff(starts, append=len(left))
    long = lengths >= _RUN
    runs = ranges(starts[long], lengths[long])
    counts[runs] = _marked_counts(sets, left[starts[long]], lengths[long], right[runs])
    others = ranges(starts[~long], lengths[~long])
    counts[others] = _sorted_counts(sets, left[others], right[others])
    return counts


def _marked_counts(sets: Ragged, rows: IntArray, lengths: IntArray, right: IntArray) -> IntArray:
    """The same for runs of pairs of one row: its values are marked, and the marks of the others summed.

    Args:
        sets: as above.
        rows: the row of each run.
        lengths: how many pairs each run has.
        right: the other rows, run after run.
    """
    counts = np.zeros(len(right), dtype=np.int64)
    if not len(rows):
        return counts
    distinct, places = np.unique(right, return_inverse=True)
    widths = sets.lengths[distinct]
    offsets = offsets_of(widths)
    held = sets.values[ranges(sets.offsets[distinct], widths)].astype(np.int64, copy=False)
    table, values = np.unique(held, return_inverse=True)
    marks = np.zeros(len(table), dtype=np.int32)
    stop = 0
    for marked, length in zip(_places_in(table, sets, rows), lengths.tolist(), strict=True):
        start, stop = stop, stop + length
        chosen = places[start:stop]
        marks[marked] = 1
        if 2 * length >= len(distinct):  # most of them: cheaper than picking
            sums, bounds = np.cumsum(marks[values]), offsets
        else:
            sums = np.cumsum(marks[values[ranges(offsets[chosen], widths[chosen])]])
            bounds, chosen = offsets_of(widths[chosen]), np.arange(length)
        marks[marked] = 0
        before = np.concatenate([[0], sums])[bounds]
        counts[start:stop] = (before[1:] - before[:-1])[chosen]
    return counts


def _places_in(table: IntArray, sets: Ragged, rows: IntArray) -> list[IntArray]:
    """For each row the places of its values in a sorted table, of those that are there."""
    values = sets.values[ranges(sets.offsets[rows], sets.lengths[rows])]
    places = np.minimum(np.searchsorted(table, values), max(len(table) - 1, 0))
    there = table[places] == values if len(table) else np.zeros(len(values), dtype=np.bool_)
    before = np.concatenate([[0], np.cumsum(there)])
    return np.split(places[there], before[offsets_of(sets.lengths[rows])[1:-1]])


def _sorted_counts(sets: Ragged, left: IntArray, right: IntArray) -> IntArray:
    """The same for any pairs: both sets are sorted together, so that a shared value stands twice."""
    lengths = sets.lengths
    widths = lengths[left] + lengths[right]
    counts = np.zeros(len(left), dtype=np.int64)
    for pairs in _tiles(np.argsort(widths, kind="stable"), widths):
        one, other = left[pairs], right[pairs]
        columns = np.arange(int(widths[pairs[-1]]))
        matrix = np.broadcast_to(_FIRST + columns, (len(pairs), len(columns))).copy()
        middle, end = lengths[one][:, None], widths[pairs][:, None]
        matrix[columns < middle] = sets.values[ranges(sets.offsets[one], lengths[one])]
        inside = (columns >= middle) & (columns < end)
        matrix[inside] = sets.values[ranges(sets.offsets[other], lengths[other])]
        matrix.sort(axis=1)
        counts[pairs] = np.count_nonzero(matrix[:, 1:] == matrix[:, :-1], axis=1)
    return counts


def lower_bounds(
    values: AnyIntArray,
    starts: IntArray,
    ends: IntArray,
    wanted: int,
) -> IntArray:
    """For each slice ``values[start:end]``, sorted, the first place of a value >= wanted, shape (s,)."""
    low, high = starts.copy(), ends.copy()
    open_ = np.flatnonzero(low < high)  # long slices take more steps than short ones
    while len(open_):
        middle = (low[open_] + high[open_]) >> 1
        less = values[middle] < wanted
        low[open_[less]] = middle[less] + 1
        high[open_[~less]] = middle[~less]
        open_ = open_[low[open_] < high[open_]]
    return low
