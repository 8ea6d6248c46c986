"""Rule ``minhash@t``: the shingle sets of two chunks have a Jaccard similarity of at least t.

Pairs are found by bands of MinHash signatures (with a probability of at least 0.995 at the threshold) and
decided by the sets themselves: an estimate near the threshold would be a coin toss.
"""

import numpy as np

from chunkfilter.filters.batch import Batch
from chunkfilter.filters.buckets import BucketIndex, numbered_buckets, shared_only
from chunkfilter.filters.relation import PairRule, ScoreArray
from chunkfilter.policy import Term
from chunkfilter.signals.minhash import SignatureArray, band_keys, bands_for, least_agreement, signatures
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of
from chunkfilter.text.row_sets import shared_counts

#: Pairs whose signatures are compared at once.
_PAIRS = 1 << 14
_BYTE_SUMS = np.uint64(0x0101010101010101)


class _Jaccard:
    def __init__(self, sets: Ragged, threshold: float) -> None:
        self._sets = sets
        self._sizes = sets.lengths
        self._threshold = threshold

    def __call__(self, rows: IntArray, columns: IntArray) -> ScoreArray:
        """Jaccard similarity, NaN below the threshold."""
        left, right = self._sizes[rows], self._sizes[columns]
        scores = np.full(len(rows), np.nan)
        hopeful = np.flatnonzero(np.minimum(left, right) >= self._threshold * np.maximum(left, right))
        shared = shared_counts(self._sets, rows[hopeful], columns[hopeful])
        similarity = shared / (left[hopeful] + right[hopeful] - shared)
        scores[hopeful] = np.where(similarity >= self._threshold, similarity, np.nan)
        return scores


class _LikelyJaccard:
    """The Jaccard similarity of pairs whose signatures agree often enough to be worth the look."""

    def __init__(self, exact: _Jaccard, signatures: SignatureArray, threshold: float) -> None:
        self._exact = exact
        self._low_bytes = signatures.astype(np.uint8)
        self._least = least_agreement(threshold)

    def __call__(self, rows: IntArray, columns: IntArray) -> ScoreArray:
        scores = np.full(len(rows), np.nan)
        likely = np.flatnonzero(self._agreements(rows, columns) >= self._least)
        scores[likely] = self._exact(rows[likely], columns[likely])
        return scores

    def _agreements(self, rows: IntArray, columns: IntArray) -> IntArray:
        agreements = np.empty(len(rows), dtype=np.int64)
        for start in range(0, len(rows), _PAIRS):
            part = slice(start, start + _PAIRS)
            equal = np.equal(self._low_bytes[rows[part]], self._low_bytes[columns[part]])
            by_byte = equal.view(np.uint64).sum(axis=1)  # eight counts of at most 16 side by side
            agreements[part] = (by_byte * _BYTE_SUMS) >> np.uint64(56)
        return agreements


def _check(batch: Batch, term: Term) -> _Jaccard:
    return _Jaccard(batch.shingle_sets, float(term.value or 0.0))


def _index(batch: Batch, term: Term) -> BucketIndex:
    threshold = float(term.value or 0.0)
    signed = signatures(batch.shingle_hashes)
    keys = band_keys(signed, *bands_for(threshold))
    rows = Ragged(keys.reshape(-1), offsets_of(np.full(len(keys), keys.shape[1])))
    buckets = shared_only(numbered_buckets(rows, batch.scopes))
    return BucketIndex(buckets, _LikelyJaccard(_check(batch, term), signed, threshold))


MINHASH = PairRule(cost=1, check=_check, index=_index)
