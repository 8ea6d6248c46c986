"""Stored vectors: packed side by side, scanned block by block."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkfilter.errors import VectorError
from chunkfilter.filters.kept_index.database import check, checksum
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.text.ragged import IntArray

#: Vectors in a block.
_BLOCK = 2048
#: Wider than the error of a float32 product: what is found here is decided again.
_MARGIN = 1e-4


def add_vectors(connection: sqlite3.Connection, numbers: IntArray, vectors: FloatArray) -> None:
    """Store the vectors of chunks, as they were given; missing ones are left out.

    Args:
        connection: in a transaction.
        numbers: shape (c,), ascending.
        vectors: shape (c, d), rows of NaN for missing ones.
    """
    there = ~np.isnan(vectors).all(axis=1)
    numbers, vectors = numbers[there], vectors[there]
    for start in range(0, len(numbers), _BLOCK):
        part = slice(start, start + _BLOCK)
        rows = numbers[part].astype("<i8").tobytes() + vectors[part].astype("<f4").tobytes()
        first, width = int(numbers[start]), vectors.shape[1]
        content = (first, width, rows)
        connection.execute("INSERT INTO vectors VALUES (?, ?, ?, ?)", (*content, checksum(*content)))


def near(connection: sqlite3.Connection, units: FloatArray, threshold: float) -> IntArray:
    """Numbers of the chunks whose cosine with any of some unit vectors may reach a threshold.

    Args:
        connection: of the index.
        units: shape (n, d), NaN for what cannot be compared.
        threshold: the least cosine.
    """
    comparable = units[~np.isnan(units).any(axis=1)]
    found = [np.empty(0, dtype=np.int64)]
    for numbers, vectors in _blocks(connection):
        if len(comparable):
            with np.errstate(all="ignore"):
                stored = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
            best = (np.nan_to_num(stored, nan=-2.0, posinf=-2.0, neginf=-2.0) @ comparable.T).max(axis=1)
            usable = np.isfinite(stored).all(axis=1)
            found.append(numbers[usable & (best >= threshold - _MARGIN)])
    return np.unique(np.concatenate(found))


def vectors_of(connection: sqlite3.Connection, numbers: IntArray) -> list[FloatArray | None]:
    """The vectors of some chunks, one row a number; ``None`` for missing ones."""
    rows: dict[int, FloatArray] = {}
    found = connection.execute("SELECT first FROM vectors ORDER BY first").fetchall()
    firsts = np.array([first for (first,) in found], dtype=np.int64)
    places = np.searchsorted(firsts, numbers, side="right") - 1
    for place in np.unique(places[places >= 0]).tolist():
        block = connection.execute(
            "SELECT first, width, rows, checksum FROM vectors WHERE first = ?", (int(firsts[place]),)
        ).fetchone()
        held, vectors = _unpacked(*block)
        rows.update(zip(held.tolist(), vectors, strict=True))
    return [rows.get(number) for number in numbers.tolist()]


def _blocks(connection: sqlite3.Connection) -> Iterator[tuple[IntArray, FloatArray]]:
    for block in connection.execute("SELECT first, width, rows, checksum FROM vectors ORDER BY first"):
        yield _unpacked(*block)


def _unpacked(first: int, width: int, content: bytes, expected: int) -> tuple[IntArray, FloatArray]:
    check(expected, first, width, content)
    count = len(content) // (8 + 4 * width)
    numbers = np.frombuffer(content, dtype="<i8", count=count).astype(np.int64)
    matrix = np.frombuffer(content, dtype="<f4", offset=8 * count).reshape(count, width)
    return numbers, matrix.astype(np.float32)


def vector_length(connection: sqlite3.Connection) -> int | None:
    """Length of the stored vectors, ``None`` if there are none."""
    found = connection.execute("SELECT width FROM vectors LIMIT 1").fetchone()
    return None if found is None else int(found[0])


def as_matrix(given: Any, count: int) -> NDArray[np.float32]:
    """The caller's vectors as they are, NaN for missing ones, shape (count, d).

    Raises:
        VectorError: not one row of numbers a chunk, or rows of two lengths.
    """
    try:
        rows: Sequence[Any] = list(given)
        arrays = [None if row is None else np.asarray(row, dtype=np.float32) for row in rows]
    except (TypeError, ValueError):
        raise VectorError(f"vectors: got {given!r:.80}; expected one row of numbers a chunk") from None
    widths = sorted({array.shape for array in arrays if array is not None})
    if len(arrays) != count or len(widths) > 1 or any(len(shape) != 1 for shape in widths):
        raise VectorError(
            f"vectors: {len(arrays)} rows of shapes {widths}; expected {count} rows of one length"
        )
    width = widths[0][0] if widths else 1
    missing = np.full(width, np.nan, dtype=np.float32)
    matrix = np.array([missing if array is None else array for array in arrays], dtype=np.float32)
    return matrix.reshape(count, width)
