"""Rule ``simhash@h``: the SimHashes of two chunks differ in at most h of 64 bits."""

import numpy as np

from chunkfilter.filters.batch import Batch
from chunkfilter.filters.buckets import BucketIndex, numbered_buckets, shared_only
from chunkfilter.filters.relation import PairRule, ScoreArray
from chunkfilter.policy import Term
from chunkfilter.signals.shingle_hashes import HashArray
from chunkfilter.signals.simhash import blocks, distances, simhashes
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of
from chunkfilter.text.shingle_sets import SIZE


class _Distance:
    def __init__(self, hashes: HashArray, short: Ragged, most: int) -> None:
        self._hashes = hashes
        self._most = most
        self._short = short.lengths < SIZE

    def __call__(self, rows: IntArray, columns: IntArray) -> ScoreArray:
        """Differing bits, NaN for more than allowed; texts shorter than a shingle are compared exactly."""
        found = distances(self._hashes[rows], self._hashes[columns])
        allowed = np.where(self._short[rows] | self._short[columns], 0, self._most)
        return np.where(found <= allowed, found.astype(np.float64), np.nan)


def _check(batch: Batch, term: Term) -> _Distance:
    return _Distance(simhashes(batch.shingle_hashes), batch.words, int(term.value or 0))


def _index(batch: Batch, term: Term) -> BucketIndex:
    keys = blocks(simhashes(batch.shingle_hashes), int(term.value or 0) + 1)
    rows = Ragged(keys.reshape(-1), offsets_of(np.full(len(keys), keys.shape[1])))
    return BucketIndex(shared_only(numbered_buckets(rows, batch.scopes)), _check(batch, term))


SIMHASH = PairRule(cost=2, check=_check, index=_index)
