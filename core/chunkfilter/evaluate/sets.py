"""Sets of numbers by row: built from pairs, and compared question by question."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkfilter.text.ragged import AnyIntArray, IntArray, Ragged, offsets_of, ranges
from chunkfilter.text.row_sets import sorted_sets

BoolArray = NDArray[np.bool_]
#: One value a question, from 0 to 1.
Values = NDArray[np.float64]

#: Marks held at once: 2 MB, so that they fit into a near cache.
_MARKS = 2_000_000


def sets_of(owners: AnyIntArray, values: AnyIntArray, count: int) -> Ragged:
    """The distinct values of each of ``count`` owners, ascending; pairs of owner and value in any order."""
    order = np.argsort(owners, kind="stable")
    lengths = np.bincount(owners, minlength=count)
    return sorted_sets(Ragged(values[order].astype(np.int64), offsets_of(lengths)))


def rows_of(rows: Sequence[AnyIntArray]) -> Ragged:
    """Given rows, one after another."""
    flat = np.concatenate([np.empty(0, np.int64), *rows]).astype(np.int64)
    return Ragged(flat, offsets_of([len(row) for row in rows]))


def first_of_each(codes: IntArray) -> BoolArray:
    """Whether a code, at least 0, stands for the first time in its row; shape (rows, columns)."""
    if not codes.size:
        return np.zeros(codes.shape, dtype=np.bool_)
    apart = codes + np.arange(len(codes))[:, None] * (codes.max() + 1)
    first = np.zeros(codes.size, dtype=np.bool_)
    first[np.unique(apart, return_index=True)[1]] = True
    return first.reshape(codes.shape)


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    r"""Sizes of two sets a question: T_r, what was retrieved, and T_e, what was wanted.

    Args:
        hits: :math:`|T_e \cap T_r|`, shape (q,).
        retrieved: :math:`|T_r|`, shape (q,).
        wanted: :math:`|T_e|`, shape (q,).
    """

    hits: IntArray
    retrieved: IntArray
    wanted: IntArray


def overlap_of_rows(chosen: IntArray, rows: Ragged, wanted: Ragged, size: int) -> Overlap:
    """Compare the union of chosen rows, shape (q, k), -1 for none, with what each question wants.

    Args:
        chosen: row numbers.
        rows: n rows of numbers from 0 to ``size - 1``.
        wanted: the distinct numbers that each question wants, q rows.
        size: one more than the largest number.
    """
    if not len(rows):
        nothing = np.zeros_like(chosen)
        return overlap_of_slices(rows.values, nothing, nothing, wanted, size)
    lengths = np.where(chosen < 0, 0, rows.lengths[chosen])
    return overlap_of_slices(rows.values, rows.offsets[:-1][chosen], lengths, wanted, size)


def overlap_of_slices(
    values: AnyIntArray, starts: IntArray, lengths: IntArray, wanted: Ragged, size: int
) -> Overlap:
    """As :func:`overlap_of_rows`, for slices of ``values``: their starts and lengths, shape (q, k)."""
    count = len(wanted)
    hits, retrieved = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    block = max(_MARKS // max(size, 1), 1)
    for first in range(0, count, block):
        rows = slice(first, min(first + block, count))
        marks = np.zeros((rows.stop - first, size), dtype=np.bool_)
        owners = np.repeat(np.arange(len(marks)), lengths[rows].sum(axis=1))
        marks[owners, values[ranges(starts[rows].ravel(), lengths[rows].ravel())]] = True
        retrieved[rows] = [np.count_nonzero(row) for row in marks]  # ten times as fast as with axis=1
        asked = slice(wanted.offsets[first], wanted.offsets[rows.stop])
        owners = np.repeat(np.arange(len(marks)), wanted.lengths[rows])
        found = marks[owners, wanted.values[asked]]
        hits[rows] = np.bincount(owners[found], minlength=len(marks))
    return Overlap(hits, retrieved, wanted.lengths)
