"""Unit vectors, one a chunk: the one place where vectors are checked.

What cannot be compared is NaN and never counts as alike.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk
from chunkfilter.errors import InputError, VectorError
from chunkfilter.signals.embedders import Embedder, FloatArray, embedder_label


def checked_vectors(vectors: Any, chunks: Sequence[Chunk]) -> FloatArray:
    """The caller's vectors as unit rows.

    Args:
        vectors: n rows; a row may be ``None``.
        chunks: the n chunks they belong to, to name one in an error.

    Returns:
        Shape (n, d), float32. A row that is missing, zero or not finite is NaN.

    Raises:
        VectorError: not one row a chunk, rows of two lengths, or something that is not numbers.
    """
    matrix = _matrix(vectors)
    if matrix is None or matrix.ndim < 2:  # rows of different lengths, or missing ones
        matrix = _matrix_of_rows(vectors, len(chunks), lambda row: f"chunk {row} (id {chunks[row].id!r})")
    if len(matrix) == len(chunks) == 0:
        return np.empty((0, 0), dtype=np.float32)
    if matrix.ndim != 2 or len(matrix) != len(chunks):
        raise VectorError(f"vectors: shape {matrix.shape}; expected ({len(chunks)}, d), one row a chunk")
    return unit_rows(matrix)


def _matrix(given: Any) -> FloatArray | None:
    """The array of numbers, ``None`` if it is none."""
    try:
        return np.asarray(given, dtype=np.float32)
    except (ValueError, TypeError):
        return None


def _matrix_of_rows(vectors: Any, count: int, name: Callable[[int], str]) -> FloatArray:
    try:
        rows = list(vectors)
    except TypeError:
        raise VectorError(f"vectors: got {vectors!r:.80}; expected one row of numbers a chunk") from None
    if len(rows) != count:
        raise VectorError(f"vectors: {len(rows)} rows; expected {count}, one a chunk")
    arrays = [None if row is None else _matrix(row) for row in rows]
    first_of_size: dict[int, int] = {}
    for position, (row, array) in enumerate(zip(rows, arrays, strict=True)):
        if row is not None and (array is None or array.ndim != 1):
            raise VectorError(f"{name(position)}: vector is {row!r:.80}; expected a row of numbers")
        if array is not None:
            first_of_size.setdefault(len(array), position)
    if len(first_of_size) > 1:
        (one, first), (two, second) = list(first_of_size.items())[:2]
        raise VectorError(
            f"vectors of two lengths: {one} at {name(first)}, {two} at {name(second)}; "
            "expected one embedding model for all chunks"
        )
    missing = np.full(next(iter(first_of_size), 1), np.nan, dtype=np.float32)
    return np.array([missing if array is None else array for array in arrays]).reshape(count, len(missing))


def unit_rows(matrix: FloatArray) -> FloatArray:
    """Rows divided by their Euclidean norm; zero and non-finite rows become NaN.

    Args:
        matrix: shape (n, d).
    """
    wide = matrix.astype(np.float64)
    with np.errstate(all="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", wide, wide))
        bad = ~np.isfinite(norms) | (norms == 0) | ~np.isfinite(wide).all(axis=1)
        wide /= norms[:, None]
    wide[bad] = np.nan
    return wide.astype(np.float32)


def embed_distinct(texts: Sequence[str], embedder: Embedder) -> FloatArray:
    """Unit vectors of the texts, each distinct text embedded once.

    Raises:
        VectorError: the embedder does not return one row a text.
        InputError: it is none.
    """
    places: dict[str, int] = {}
    rows = [places.setdefault(text, len(places)) for text in texts]
    if not rows:
        return np.empty((0, 0), dtype=np.float32)
    if not callable(getattr(embedder, "encode", None)):
        raise InputError(f"embedder: got {embedder!r:.80}; expected an object with encode")
    given = embedder.encode(list(places))
    matrix = _matrix(given)
    if matrix is None or matrix.ndim != 2 or len(matrix) != len(places):
        shown = f"{given!r:.80}" if matrix is None else f"shape {matrix.shape}"
        raise VectorError(
            f"embedder {embedder_label(embedder)}: returned {shown} for {len(places)} texts; expected "
            "one row of numbers a text, all of one length"
        )
    return unit_rows(matrix)[rows]
