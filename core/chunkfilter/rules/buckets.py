"""An index for rules whose pairs share a bucket: a key, a band of a signature, an entity."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkfilter.rules.rule import NO_PAIRS, Check, Pairs
from chunkfilter.text.lower_bounds import lower_bounds
from chunkfilter.text.ragged import AnyIntArray, BoolArray, IntArray, Ragged, offsets_of, ranges

#: Members looked at in one go, so that they stay in a near cache; the result does not change.
_HITS = 1 << 17


class BucketIndex:
    """Members by the buckets they lie in; a row's pairs are the members of its buckets that pass a check.

    Args:
        buckets: n rows of bucket numbers from 0, each once a row: where a chunk is found.
        check: scores the pairs that share a bucket.
        probes: n rows: where a chunk looks; its own buckets if ``None``.
    """

    def __init__(self, buckets: Ragged, check: Check, probes: Ragged | None = None) -> None:
        sizes = np.bincount(buckets.values)
        self._buckets = buckets
        self._probes = buckets if probes is None else probes
        self._check = check
        self._starts = offsets_of(sizes)[:-1]
        self._filled = np.zeros(len(sizes), dtype=np.int64)
        self._members_by_bucket = np.empty(len(buckets.values), dtype=np.int32)
        self._rows = np.empty(len(buckets), dtype=np.int64)
        self._count = 0

    def add(self, rows: IntArray) -> None:
        """Put members into their buckets; each bucket stays ascending."""
        numbers = np.arange(self._count, self._count + len(rows))
        self._rows[numbers] = rows
        self._count += len(rows)
        buckets, owners = _entries(self._buckets, rows)
        order = np.argsort(buckets, kind="stable")
        distinct, firsts, counts = np.unique(buckets[order], return_index=True, return_counts=True)
        slots = np.repeat(self._starts[distinct] + self._filled[distinct] - firsts, counts) + np.arange(
            len(order)
        )
        self._members_by_bucket[slots] = numbers[owners[order]]
        self._filled[distinct] += counts

    def cut(self, count: int) -> None:
        """Forget all members but the first ``count``: the last ones of their buckets."""
        buckets, _ = _entries(self._buckets, self._rows[count : self._count])
        distinct, counts = np.unique(buckets, return_counts=True)
        self._filled[distinct] -= counts
        self._count = count

    def find(self, rows: IntArray, first: int, last: int) -> Pairs:
        """All pairs of a row and an earlier member numbered ``first`` to ``last`` that pass the check."""
        buckets, owners = _entries(self._probes, rows)
        filled = self._filled[buckets] > 0
        buckets, owners = buckets[filled], owners[filled]
        if not len(buckets):
            return NO_PAIRS
        starts = self._starts[buckets]
        ends = starts + self._filled[buckets]
        if first > 0:
            starts = lower_bounds(self._members_by_bucket, starts, ends, first)
        if last < self._count:
            ends = lower_bounds(self._members_by_bucket, starts, ends, last)
        return Pairs.joined([self._pairs(rows, *part) for part in _portions(owners, starts, ends - starts)])

    def _pairs(self, rows: IntArray, owners: IntArray, starts: IntArray, lengths: IntArray) -> Pairs:
        count = self._count
        pairs = np.repeat(owners.astype(_least_kind(len(rows) * count)) * count, lengths)
        pairs += self._members_by_bucket[ranges(starts, lengths)]
        pairs.sort()
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]
        places = pairs // count
        left, right = rows[places], self._rows[pairs - places * count]
        earlier = right < left
        left, right = left[earlier], right[earlier]
        scores = self._check(left, right)
        return Pairs(left, right, scores).where(~np.isnan(scores))


def _least_kind(count: int) -> type[np.int32] | type[np.int64]:
    """The type whose integers below ``count`` sort fastest."""
    return np.int32 if count <= np.iinfo(np.int32).max else np.int64


def _entries(rows_of_buckets: Ragged, rows: IntArray) -> tuple[AnyIntArray, IntArray]:
    """The buckets of some rows, and for each the place of its row in ``rows``."""
    starts = rows_of_buckets.offsets[rows]
    lengths = rows_of_buckets.offsets[rows + 1] - starts
    return rows_of_buckets.values[ranges(starts, lengths)], np.repeat(np.arange(len(rows)), lengths)


def _portions(
    owners: IntArray, starts: IntArray, lengths: IntArray
) -> list[tuple[IntArray, IntArray, IntArray]]:
    """Cut the entries between rows so that each portion has about ``_HITS`` hits."""
    hit = lengths > 0
    owners, starts, lengths = owners[hit], starts[hit], lengths[hit]
    if not len(owners):
        return []
    first_of_row = np.flatnonzero(np.diff(owners, prepend=-1))
    cuts = first_of_row[1:][np.diff(np.cumsum(lengths)[first_of_row] // _HITS) > 0]
    return list(zip(np.split(owners, cuts), np.split(starts, cuts), np.split(lengths, cuts), strict=True))


def numbered_buckets(keys: Ragged, scopes: IntArray) -> Ragged:
    """Number keys from 0 so that equal numbers mean an equal key in an equal scope.

    Args:
        keys: n rows of keys.
        scopes: shape (n,).
    """
    _, numbers = np.unique(keys.values, return_inverse=True)
    if len(scopes) and scopes.min() != scopes.max():
        _, places = np.unique(scopes, return_inverse=True)
        _, numbers = np.unique(numbers * (int(places.max()) + 1) + places[keys.rows], return_inverse=True)
    return Ragged(numbers.astype(np.int64), keys.offsets)


def shared_columns(keys: IntArray, scopes: IntArray) -> Ragged:
    """Buckets of keys that are equal in a column and scope, only those with several entries.

    Column by column, each small enough to be sorted in a cache.

    Args:
        keys: shape (n, columns).
        scopes: shape (n,).
    """
    count, columns = keys.shape
    numbers: NDArray[Any] = np.empty((count, columns), dtype=_least_kind(keys.size))
    start = 0
    for column in range(columns):
        one_each = Ragged(np.ascontiguousarray(keys[:, column]), np.arange(count + 1))
        buckets = numbered_buckets(one_each, scopes).values
        several = np.bincount(buckets, minlength=1) > 1
        ranks = start + np.cumsum(several) - 1
        numbers[:, column] = np.where(several, ranks, -1)[buckets]
        start = int(ranks[-1]) + 1
    shared = numbers >= 0
    return Ragged(numbers[shared], offsets_of(shared.sum(axis=1)))


def shared_only(buckets: Ragged) -> Ragged:
    """The buckets without those that hold one entry: no pair comes of them."""
    return entries_where(buckets, np.bincount(buckets.values, minlength=1)[buckets.values] > 1)


def entries_where(rows: Ragged, mask: BoolArray) -> Ragged:
    """The entries of a mask, shape (total,), in their rows."""
    return Ragged(rows.values[mask], offsets_of(np.bincount(rows.rows[mask], minlength=len(rows))))
