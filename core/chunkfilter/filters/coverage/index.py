"""Where sentences and shingles stand: inverted lists over the batch."""

from dataclasses import dataclass

import numpy as np

from chunkfilter.filters.batch import BoolArray
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of
from chunkfilter.text.slices import HashArray, group_equals, mixed, shingle_hashes


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
    group: IntArray
    elsewhere: BoolArray
    offsets: IntArray
    places: IntArray

    @classmethod
    def of(
        cls,
        words: Ragged,
        size: int,
        wanted: BoolArray,
        active: BoolArray,
        gives: BoolArray,
        scopes: IntArray,
    ) -> "Shingles":
        """Find the shingles that are asked for in the rows that give.

        Args:
            words: n rows.
            size: number of words.
            wanted: shape (total,): shingles that are asked for, by where they start.
            active: shape (n,): rows that take part.
            gives: shape (n,): those of them that may stand for others.
            scopes: shape (n,): shingles of different scope are different.
        """
        values, rows = words.values, words.rows
        hashes = shingle_hashes(values, size)
        inside = (rows[: len(hashes)] == rows[size - 1 :]) & active[rows[: len(hashes)]]
        places = _possibly_wanted(hashes, inside, wanted[: len(hashes)] & inside)
        scope = scopes[rows[places]]

        def same(one: IntArray, other: IntArray) -> BoolArray:
            equal: BoolArray = scope[one] == scope[other]
            for shift in range(size):
                equal &= values[places[one] + shift] == values[places[other] + shift]
            return equal

        order, groups = group_equals(hashes[places] ^ mixed(scope), same)
        return cls._listed(size, len(values), places[order], groups, rows[places[order]], gives)

    @classmethod
    def _listed(
        cls, size: int, total: int, places: IntArray, groups: IntArray, rows: IntArray, gives: BoolArray
    ) -> "Shingles":
        given = gives[rows]
        known, first, counts = np.unique(groups[given], return_index=True, return_counts=True)
        number = np.searchsorted(known, groups)
        found = number < len(known)
        found[found] = known[number[found]] == groups[found]
        number, asking, rows_asking = number[found], places[found], rows[found]
        rows_given = rows[given]
        group = np.full(total, -1, dtype=np.int64)
        group[asking] = number
        elsewhere = np.zeros(total, dtype=np.bool_)
        last = first + counts - 1
        elsewhere[asking] = (rows_given[first[number]] != rows_asking) | (
            rows_given[last[number]] != rows_asking
        )
        return cls(size, group, elsewhere, offsets_of(counts), places[given])


def _possibly_wanted(hashes: HashArray, inside: BoolArray, wanted: BoolArray) -> IntArray:
    """Places whose shingle may be wanted: all wanted ones, and those that share low bits with one."""
    asked = hashes[wanted]
    bits = max(len(asked).bit_length() + 3, 10)
    low = np.uint64((1 << bits) - 1)
    table = np.zeros(1 << bits, dtype=np.bool_)
    table[asked & low] = True
    return np.flatnonzero(inside & table[hashes & low])
