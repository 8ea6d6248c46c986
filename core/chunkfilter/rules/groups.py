"""Rules that hold between chunks of one group: equal texts, equal sets of entities."""

from collections.abc import Callable, Hashable, Iterable

import numpy as np

from chunkfilter.policy import RuleSyntax, Term
from chunkfilter.rules.batch import Batch
from chunkfilter.rules.buckets import BucketIndex, entries_where, numbered_buckets, shared_only
from chunkfilter.rules.rule import Certify, Check, Index, Rule, Run, ScoreArray
from chunkfilter.text.ragged import IntArray, Ragged


def group_rule(
    syntax: RuleSyntax,
    groups: Callable[[Batch, Term], IntArray],
    certify: Callable[[Run], Certify],
    *,
    cost: int,
) -> Rule:
    """A rule that holds, with score 1, between chunks of one group.

    Args:
        syntax: of the rule.
        groups: numbers of groups, shape (len(batch),); negative for chunks that are like no other.
        certify: see :class:`Rule`.
        cost: see :class:`Rule`.
    """

    def check(batch: Batch, term: Term) -> Check:
        return SameGroup(groups(batch, term))

    def index(batch: Batch, term: Term) -> Index:
        return group_index(groups(batch, term), batch.scopes)

    return Rule(syntax, certify, cost, check, index)


def group_index(groups: IntArray, scopes: IntArray) -> Index:
    """An index of chunks by group and scope; negative groups are like no other."""
    keys = entries_where(Ragged(groups, np.arange(len(groups) + 1)), groups >= 0)
    return BucketIndex(shared_only(numbered_buckets(keys, scopes)), SameGroup(groups))


def numbered(keys: Iterable[Hashable]) -> IntArray:
    """Equal numbers for equal keys, from 0; -1 for the key ``None``."""
    numbers: dict[Hashable, int] = {}
    return np.array(
        [-1 if key is None else numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64
    )


class SameGroup:
    """Scores pairs by whether both are of one group.

    Args:
        groups: shape (n,); negative for chunks that are like no other.
    """

    def __init__(self, groups: IntArray) -> None:
        self._groups = groups

    def __call__(self, rows: IntArray, columns: IntArray) -> ScoreArray:
        """1 for two chunks of one group, else NaN."""
        same = (self._groups[rows] == self._groups[columns]) & (self._groups[rows] >= 0)
        return np.where(same, 1.0, np.nan)
