"""Rule ``minhash@t``: the shingle sets of two chunks have a Jaccard similarity of at least t.

Pairs are found by bands of MinHash signatures (with a probability of at least 0.995 at the threshold) and
decided by the sets themselves: an estimate near the threshold would be a coin toss.
"""

import numpy as np

from chunkfilter.policy import RuleSyntax, Term
from chunkfilter.rules.batch import Batch
from chunkfilter.rules.buckets import BucketIndex, shared_columns
from chunkfilter.rules.rule import Certify, Rule, Run, ScoreArray, of_pair
from chunkfilter.signals.minhash import band_keys, bands_for, signatures
from chunkfilter.text.ragged import IntArray
from chunkfilter.text.set_sketches import SetSketches
from chunkfilter.text.shared_counts import shared_counts
from chunkfilter.text.shingle_sets import ShingleBags, text_shingles


class _Jaccard:
    def __init__(self, shingles: ShingleBags, threshold: float) -> None:
        self._shingles = shingles
        self._sketches = SetSketches(shingles.hashes(), shingles.sizes)
        self._threshold = threshold

    def __call__(self, rows: IntArray, columns: IntArray) -> ScoreArray:
        """Jaccard similarity, NaN below the threshold."""
        left, right = self._shingles.sizes[rows], self._shingles.sizes[columns]
        most = np.minimum(self._sketches.most_shared(rows, columns), np.minimum(left, right))
        hopeful = np.flatnonzero(most / (left + right - most) >= self._threshold)
        shared = shared_counts(self._shingles, rows[hopeful], columns[hopeful])
        similarity = shared / (left[hopeful] + right[hopeful] - shared)
        scores = np.full(len(rows), np.nan)
        scores[hopeful] = np.where(similarity >= self._threshold, similarity, np.nan)
        return scores


def _check(batch: Batch, term: Term) -> _Jaccard:
    return _Jaccard(batch.shingle_bags(), float(term.value or 0.0))


def _index(batch: Batch, term: Term) -> BucketIndex:
    """What a million chunks would fill gigabytes with, signatures and sets, is not held for all of them."""
    threshold = float(term.value or 0.0)
    bands = bands_for(threshold)
    buckets = shared_columns(_keys(batch, *bands), batch.scopes)
    return BucketIndex(buckets, _Jaccard(batch.shingle_bags(buckets.lengths > 0), threshold))


def _keys(batch: Batch, bands: int, rows: int) -> IntArray:
    """A key for each band of each chunk, shape (n, bands)."""
    keys, done = np.empty((len(batch), bands), dtype=np.int64), 0
    for part in batch.shingle_hash_blocks():
        keys[done : done + len(part)] = band_keys(signatures(part), bands, rows)
        done += len(part)
    return keys


def _certify(run: Run) -> Certify:
    def score(term: Term, removed: int, kept: int) -> float:
        one, other = (set(text_shingles(run.chunks[place].text)) for place in (removed, kept))
        similarity = len(one & other) / len(one | other)
        return similarity if similarity >= (term.value or 0.0) else float("nan")

    return of_pair(score)


MINHASH = Rule(RuleSyntax(default=0.8, low=0.1), _certify, cost=1, check=_check, index=_index)
