"""What ``exact`` and ``ner-exact`` share: two chunks are alike if they are of one group."""

from collections.abc import Callable, Hashable, Iterable

import numpy as np

from chunkfilter.filters.batch import Batch
from chunkfilter.filters.buckets import BucketIndex, entries_where, numbered_buckets, shared_only
from chunkfilter.filters.relation import Check, Index, PairRule, ScoreArray
from chunkfilter.policy import Term
from chunkfilter.text.ragged import IntArray, Ragged


def group_rule(cost: int, groups: Callable[[Batch, Term], IntArray]) -> PairRule:
    """A rule that holds, with score 1, between chunks of one group.

    Args:
        cost: see :class:`PairRule`.
        groups: numbers of groups, shape (len(batch),); negative for chunks that are like no other.
    """

    def check(batch: Batch, term: Term) -> Check:
        return _SameGroup(groups(batch, term))

    def index(batch: Batch, term: Term) -> Index:
        numbers = groups(batch, term)
        keys = entries_where(Ragged(numbers, np.arange(len(numbers) + 1)), numbers >= 0)
        return BucketIndex(shared_only(numbered_buckets(keys, batch.scopes)), _SameGroup(numbers))

    return PairRule(cost, check, index)


def numbered(keys: Iterable[Hashable]) -> IntArray:
    """Equal numbers for equal keys, from 0; -1 for the key ``None``."""
    numbers: dict[Hashable, int] = {}
    return np.array(
        [-1 if key is None else numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64
    )


class _SameGroup:
    def __init__(self, groups: IntArray) -> None:
        self._groups = groups

    def __call__(self, rows: IntArray, columns: IntArray) -> ScoreArray:
        """1 for two chunks of one group, else NaN."""
        same = (self._groups[rows] == self._groups[columns]) & (self._groups[rows] >= 0)
        return np.where(same, 1.0, np.nan)
