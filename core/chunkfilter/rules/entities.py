"""Rules about named entities: ``ner-exact``, ``ner-half@h`` and the conjunct ``+ner``.

Chunks without entities are like no other, except under ``ner-exact@paper``. Source of the definitions:
section 3.5 of "Reducing Redundancy in Retrieval-Augmented Generation through Chunk Filtering".
"""

from collections.abc import Callable

import numpy as np

from chunkfilter.errors import MissingSignalError
from chunkfilter.policy import RuleSyntax, Term
from chunkfilter.rules.batch import Batch
from chunkfilter.rules.buckets import BucketIndex, entries_where, numbered_buckets
from chunkfilter.rules.groups import group_rule, numbered
from chunkfilter.rules.rule import Certify, Check, Rule, Run, ScoreArray, of_pair
from chunkfilter.signals.entities import entity_sets
from chunkfilter.text.bags import held_sets
from chunkfilter.text.ragged import IntArray, Ragged
from chunkfilter.text.shared_counts import shared_counts

Entities = frozenset[object]


def _certify(rule: str, of_sets: Callable[[Entities, Entities, Term], float]) -> Callable[[Run], Certify]:
    """Prepare a check that compares the entities of two chunks."""

    def prepare(run: Run) -> Certify:
        if run.signals.get("entities") is None:
            raise MissingSignalError(f"rule {rule!r} was not checked: pass entities= of the run")
        sets = entity_sets(run.signals["entities"], run.texts)
        return of_pair(lambda term, removed, kept: of_sets(sets[removed], sets[kept], term))

    return prepare


def _same_set(removed: Entities, kept: Entities, term: Term) -> float:
    return 1.0 if removed == kept and (removed or term.paper) else float("nan")


def _held_share(removed: Entities, kept: Entities, term: Term) -> float:
    share = len(removed & kept) / max(len(removed), 1)
    return share if share > 0 and share >= (term.value or 0.0) else float("nan")


def _in_common(removed: Entities, kept: Entities, _term: Term) -> float:
    return float("inf") if removed & kept else float("nan")


def _equal_sets(batch: Batch, term: Term) -> IntArray:
    return numbered(row.tobytes() if len(row) or term.paper else None for row in batch.entities)


#: Equal sets of entities, not empty ones; the published variant also takes two empty sets for equal, which
#: its counts need.
NER_EXACT = group_rule(
    RuleSyntax(paper=True, entities=True), _equal_sets, _certify("ner-exact", _same_set), cost=1
)


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


NER_HALF = Rule(
    RuleSyntax(default=0.5, entities=True),
    _certify("ner-half", _held_share),
    cost=2,
    check=_share,
    index=_share_index,
)


class _Intersect:
    def __init__(self, entities: Ragged) -> None:
        self._entities = held_sets(entities)

    def __call__(self, rows: IntArray, columns: IntArray) -> ScoreArray:
        """Infinity where two chunks have an entity in common, else NaN."""
        return np.where(shared_counts(self._entities, rows, columns) > 0, np.inf, np.nan)


def _intersect(batch: Batch, _term: Term) -> Check:
    return _Intersect(batch.entities)


NER = Rule(RuleSyntax(alone=False, entities=True), _certify("ner", _in_common), cost=5, check=_intersect)
