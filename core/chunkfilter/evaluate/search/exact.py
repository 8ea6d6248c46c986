"""Exact search: every cosine is computed, block by block; equal ones come in the order of the index."""

import numpy as np

from chunkfilter.evaluate.search.index import Search, finite_rows, refuse_unusable
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.text.ragged import IntArray

#: Cosines held at once: 64 MB.
_BLOCK = 16_000_000


def exact_index(vectors: FloatArray, /) -> Search:
    """A search that misses nothing, in O(n d) a query and memory for one block of cosines."""
    finite = finite_rows(vectors)
    found = vectors[finite]

    def search(queries: FloatArray, k: int, /) -> tuple[IntArray, FloatArray]:
        refuse_unusable(queries)
        count = min(k, len(finite))
        positions = np.empty((len(queries), count), dtype=np.int64)
        scores = np.empty((len(queries), count), dtype=np.float32)
        rows = max(_BLOCK // max(len(finite), 1), 1)
        for first in range(0, len(queries) if count else 0, rows):
            block = slice(first, first + rows)
            positions[block], scores[block] = top_k(cosines(queries[block], found), count)
        return finite[positions], scores

    return search


def cosines(queries: FloatArray, vectors: FloatArray) -> FloatArray:
    """Dot products of unit vectors, the same bits for the same two vectors.

    A matrix product may round the same sum differently at different places of the matrix; so each distinct
    vector is multiplied once, and copies of it tie exactly.

    Args:
        queries: shape (q, d).
        vectors: shape (n, d).

    Returns:
        Shape (q, n), float32.
    """
    places: dict[bytes, int] = {}
    of_row = [places.setdefault(row.tobytes(), len(places)) for row in np.ascontiguousarray(vectors)]
    if len(places) == len(vectors):
        return queries @ vectors.T
    first = np.unique(of_row, return_index=True)[1]
    return np.take(queries @ vectors[first].T, of_row, axis=1)


def top_k(scores: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
    """The k largest scores of each row, largest first, ties by position.

    Args:
        scores: shape (q, n), not NaN.
        k: from 1 to n.

    Returns:
        Positions and scores, both of shape (q, k).
    """
    threshold = np.partition(scores, scores.shape[1] - k, axis=1)[:, scores.shape[1] - k]
    positions = np.empty((len(scores), k), dtype=np.int64)
    for row, (line, low) in enumerate(zip(scores, threshold, strict=True)):
        above, tied = np.flatnonzero(line > low), np.flatnonzero(line == low)
        chosen = np.concatenate([above, tied[: k - len(above)]])
        positions[row] = chosen[np.lexsort((chosen, -line[chosen]))]
    return positions, np.take_along_axis(scores, positions, axis=1)
