"""Rules about named entities: ``ner-exact``, ``ner-half@h`` and the conjunct ``+ner``.

Chunks without entities are like no other, except under ``ner-exact@paper``. Source of the definitions:
section 3.5 of "Reducing Redundancy in Retrieval-Augmented Generation through Chunk Filtering".
"""

import numpy as np

from chunkfilter.filters.batch import Batch
from chunkfilter.filters.buckets import BucketIndex, entries_where, numbered_buckets
from chunkfilter.filters.groups import group_rule, numbered
from chunkfilter.filters.relation import Check, PairRule, ScoreArray
from chunkfilter.policy import Term
from chunkfilter.text.bags import held_sets
from chunkfilter.text.ragged import IntArray, Ragged
from chunkfilter.text.shared_counts import shared_counts


def _equal_sets(batch: Batch, term: Term) -> IntArray:
    return numbered(row.tobytes() if len(row) or term.paper else None for row in batch.entities)


#: Equal sets of entities, not empty ones; the published variant also takes two empty sets for equal, which
#: its counts need.
NER_EXACT = group_rule(1, _equal_sets)


class _Share:
    def __init__(self, entities: Ragged, least: float) -> None:
        self._entities = held_sets(entities)
        self._least = least

    def __call__(self, rows: IntArray, columns: IntArray) -> ScoreArray:
        """Share of the row's entities that the column has too, NaN if too few or none."""
        shared = shared_counts(self._entities, rows, columns)
        shares = shared / np.maximum(self._entities.sizes[rows], 1)
        return np.where((shared > 0) & (shares >= self._least), shares, np.nan)


def _share(batch: Batch, term: Term) -> _Share:
    return _Share(batch.entities, float(term.value or 0.0))


def _share_index(batch: Batch, term: Term) -> BucketIndex:
    buckets = numbered_buckets(batch.entities, batch.scopes)
    return BucketIndex(buckets, _share(batch, term), rarest_needed(buckets, float(term.value or 0.0)))


def rarest_needed(buckets: Ragged, least: float) -> Ragged:
    """The rarest values of each row, as many as no row that shares ``least`` of all can miss.

    A row of m values that shares at least k of them misses at most m - k, so it has one of any m - k + 1.

    Args:
        buckets: n rows of numbers.
        least: share of a row's values.
    """
    sizes = buckets.lengths
    needed = np.maximum(np.ceil(least * sizes), 1)
    needed -= (needed > 1) & ((needed - 1) / np.maximum(sizes, 1) >= least)
    rarity = np.bincount(buckets.values, minlength=1)[buckets.values]
    order = np.lexsort((buckets.values, rarity, buckets.rows))
    rank = np.arange(len(order)) - np.repeat(buckets.offsets[:-1], sizes)
    ranked = Ragged(buckets.values[order], buckets.offsets)
    return entries_where(ranked, rank < np.repeat(sizes - needed + 1, sizes))


NER_HALF = PairRule(cost=2, check=_share, index=_share_index)


class _Intersect:
    def __init__(self, entities: Ragged) -> None:
        self._entities = held_sets(entities)

    def __call__(self, rows: IntArray, columns: IntArray) -> ScoreArray:
        """Infinity where two chunks have an entity in common, else NaN."""
        return np.where(shared_counts(self._entities, rows, columns) > 0, np.inf, np.nan)


def _intersect(batch: Batch, _term: Term) -> Check:
    return _Intersect(batch.entities)


NER = PairRule(cost=5, check=_intersect)
