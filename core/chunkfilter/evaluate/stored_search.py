"""Search through a store's own index, and exact search under the distance that index uses."""

from collections.abc import Sequence

import numpy as np

from chunkfilter.evaluate.search import Search, exact_index, finite_rows, refuse_unusable
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.signals.vectors import unit_rows
from chunkfilter.stores import ReadableStore, RowId
from chunkfilter.text.ragged import IntArray

#: Rows a store is asked for at most; what lies deeper is ranked by exact search.
_DEEPEST = 1000


class Stored:
    """A store's vectors and the questions' vectors, so that a dot product ranks as the store's distance does.

    Of unit vectors it ranks by cosine, of the vectors themselves by inner product, and of
    :math:`(2x, -|x|^2)` and :math:`(q, 1)` by Euclidean distance, since
    :math:`-|x - q|^2 = 2 x q - |x|^2 - |q|^2`.

    Args:
        store: the store.
        ids: of the n rows that can be found.
        vectors: their vectors as stored, shape (n, d).
        queries: the questions' vectors as their model gives them, shape (q, d).
    """

    def __init__(
        self, store: ReadableStore, ids: Sequence[RowId], vectors: FloatArray, queries: FloatArray
    ) -> None:
        self.store = store
        self.ids = ids
        self._distance = store.index.distance
        self.vectors = self._for_dot_product(vectors)
        self._given = {unit.tobytes(): query for unit, query in zip(unit_rows(queries), queries, strict=True)}

    def _for_dot_product(self, vectors: FloatArray) -> FloatArray:
        if self._distance == "ip":
            return vectors
        if self._distance == "l2":
            lengths = np.square(vectors.astype(np.float64)).sum(axis=1, keepdims=True)
            return np.hstack([2 * vectors, -lengths]).astype(np.float32)
        return unit_rows(vectors)

    def given(self, queries: FloatArray) -> FloatArray:
        """Unit vectors of questions as their model gave them."""
        return np.array([self._given[query.tobytes()] for query in queries], dtype=np.float32)

    def asked(self, queries: FloatArray) -> FloatArray:
        """Unit vectors of questions as the dot product takes them."""
        if self._distance == "ip":
            return self.given(queries)
        if self._distance == "l2":
            raw = self.given(queries)
            return np.hstack([raw, np.ones((len(raw), 1), dtype=np.float32)])
        return queries


class StoreSearch:
    """A search through a store's own index.

    Where the index gives up early, or is asked for more than it is good for, exact search goes on. Scores are
    dot products as :class:`Stored` says.

    Args:
        stored: the store.
    """

    def __init__(self, stored: Stored) -> None:
        self._stored = stored
        self._places = {one: place for place, one in enumerate(stored.ids)}
        self._exact = exact_by_distance(stored)
        self._finite = len(finite_rows(stored.vectors))
        self.completed = 0

    def __call__(self, queries: FloatArray, k: int, /) -> tuple[IntArray, FloatArray]:
        """As :class:`chunkfilter.evaluate.search.Search` says."""
        refuse_unusable(queries)
        stored, count = self._stored, min(k, self._finite)
        asked = min(count + len(stored.vectors) - self._finite, _DEEPEST)
        found = stored.store.query(stored.given(queries), asked) if count and len(queries) else []
        known = [[self._places[one] for one in ids if one in self._places][:count] for ids in found]
        short = [row for row, places in enumerate(known) if len(places) < count]
        self.completed += sum(len(found[row]) < min(asked, count) for row in short)
        if short:
            rest = self._exact(queries[short], count)[0].tolist()
            for row, order in zip(short, rest, strict=True):
                seen = set(known[row])
                known[row] = [*known[row], *(place for place in order if place not in seen)][:count]
        positions = np.array(known, dtype=np.int64).reshape(len(queries), count)
        return positions, np.einsum("qd,qkd->qk", stored.asked(queries), stored.vectors[positions])


def exact_by_distance(stored: Stored) -> Search:
    """Exact search over the stored vectors, ranking as the store's distance does."""
    search = exact_index(stored.vectors)
    return lambda queries, k, /: search(stored.asked(queries), k)
