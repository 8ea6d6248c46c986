"""Equal slices of words brought together: sentences, and runs of n words (shingles)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from chunkfilter.text.ragged import AnyIntArray, IntArray, ranges

HashArray = NDArray[np.uint64]

#: Values hashed at once: keeps the working memory at some tens of megabytes.
BLOCK = 1 << 20

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def mixed(numbers: AnyIntArray | HashArray) -> HashArray:
    """64 well mixed bits of each number: the finaliser of splitmix64 (Steele, Lea and Flood, 2014)."""
    bits = numbers.astype(np.uint64)
    bits += _GOLDEN
    bits ^= bits >> np.uint64(30)
    bits *= _FIRST
    bits ^= bits >> np.uint64(27)
    bits *= _SECOND
    bits ^= bits >> np.uint64(31)
    return bits


def _powers(count: int) -> HashArray:
    powers = np.full(max(count, 1), _SECOND, dtype=np.uint64)
    powers[0] = 1
    return np.multiply.accumulate(powers)


def slice_hashes(values: AnyIntArray, starts: IntArray, ends: IntArray) -> HashArray:
    """A hash of each slice ``values[start:end]``, shape (s,); the slices are not empty and do not overlap.

    Args:
        values: shape (total,), numbers of words.
        starts: shape (s,), ascending, every slice ending where the next begins.
        ends: shape (s,).
    """
    lengths = ends - starts
    powers = _powers(int(lengths.max(initial=1)))
    hashes = np.empty(len(starts), dtype=np.uint64)
    first = 0
    while first < len(starts):
        last = max(first + 1, int(np.searchsorted(ends, starts[first] + BLOCK, side="right")))
        terms = mixed(values[starts[first] : ends[last - 1]])
        offsets = starts[first:last] - starts[first]
        terms *= powers[np.arange(len(terms)) - np.repeat(offsets, lengths[first:last])]
        hashes[first:last] = np.add.reduceat(terms, offsets) + lengths[first:last].astype(np.uint64)
        first = last
    return mixed(hashes)


def shingle_hashes(values: AnyIntArray, size: int) -> HashArray:
    """A hash of the ``size`` numbers that start at each place, shape (max(total - size + 1, 0),)."""
    count = max(len(values) - size + 1, 0)
    terms = mixed(values)
    hashes = np.zeros(count, dtype=np.uint64)
    for place, power in enumerate(_powers(size)):
        hashes += terms[place : place + count] * power
    return mixed(hashes)


def group_equals(
    hashes: HashArray, same: Callable[[IntArray, IntArray], NDArray[np.bool_]]
) -> tuple[IntArray, IntArray]:
    """Bring equal items together.

    Args:
        hashes: shape (k,), equal for equal items.
        same: whether items at two arrays of positions are equal, one answer a pair. Items that only share a
            hash get groups of their own, so a collision can hide an equality but never make one up.

    Returns:
        The order that sorts the items by group, positions ascending inside a group, and the group of each in
        that order, from 0, ascending: shapes (k,) and (k,).
    """
    order = np.argsort(hashes, kind="stable").astype(np.int64, copy=False)
    ranked = hashes[order]
    heads = np.ones(len(order), dtype=np.bool_)
    heads[1:] = ranked[1:] != ranked[:-1]
    groups = np.cumsum(heads) - 1
    followers = np.flatnonzero(~heads)
    leaders = np.flatnonzero(heads)[groups[followers]]
    odd = followers[~same(order[leaders], order[followers])]
    if len(odd):
        groups[odd] = len(order) + np.arange(len(odd))
        resorted = np.argsort(groups, kind="stable")
        order, groups = order[resorted], groups[resorted]
    return order, groups


def equal_slices(
    values: AnyIntArray, starts: IntArray, ends: IntArray, one: IntArray, other: IntArray
) -> NDArray[np.bool_]:
    """Whether slices ``one[i]`` and ``other[i]`` hold the same values, shape (p,).

    Args:
        values: shape (total,).
        starts: shape (s,), start of each slice.
        ends: shape (s,), one past its end.
        one: shape (p,), slices.
        other: shape (p,), slices.
    """
    lengths = ends - starts
    equal: NDArray[np.bool_] = lengths[one] == lengths[other]
    compared = np.where(equal, lengths[one], 0)
    unequal = values[ranges(starts[one], compared)] != values[ranges(starts[other], compared)]
    equal[np.repeat(np.arange(len(one)), compared)[unequal]] = False
    return equal
