"""How the nearest chunks are found: exactly, or by Chroma's approximate index."""

import tempfile
import weakref
from typing import Any, Protocol

import numpy as np

from chunkfilter.errors import InputError, MissingExtraError, VectorError
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.text.ragged import IntArray

#: Cosines that exact search holds at once: 64 MB.
_BLOCK = 16_000_000
#: Rows that one write to Chroma, or one query, takes; its own limit is 5461.
_BATCH = 5000


class Search(Protocol):
    """Finds the vectors nearest to queries."""

    def __call__(self, queries: FloatArray, k: int, /) -> tuple[IntArray, FloatArray]:
        """The nearest vectors by cosine, best first.

        Args:
            queries: unit vectors, shape (q, d).
            k: how many a query, at least 1.

        Returns:
            Positions in the indexed vectors, shape (q, min(k, m)) for m finite vectors, int64, and their
            cosines, same shape, float32.

        Raises:
            VectorError: a query is not finite; it is named by its position.
        """
        ...


class BuildIndex(Protocol):
    """Makes a search over vectors."""

    def __call__(self, vectors: FloatArray, /) -> Search:
        """An index of unit vectors, shape (n, d); rows that are not finite are never found."""
        ...


def finite_rows(vectors: FloatArray) -> IntArray:
    """Positions of the rows without NaN or infinity, ascending."""
    return np.flatnonzero(np.isfinite(vectors).all(axis=1))


def refuse_unusable(queries: FloatArray) -> None:
    """Raise for the first query that is not finite.

    Raises:
        VectorError: naming its position.
    """
    bad = np.flatnonzero(~np.isfinite(queries).all(axis=1))
    if len(bad):
        raise VectorError(f"query {bad[0]}: its vector is not finite; expected numbers, and not all zero")


def exact_index(vectors: FloatArray, /) -> Search:
    """A search that misses nothing, in O(n d) a query; equal cosines come in the order of the index."""
    finite = finite_rows(vectors)
    found = vectors[finite]

    def search(queries: FloatArray, k: int, /) -> tuple[IntArray, FloatArray]:
        refuse_unusable(queries)
        count = min(k, len(finite))
        positions, scores = _empty_answer(queries, count)
        rows = max(_BLOCK // max(len(finite), 1), 1)
        for first in range(0, len(queries) if count else 0, rows):
            block = slice(first, first + rows)
            positions[block], scores[block] = top_k(cosines(queries[block], found), count)
        return finite[positions], scores

    return search


def chroma_index(vectors: FloatArray, /) -> Search:
    """A search through Chroma's HNSW by cosine, in its default settings, as the published figures had it.

    The store lies in a temporary folder of its own: all in-memory clients of a process share one store and
    must agree on its settings, so that one of ours would stand in the way of the caller's.

    Raises:
        MissingExtraError: chromadb is not installed.
    """
    try:
        import chromadb
        from chromadb.config import Settings
    except ImportError as error:
        raise MissingExtraError("chromadb", "chroma", "search 'chroma'") from error
    folder = tempfile.TemporaryDirectory(prefix="chunkfilter-", ignore_cleanup_errors=True)
    client = chromadb.PersistentClient(folder.name, Settings(anonymized_telemetry=False))
    collection = client.create_collection(
        "search", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
    )
    finite = finite_rows(vectors)
    for first in range(0, len(finite), _BATCH):
        part = finite[first : first + _BATCH]
        collection.add(ids=[str(position) for position in part], embeddings=vectors[part])

    def search(queries: FloatArray, k: int, /) -> tuple[IntArray, FloatArray]:
        refuse_unusable(queries)
        count = min(k, len(finite))
        positions, scores = _empty_answer(queries, count)
        for first in range(0, len(queries) if count else 0, _BATCH):
            block = slice(first, first + _BATCH)
            answer = collection.query(query_embeddings=queries[block], n_results=count, include=["distances"])
            positions[block] = np.asarray(answer["ids"], dtype=np.int64)
            scores[block] = 1 - np.asarray(answer["distances"], dtype=np.float32)
        return positions, scores

    weakref.finalize(search, _close, client, folder)
    return search


#: Every way to search. A new one gets a function and a line here.
SEARCHES: dict[str, BuildIndex] = {
    "exact": exact_index,
    "chroma": chroma_index,
}


def search_named(name: str) -> BuildIndex:
    """The way to search that has a name.

    Raises:
        InputError: no way of that name.
    """
    if name not in SEARCHES:
        raise InputError(f"search {name!r}: unknown; known: {', '.join(SEARCHES)}")
    return SEARCHES[name]


def cosines(queries: FloatArray, vectors: FloatArray) -> FloatArray:
    """Dot products of unit vectors, shapes (q, d) and (n, d), as shape (q, n).

    A matrix product may round the same sum differently at different places of the matrix; so each distinct
    vector is multiplied once, and copies of it tie exactly.
    """
    places: dict[bytes, int] = {}
    of_row = [places.setdefault(row.tobytes(), len(places)) for row in np.ascontiguousarray(vectors)]
    if len(places) == len(vectors):
        return queries @ vectors.T
    first = np.unique(of_row, return_index=True)[1]
    return np.take(queries @ vectors[first].T, of_row, axis=1)


def top_k(scores: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
    """Positions and values of the k largest scores of each row, largest first, ties by position.

    Args:
        scores: shape (q, n), not NaN.
        k: from 1 to n.
    """
    threshold = np.partition(scores, scores.shape[1] - k, axis=1)[:, scores.shape[1] - k]
    positions = np.empty((len(scores), k), dtype=np.int64)
    for row, (line, low) in enumerate(zip(scores, threshold, strict=True)):
        above, tied = np.flatnonzero(line > low), np.flatnonzero(line == low)
        chosen = np.concatenate([above, tied[: k - len(above)]])
        positions[row] = chosen[np.lexsort((chosen, -line[chosen]))]
    return positions, np.take_along_axis(scores, positions, axis=1)


def _empty_answer(queries: FloatArray, count: int) -> tuple[IntArray, FloatArray]:
    shape = (len(queries), count)
    return np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.float32)


def _close(client: Any, folder: tempfile.TemporaryDirectory[str]) -> None:
    """Close and delete the store, once nobody holds the search any more."""
    client.close()
    folder.cleanup()
