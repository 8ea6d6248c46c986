"""Unit vectors, one a chunk; what cannot be compared is NaN and never counts as alike."""

from collections.abc import Sequence
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
    try:
        matrix = np.asarray(vectors, dtype=np.float32)
    except (ValueError, TypeError):
        matrix = np.empty(0, dtype=np.float32)
    if matrix.ndim == 0:
        raise VectorError(f"vectors: got {vectors!r:.80}; expected one row a chunk")
    if matrix.ndim == 1:  # rows of different lengths, or missing ones
        matrix = _matrix_of_rows(vectors, chunks)
    if matrix.ndim != 2 or len(matrix) != len(chunks):
        if len(matrix) == len(chunks) == 0:
            return np.empty((0, 0), dtype=np.float32)
        raise VectorError(f"vectors: shape {matrix.shape}; expected ({len(chunks)}, d), one row a chunk")
    return unit_rows(matrix)


def _matrix_of_rows(vectors: Any, chunks: Sequence[Chunk]) -> FloatArray:
    try:
        rows = list(vectors)
    except TypeError:
        raise VectorError(f"vectors: got {vectors!r:.80}; expected one row of numbers a chunk") from None
    if len(rows) != len(chunks):
        raise VectorError(f"vectors: {len(rows)} rows; expected {len(chunks)}, one a chunk")
    sizes: dict[int, int] = {}
    arrays: list[FloatArray | None] = []
    for position, row in enumerate(rows):
        if row is None:
            arrays.append(None)
            continue
        try:
            array = np.asarray(row, dtype=np.float32)
        except (ValueError, TypeError):
            array = np.empty((0, 0), dtype=np.float32)
        if array.ndim != 1:
            raise VectorError(f"{_name(position, chunks)}: vector is {row!r:.80}; expected a row of numbers")
        sizes.setdefault(len(array), position)
        arrays.append(array)
    if len(sizes) > 1:
        (one, first), (two, second) = list(sizes.items())[:2]
        raise VectorError(
            f"vectors of two lengths: {one} at {_name(first, chunks)}, {two} at {_name(second, chunks)}; "
            "expected one embedding model for all chunks"
        )
    width = next(iter(sizes), 1)
    missing = np.full(width, np.nan, dtype=np.float32)
    return np.array([missing if array is None else array for array in arrays], dtype=np.float32).reshape(
        len(rows), width
    )


def _name(position: int, chunks: Sequence[Chunk]) -> str:
    return f"chunk {position} (id {chunks[position].id!r})"


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
    try:
        matrix = np.asarray(given, dtype=np.float32)
    except (ValueError, TypeError):
        raise VectorError(
            f"embedder {embedder_label(embedder)}: returned {given!r:.80} for {len(places)} texts; expected "
            "one row of numbers a text, all of one length"
        ) from None
    if matrix.ndim != 2 or len(matrix) != len(places):
        raise VectorError(
            f"embedder {embedder_label(embedder)}: returned shape {matrix.shape} for {len(places)} texts; "
            "expected one row a text"
        )
    return unit_rows(matrix)[rows]
