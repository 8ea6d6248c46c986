"""Rule ``simhash@h``: the SimHashes of two chunks differ in at most h of 64 bits."""

import numpy as np

from chunkfilter.policy import RuleSyntax, Term
from chunkfilter.rules.batch import Batch
from chunkfilter.rules.buckets import BucketIndex, numbered_buckets, shared_only
from chunkfilter.rules.rule import Certify, Rule, Run, ScoreArray, of_pair
from chunkfilter.signals.shingle_hashes import HashArray, shingle_hash
from chunkfilter.signals.simhash import blocks, distances, simhashes
from chunkfilter.text.normalise import tokens
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of
from chunkfilter.text.shingle_sets import SIZE, text_shingles


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
    return _Distance(simhashes(batch.shingle_hashes), batch.tokens, int(term.value or 0))


def _index(batch: Batch, term: Term) -> BucketIndex:
    keys = blocks(simhashes(batch.shingle_hashes), int(term.value or 0) + 1)
    rows = Ragged(keys.reshape(-1), offsets_of(np.full(len(keys), keys.shape[1])))
    return BucketIndex(shared_only(numbered_buckets(rows, batch.scopes)), _check(batch, term))


def simhash_of_text(text: str) -> int:
    """SimHash of one text: bit b is set if more than half of its shingles' hashes have it."""
    hashes = [shingle_hash(shingle) for shingle in text_shingles(text)]
    return sum(1 << bit for bit in range(64) if 2 * sum(one >> bit & 1 for one in hashes) > len(hashes))


def _certify(run: Run) -> Certify:
    def score(term: Term, removed: int, kept: int) -> float:
        texts = run.chunks[removed].text, run.chunks[kept].text
        if min(len(tokens(text)) for text in texts) < SIZE:
            return 0.0 if tokens(texts[0]) == tokens(texts[1]) else float("nan")
        distance = (simhash_of_text(texts[0]) ^ simhash_of_text(texts[1])).bit_count()
        return float(distance) if distance <= (term.value or 0.0) else float("nan")

    return of_pair(score)


SIMHASH = Rule(RuleSyntax(default=3, high=8, integer=True), _certify, cost=2, check=_check, index=_index)
