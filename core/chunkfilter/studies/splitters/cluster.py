"""``cluster:SIZE``: neighbouring pieces of 50 cl100k tokens joined while they are about the same thing.

The ClusterSemanticChunker of Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (Chroma,
2024): recursive pieces, their vectors, and the division that :func:`best_segments` describes.
"""

import numpy as np
from numpy.typing import NDArray

from chunkfilter.chunk import Span
from chunkfilter.errors import MissingSignalError
from chunkfilter.signals.embedders import Embedder, FloatArray
from chunkfilter.signals.vectors import embed_distinct
from chunkfilter.splitters.recursive import placing_splitter, token_spans
from chunkfilter.splitters.spec import Spec, Splitter, SplitterKind
from chunkfilter.splitters.tokens import cl100k

PIECE_TOKENS = 50
#: 200 pieces a chunk: the gain of every possible chunk is held in memory at once.
LARGEST_SIZE = 10_000

_Reals = NDArray[np.float64]

#: Similarities this close to the mean are equal to it but for rounding.
_ROUNDING = 1e-9


def best_segments(vectors: FloatArray, longest: int) -> list[tuple[int, int]]:
    """Divide a sequence so that similarity within the segments, above the mean, is largest.

    With s(i, j) the dot product of two vectors and m its mean over all pairs i < j of the whole sequence,
    the segments maximise the sum of s(i, j) - m over the pairs inside a segment. Only pairs closer than
    ``longest`` are ever computed; m follows from the sum of the vectors.

    As in the source, the rows before the first gain are not cut into single ones: they form one segment, here
    of at most ``longest`` rows (so a text whose pieces are all equally alike is cut at the full size).

    Source: ClusterSemanticChunker of Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval"
    (Chroma, 2024).

    Args:
        vectors: shape (n, d).
        longest: most vectors in a segment, at least 1.

    Returns:
        ``(first, end)`` of each segment, end exclusive, in order; of equal divisions the one with the shorter
        last segment.
    """
    rows = vectors.astype(np.float64)
    gains = _gains(rows, min(longest, max(len(rows), 1)))
    return _best_division(gains)


def mean_similarity(rows: _Reals) -> float:
    """Mean dot product over all pairs of different rows, 0 for fewer than two rows.

    (|sum of rows|^2 - sum of |row|^2) / (n (n - 1)), which needs no pair at all.
    """
    count = len(rows)
    if count < 2:
        return 0.0
    total = rows.sum(axis=0)
    return float((total @ total - np.einsum("ij,ij->", rows, rows)) / (count * (count - 1)))


def _gains(rows: _Reals, longest: int) -> _Reals:
    """At ``[last, size]``, the gain of the ``size + 1`` rows up to ``last`` as one segment, (n, longest)."""
    count, mean = len(rows), mean_similarity(rows)
    gains = np.full((count, longest), -np.inf)
    gains[:, :1] = 0.0
    to_followers = np.zeros(count)  # of row i: its similarity above the mean to the next `size` rows, summed
    for size in range(1, longest):
        firsts = count - size
        above = np.einsum("ij,ij->i", rows[:firsts], rows[size:]) - mean
        above[np.abs(above) < _ROUNDING] = 0.0
        to_followers[:firsts] += above
        gains[size:, size] = gains[size:, size - 1] + to_followers[:firsts]
    return gains


def _best_division(gains: _Reals) -> list[tuple[int, int]]:
    count, longest = gains.shape
    best = np.zeros(count + 1)
    first = np.zeros(count + 1, dtype=np.int64)
    for end in range(1, count + 1):
        sizes = min(longest, end)
        totals = best[end - sizes : end][::-1] + gains[end - 1, :sizes]
        choice = int(np.argmax(totals))
        best[end] = totals[choice]
        first[end] = end - 1 - choice if best[end] > 0 else end - sizes
    segments: list[tuple[int, int]] = []
    end = count
    while end:
        segments.append((int(first[end]), end))
        end = int(first[end])
    return segments[::-1]


def _read(spec: Spec, embedder: Embedder | None) -> Splitter:
    size = spec.size(PIECE_TOKENS, LARGEST_SIZE)
    if embedder is None:
        raise MissingSignalError(
            f"splitter {spec.text!r} needs the vectors of its pieces: give an embedder, "
            "any object with a method encode(texts)"
        )
    placing_splitter()
    cl100k()

    def split_clusters(text: str, /) -> list[tuple[Span, ...]]:
        pieces = token_spans(text, PIECE_TOKENS, 0)
        vectors = embed_distinct([text[start:end] for start, end in pieces], embedder)
        alike = np.nan_to_num(vectors)  # a piece without a vector is like nothing
        return [
            ((pieces[first][0], pieces[end - 1][1]),)
            for first, end in best_segments(alike, size // PIECE_TOKENS)
        ]

    return split_clusters


CLUSTER = SplitterKind("cluster:SIZE", _read)
