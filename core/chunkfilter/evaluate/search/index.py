"""What a search is, and what it is built from."""

from typing import Protocol

import numpy as np

from chunkfilter.errors import VectorError
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.text.ragged import IntArray


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
        """An index of unit vectors.

        Args:
            vectors: shape (n, d); rows that are not finite are never found.
        """
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
