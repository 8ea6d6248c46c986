"""How much pairs of rows share as sets, for whole batches at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkfilter.text.bags import Bags
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of, ranges
from chunkfilter.text.row_sets import sorted_sets, tiles

#: Pairs of one row that are counted together by marks; fewer are sorted.
_RUN = 16


def shared_counts(bags: Bags, left: IntArray, right: IntArray) -> IntArray:
    """How many values the rows ``left[i]`` and ``right[i]`` share, each value counted once, shape (p,).

    Args:
        bags: n rows.
        left: shape (p,), rows; fastest where many pairs of one row stand together.
        right: shape (p,), rows.
    """
    counts = np.zeros(len(left), dtype=np.int64)
    starts = np.flatnonzero(np.diff(left, prepend=-1))
    lengths = np.diff(starts, append=len(left))
    long = lengths >= _RUN
    runs = ranges(starts[long], lengths[long])
    counts[runs] = _marked_counts(bags, left[starts[long]], lengths[long], right[runs])
    others = ranges(starts[~long], lengths[~long])
    counts[others] = _sorted_counts(bags, left[others], right[others])
    return counts


def _marked_counts(bags: Bags, rows: IntArray, lengths: IntArray, right: IntArray) -> IntArray:
    """The same for runs of pairs of one row: its values are marked, and the marks of the others summed.

    Args:
        bags: as above.
        rows: the row of each run.
        lengths: how many pairs each run has.
        right: the other rows, run after run.
    """
    counts = np.zeros(len(right), dtype=np.int64)
    if not len(rows):
        return counts
    distinct, places = np.unique(right, return_inverse=True)
    sets = _sets_of(bags, np.concatenate([distinct, rows]))
    widths, offsets = sets.lengths[: len(distinct)], sets.offsets[: len(distinct) + 1]
    table, values = np.unique(sets.values[: offsets[-1]], return_inverse=True)
    marks = np.zeros(len(table), dtype=np.int32)
    stop = 0
    marked_rows = sets.part(slice(len(distinct), len(sets)))
    for marked, length in zip(_places_in(table, marked_rows), lengths.tolist(), strict=True):
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


def _sets_of(bags: Bags, rows: IntArray) -> Ragged:
    """Some rows, each value once."""
    taken = Ragged(bags.taken(rows), offsets_of(bags.lengths[rows]))
    return taken if (bags.lengths[rows] == bags.sizes[rows]).all() else sorted_sets(taken)


def _places_in(table: NDArray[Any], sets: Ragged) -> list[IntArray]:
    """For each row the places of its values in a sorted table, of those that are there."""
    places = np.minimum(np.searchsorted(table, sets.values), max(len(table) - 1, 0))
    there = table[places] == sets.values if len(table) else np.zeros(len(places), dtype=np.bool_)
    before = np.concatenate([[0], np.cumsum(there)])
    return np.split(places[there], before[sets.offsets[1:-1]])


def _sorted_counts(bags: Bags, left: IntArray, right: IntArray) -> IntArray:
    """The same for any pairs: both rows are sorted together, so that a shared value stands once more."""
    lengths = bags.lengths
    widths = lengths[left] + lengths[right]
    repeats = widths - bags.sizes[left] - bags.sizes[right]
    counts = np.zeros(len(left), dtype=np.int64)
    for pairs in tiles(np.argsort(widths, kind="stable"), widths):
        one, other = left[pairs], right[pairs]
        values = bags.taken(np.concatenate([one, other]))
        half = int(lengths[one].sum())
        columns = np.arange(int(widths[pairs[-1]]))
        apart = (np.iinfo(values.dtype).min + columns).astype(values.dtype)  # equal to nothing
        matrix = np.broadcast_to(apart, (len(pairs), len(columns))).copy()
        middle, end = lengths[one][:, None], widths[pairs][:, None]
        matrix[columns < middle] = values[:half]
        matrix[(columns >= middle) & (columns < end)] = values[half:]
        matrix.sort(axis=1)
        counts[pairs] = np.count_nonzero(matrix[:, 1:] == matrix[:, :-1], axis=1) - repeats[pairs]
    return counts
