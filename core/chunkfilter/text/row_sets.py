"""Rows as sets: sorted, each value once, for whole batches at once."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkfilter.text.ragged import IntArray, Ragged, offsets_of, ranges, row_blocks

#: Values handled at once: keeps the working memory at some tens of megabytes.
_TILE = 1 << 19
#: Rows shorter than this, a power of two, count as of like length.
_SHORT = 8
#: Values of the rows that are sorted before the next ones.
_BLOCK = 1 << 21


def sorted_sets(rows: Ragged) -> Ragged:
    """Each row sorted ascending, each of its values once.

    Args:
        rows: n rows of values below the largest integer of their type.
    """
    values, sizes, done = np.empty_like(rows.values), list[IntArray](), 0
    for part in row_blocks(rows.offsets, _BLOCK):
        found = _sorted_sets(rows.part(part))
        values[done : done + len(found.values)] = found.values
        sizes.append(found.lengths)
        done += len(found.values)
    return Ragged(values[:done], offsets_of(np.concatenate(sizes)))


def distinct_counts(rows: Ragged) -> IntArray:
    """How many distinct values each row has, shape (n,).

    Args:
        rows: n rows of values below the largest integer of their type.
    """
    sizes = np.zeros(len(rows), dtype=np.int64)
    for part in row_blocks(rows.offsets, _BLOCK):
        for tile, _, fresh in _sorted_tiles(rows.part(part)):
            sizes[part][tile] = fresh.sum(axis=1)
    return sizes


def _sorted_sets(rows: Ragged) -> Ragged:
    result, sizes = np.empty_like(rows.values), np.zeros(len(rows), dtype=np.int64)
    for tile, matrix, fresh in _sorted_tiles(rows):
        sizes[tile] = fresh.sum(axis=1)
        result[ranges(rows.offsets[tile], sizes[tile])] = matrix[fresh]
    return Ragged(result[ranges(rows.offsets[:-1], sizes)], offsets_of(sizes))


def _sorted_tiles(rows: Ragged) -> Iterator[tuple[IntArray, NDArray[Any], NDArray[np.bool_]]]:
    """Some rows after others: which, their values sorted, and which of these are seen for the first time."""
    lengths, last = rows.lengths, np.iinfo(rows.values.dtype).max
    for tile in tiles(np.argsort(lengths, kind="stable"), lengths):
        widths = lengths[tile]
        matrix = np.full((len(tile), int(widths.max())), last, dtype=rows.values.dtype)
        matrix[np.arange(matrix.shape[1]) < widths[:, None]] = rows.values[ranges(rows.offsets[tile], widths)]
        matrix.sort(axis=1)
        fresh = matrix != last
        fresh[:, 1:] &= matrix[:, 1:] != matrix[:, :-1]
        yield tile, matrix, fresh


def tiles(order: IntArray, lengths: IntArray) -> list[IntArray]:
    """Rows of like length together, about ``_TILE`` values at once; without empty rows.

    As wide as its longest row, a tile of several rows holds at most twice their values, or ``_SHORT`` a row.

    Args:
        order: rows by ascending length.
        lengths: length of each row.
    """
    order = order[lengths[order] > 0]
    tile = np.cumsum(lengths[order]) // _TILE
    powers = np.frexp(np.maximum(lengths[order], _SHORT - 1))[1]
    cuts = np.flatnonzero((np.diff(tile) > 0) | (np.diff(powers) > 0)) + 1
    return [part for part in np.split(order, cuts) if len(part)]
