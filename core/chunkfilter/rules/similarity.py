"""Rule ``similarity@t``: the cosine of two chunks' vectors is at least t.

Products of float32 matrices find the pairs, at the speed of the machine's BLAS; every pair at or above the
threshold, less a margin wider than their error, is then decided by one float64 product. So the result depends
neither on the number of threads nor on the order in which BLAS adds.
"""

import numpy as np

from chunkfilter.errors import MissingSignalError
from chunkfilter.policy import RuleSyntax, Term
from chunkfilter.rules.batch import Batch
from chunkfilter.rules.rule import NO_PAIRS, Certify, Pairs, Rule, Run, ScoreArray, of_pair
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.signals.vectors import checked_vectors, embed_distinct
from chunkfilter.text.ragged import IntArray

MARGIN = 1e-5
#: Columns multiplied at once.
_TILE = 4096
#: Pairs decided at once.
_PAIRS = 4096


class _Cosine:
    def __init__(self, vectors: FloatArray, threshold: float) -> None:
        self._vectors = vectors
        self._threshold = threshold

    def __call__(self, rows: IntArray, columns: IntArray) -> ScoreArray:
        """Cosine of each pair, NaN below the threshold and for vectors that cannot be compared."""
        scores = np.empty(len(rows))
        for start in range(0, len(rows), _PAIRS):
            part = slice(start, start + _PAIRS)
            left = self._vectors[rows[part]].astype(np.float64)
            right = self._vectors[columns[part]].astype(np.float64)
            squares = (left * left).sum(axis=1) * (right * right).sum(axis=1)
            scores[part] = np.minimum((left * right).sum(axis=1) / np.sqrt(squares), 1.0)
        return np.where(scores >= self._threshold, scores, np.nan)


class _SimilarityIndex:
    def __init__(self, vectors: FloatArray, threshold: float) -> None:
        comparable = ~np.isnan(vectors).any(axis=1)
        self._vectors = vectors if comparable.all() else np.nan_to_num(vectors)
        self._members = np.empty_like(vectors)
        self._rows = np.empty(len(vectors), dtype=np.int64)
        self._count = 0
        self._products = np.empty(0, dtype=np.float32)
        self._check = _Cosine(vectors, threshold)
        self._gate = np.float32(threshold - MARGIN)

    def add(self, rows: IntArray) -> None:
        """Copy the members' vectors side by side."""
        self._rows[self._count : self._count + len(rows)] = rows
        self._members[self._count : self._count + len(rows)] = self._vectors[rows]
        self._count += len(rows)

    def cut(self, count: int) -> None:
        """Forget all members but the first ``count``."""
        self._count = count

    def find(self, rows: IntArray, first: int, last: int) -> Pairs:
        """All pairs of a row and an earlier member numbered ``first`` to ``last`` at the threshold."""
        block = self._vectors[rows]
        hits = [
            self._above_gate(block, start, min(start + _TILE, last)) for start in range(first, last, _TILE)
        ]
        if not any(len(places) for places, _ in hits):
            return NO_PAIRS
        left = rows[np.concatenate([places for places, _ in hits])]
        right = self._rows[np.concatenate([numbers for _, numbers in hits])]
        order = np.lexsort((right, left))
        order = order[right[order] < left[order]]
        left, right = left[order], right[order]
        scores = self._check(left, right)
        return Pairs(left, right, scores).where(~np.isnan(scores))

    def _above_gate(self, block: FloatArray, first: int, last: int) -> tuple[IntArray, IntArray]:
        """Places in the block and numbers of members whose product reaches the threshold less the margin."""
        size = len(block) * (last - first)
        if len(self._products) < size:
            self._products = np.empty(size, dtype=np.float32)  # once: fresh memory costs as much as a tenth
        cosines = self._products[:size].reshape(len(block), last - first)
        np.matmul(block, self._members[first:last].T, out=cosines)
        above = np.flatnonzero(np.greater_equal(cosines, self._gate))
        return above // (last - first), first + above % (last - first)


def _check(batch: Batch, term: Term) -> _Cosine:
    return _Cosine(batch.vectors, float(term.value or 0.0))


def _index(batch: Batch, term: Term) -> _SimilarityIndex:
    return _SimilarityIndex(batch.vectors, float(term.value or 0.0))


#: How far the cosine of the same texts, embedded once more in other batches, may be off.
_TOLERANCE = 1e-5


def _certify(run: Run) -> Certify:
    vectors = run_vectors(run, "similarity")

    def score(term: Term, removed: int, kept: int) -> float:
        left, right = vectors[removed].astype(np.float64), vectors[kept].astype(np.float64)
        lengths = float(np.sqrt((left @ left) * (right @ right)))
        cosine = min(float(left @ right) / lengths, 1.0) if lengths > 0 else float("nan")
        return cosine if cosine >= (term.value or 0.0) - _TOLERANCE else float("nan")

    return of_pair(score)


def run_vectors(run: Run, rule: str) -> FloatArray:
    """The vectors of a run, for its certificate.

    Raises:
        MissingSignalError: neither vectors nor an embedder were given.
    """
    if run.signals.get("vectors") is not None:
        return checked_vectors(run.signals["vectors"], run.chunks)
    if run.signals.get("embedder") is None:
        raise MissingSignalError(f"rule {rule!r} was not checked: pass vectors= or embedder= of the run")
    return embed_distinct(run.texts, run.signals["embedder"])


SIMILARITY = Rule(RuleSyntax(default=0.9, vectors=True), _certify, cost=4, check=_check, index=_index)
