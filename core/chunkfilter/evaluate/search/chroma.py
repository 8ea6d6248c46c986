"""Search through an embedded Chroma: the store the published figures were measured with."""

import tempfile
import weakref
from typing import Any

import numpy as np

from chunkfilter.errors import MissingExtraError
from chunkfilter.evaluate.search.index import Search, finite_rows, refuse_unusable
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.text.ragged import IntArray

#: Rows a write or query takes at once; Chroma's own limit is 5461.
_BATCH = 5000


def chroma_index(vectors: FloatArray, /) -> Search:
    """A search through Chroma's approximate index (HNSW by cosine, Chroma's default settings).

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
        positions = np.empty((len(queries), count), dtype=np.int64)
        scores = np.empty((len(queries), count), dtype=np.float32)
        for first in range(0, len(queries) if count else 0, _BATCH):
            block = slice(first, first + _BATCH)
            answer = collection.query(query_embeddings=queries[block], n_results=count, include=["distances"])
            positions[block] = np.asarray(answer["ids"], dtype=np.int64)
            scores[block] = 1 - np.asarray(answer["distances"], dtype=np.float32)
        return positions, scores

    weakref.finalize(search, _let_go, client, folder)
    return search


def _let_go(client: Any, folder: tempfile.TemporaryDirectory[str]) -> None:
    """Close and delete the store, once nobody holds the search any more."""
    client.close()
    folder.cleanup()
