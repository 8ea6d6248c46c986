"""Where sentences and shingles stand: inverted lists over the batch."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkfilter.filters.batch import BoolArray
from chunkfilter.text.ragged import AnyIntArray, IntArray, Ragged, offsets_of
from chunkfilter.text.slices import BLOCK, HashArray, group_equals, mixed, shingle_hashes

RowArray = NDArray[np.int32]

#: Bits of a hash that index a table; with eight bytes an entry it takes half a gigabyte at most.
_MOST_BITS = 26
#: Words whose hashes are held for a second look; of more they are made again.
_REMEMBERED = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class Holders:
    """The rows that give each sentence.

    Args:
        offsets: shape (keys + 1,): rows of key k are ``rows[offsets[k]:offsets[k + 1]]``.
        rows: ascending and distinct for each key.
    """

    offsets: IntArray
    rows: IntArray

    @classmethod
    def of(cls, keys: IntArray, rows: IntArray, wanted: BoolArray) -> "Holders":
        """List the rows of the keys that anyone asks for.

        Args:
            keys: shape (e,), -1 for none.
            rows: shape (e,).
            wanted: shape (number of keys,).
        """
        used = (keys >= 0) & wanted[keys]
        keys, rows = keys[used], rows[used]
        order = np.lexsort((rows, keys))
        keys, rows = keys[order], rows[order]
        fresh = np.ones(len(keys), dtype=np.bool_)
        fresh[1:] = (keys[1:] != keys[:-1]) | (rows[1:] != rows[:-1])
        keys, rows = keys[fresh], rows[fresh]
        return cls(np.searchsorted(keys, np.arange(len(wanted) + 1)), rows)

    def held_elsewhere(self, keys: IntArray, rows: IntArray) -> BoolArray:
        """Whether another row than its own gives each key, shape (e,)."""
        counts = self.offsets[keys + 1] - self.offsets[keys]
        lone = np.flatnonzero(counts == 1)
        elsewhere = counts > 1
        elsewhere[lone] = self.rows[self.offsets[keys[lone]]] != rows[lone]
        return elsewhere


@dataclass(frozen=True, slots=True, eq=False)
class Shingles:
    """Where the runs of ``size`` words stand that someone asks for.

    Args:
        size: number of words.
        group: shape (total,): group of the shingle that starts at each place, -1 if nobody gives it.
        elsewhere: shape (total,): whether another row than its own gives the shingle at each place.
        offsets: shape (groups + 1,): the places of group g are ``places[offsets[g]:offsets[g + 1]]``.
        places: where the shingles of each group start in the rows that give, ascending.
    """

    size: int
    group: NDArray[np.int32]
    elsewhere: BoolArray
    offsets: IntArray
    places: IntArray

    @classmethod
    def of(
        cls,
        words: Ragged,
        rows: RowArray,
        size: int,
        wanted: BoolArray,
        active: BoolArray,
        gives: BoolArray,
        scopes: IntArray,
    ) -> "Shingles":
        """Find the shingles that are asked for in the rows that give.

        Args:
            words: n rows.
            rows: shape (total,): the row of each word.
            size: number of words.
            wanted: shape (total,): shingles that are asked for, by where they start.
            active: shape (n,): rows that take part.
            gives: shape (n,): those of them that may stand for others.
            scopes: shape (n,): shingles of different scope are different.
        """
        values = words.values
        places, hashes = _possibly_shared(values, size, wanted, rows, active)
        scope = scopes[rows[places]]

        def same(one: IntArray, other: IntArray) -> BoolArray:
            equal: BoolArray = scope[one] == scope[other]
            for shift in range(size):
                equal &= values[places[one] + shift] == values[places[other] + shift]
            return equal

        order, groups = group_equals(hashes ^ mixed(scope), same)
        return cls._listed(size, len(values), places[order], groups, rows[places[order]], gives)

    @classmethod
    def _listed(
        cls, size: int, total: int, places: IntArray, groups: IntArray, rows: RowArray, gives: BoolArray
    ) -> "Shingles":
        given = gives[rows]
        first = _heads(groups[given])
        counts = np.append(first[1:], np.count_nonzero(given)).astype(np.int64) - first
        number_of = np.full(int(groups[-1]) + 1 if len(groups) else 0, -1, dtype=np.int64)
        number_of[groups[given][first]] = np.arange(len(first))
        number = number_of[groups]
        found = number >= 0
        number, asking, rows_asking = number[found], places[found], rows[found]
        rows_given = rows[given]
        group = np.full(total, -1, dtype=np.int32)
        group[asking] = number
        elsewhere = np.zeros(total, dtype=np.bool_)
        last = first + counts - 1
        elsewhere[asking] = (rows_given[first[number]] != rows_asking) | (
            rows_given[last[number]] != rows_asking
        )
        return cls(size, group, elsewhere, offsets_of(counts), places[given])


def _heads(groups: IntArray) -> IntArray:
    """Where each group begins, for ascending groups."""
    return np.flatnonzero(np.append(True, groups[1:] != groups[:-1])[: len(groups)])


def _possibly_shared(
    values: AnyIntArray, size: int, wanted: BoolArray, rows: RowArray, active: BoolArray
) -> tuple[IntArray, HashArray]:
    """Places, and their hashes, that may hold a shingle which is wanted and stands in two places.

    Two tables of bits of the hashes leave out nearly all others before anything is sorted.
    """
    bits = min(max(int(np.count_nonzero(wanted)).bit_length() + 3, 10), _MOST_BITS)
    low, high = np.uint64((1 << bits) - 1), np.uint64(64 - bits)
    asked = np.zeros(1 << bits, dtype=np.bool_)
    blocks = list(_hashed(values, size, rows, active)) if len(values) <= _REMEMBERED else None
    for start, hashes, inside in blocks or _hashed(values, size, rows, active):
        asked[hashes[inside & wanted[start : start + len(hashes)]] & low] = True
    places, kept = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.uint64)]
    for start, hashes, inside in blocks or _hashed(values, size, rows, active):
        chosen = np.flatnonzero(inside & asked[hashes & low])
        places.append(chosen + start)
        kept.append(hashes[chosen])
    place, hashed = np.concatenate(places), np.concatenate(kept)
    twice = np.bincount((hashed >> high).astype(np.int64), minlength=1)[hashed >> high] > 1
    return place[twice], hashed[twice]


def _hashed(
    values: AnyIntArray, size: int, rows: RowArray, active: BoolArray
) -> Iterator[tuple[int, HashArray, BoolArray]]:
    """Block by block: its start, hashes of its shingles, and which lie inside one row that takes part."""
    for start in range(0, max(len(values) - size + 1, 0), BLOCK):
        hashes = shingle_hashes(values[start : start + BLOCK + size - 1], size)
        first, last = (
            rows[start : start + len(hashes)],
            rows[start + size - 1 : start + size - 1 + len(hashes)],
        )
        yield start, hashes, (first == last) & active[first]
