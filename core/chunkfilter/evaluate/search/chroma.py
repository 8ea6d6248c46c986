"""Search through an embedded Chroma, in memory: the store the published figures were measured with."""

import uuid
import weakref

import numpy as np

from chunkfilter.errors import MissingExtraError
from chunkfilter.evaluate.search.index import Search, finite_rows, refuse_unusable
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.text.ragged import IntArray

#: Rows a write or query takes at once; Chroma's own limit is 5461.
_BATCH = 5000


def chroma_index(vectors: FloatArray, /) -> Search:
    """A search through Chroma's approximate index (HNSW by cosine, Chroma's default settings).

    Raises:
        MissingExtraError: chromadb is not installed.
    """
    try:
        import chromadb
        from chromadb.config import Settings
    except ImportError as error:
        raise MissingExtraError("chromadb", "chroma", "search 'chroma'") from error
    client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
    # the ephemeral clients of a process share one store, so the collection needs a name of its own
    name = f"chunkfilter-{uuid.uuid4().hex}"
    collection = client.create_collection(
        name, configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
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

    # the store outlives its clients; it lets the vectors go when nobody holds the search any more
    weakref.finalize(search, client.delete_collection, name).atexit = False
    return search
