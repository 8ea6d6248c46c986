"""The rows that a plan deletes, whole: JSON lines, and their vectors bit for bit in npy files."""

import hashlib
import io
import math
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkfilter.errors import StoreError
from chunkfilter.stores.lines_file import read_lines, replaced, write_lines
from chunkfilter.stores.row import Row, Vector

ROWS = "undo.jsonl"
#: Type of the values -> file; most stores need the first only.
VECTORS = {"<f4": "undo.f4.npy", "<f8": "undo.f8.npy"}


def write_undo(folder: Path, rows: Iterable[Row]) -> str:
    """Write rows so that :func:`read_undo` gives back the same; nothing is kept in memory.

    Args:
        folder: the plan folder.
        rows: rows with everything the store holds.

    Returns:
        The digest of the file of rows, which holds those of the vectors.

    Raises:
        OSError: the disk is full, or the folder cannot be written.
    """
    with ExitStack() as stack:
        arrays = {
            kind: _ArrayWriter(stack.enter_context(replaced(folder / name)), kind)
            for kind, name in VECTORS.items()
        }
        return write_lines(folder / ROWS, "undo", {}, _lines(rows, arrays))


def _lines(rows: Iterable[Row], arrays: dict[str, "_ArrayWriter"]) -> Iterator[dict[str, Any]]:
    for row in rows:
        line: dict[str, Any] = {"id": row.id, "text": row.text, "metadata": row.metadata}
        if row.rest:
            line["rest"] = row.rest
        if row.vector is not None:
            kind = row.vector.dtype.newbyteorder("<").str
            line["vector"] = [kind, arrays[kind].append(row.vector), len(row.vector)]
        yield line
    yield {"sha256": {VECTORS[kind]: array.close() for kind, array in arrays.items()}}


class _ArrayWriter:
    """A one-dimensional npy file of unknown length: its head is written twice."""

    def __init__(self, file: BufferedRandom, kind: str) -> None:
        self._file = file
        self._kind = kind
        self._length = 0
        file.write(self._head())

    def append(self, vector: Vector) -> int:
        """Add the values; returns where they begin."""
        start = self._length
        self._file.write(vector.astype(self._kind, copy=False).tobytes())
        self._length += len(vector)
        return start

    def close(self) -> str:
        """Complete the head; returns the digest of the whole file."""
        self._file.seek(0)
        self._file.write(self._head())
        self._file.flush()
        self._file.seek(0)
        digest = hashlib.file_digest(self._file, "sha256").hexdigest()
        self._file.seek(0, os.SEEK_END)
        return digest

    def _head(self) -> bytes:
        head = io.BytesIO()
        # numpy pads the head so that the length may grow in place
        shape = {"descr": self._kind, "fortran_order": False, "shape": (self._length,)}
        np.lib.format.write_array_header_1_0(head, shape)
        return head.getvalue()


@dataclass(frozen=True, slots=True)
class UndoFile:
    """Rows that were deleted, checked against their digests when opened.

    Args:
        folder: the plan folder.
        digest: what :func:`write_undo` returned; ``None`` if that is not known.
    """

    folder: Path
    digest: str | None = None

    @property
    def exists(self) -> bool:
        """Whether it was written to its end."""
        return (self.folder / ROWS).exists()

    def rows(self) -> Iterator[Row]:
        """Every row, as the store held it.

        Raises:
            StoreError: a file is missing, truncated or altered; it is named, nothing is given.
        """
        arrays = self._checked_arrays()
        for line in read_lines(self.folder / ROWS, "undo", self.digest)[1]:
            if "id" in line:
                yield self._row(line, arrays)

    def _checked_arrays(self) -> dict[str, NDArray[Any]]:
        digests: dict[str, str] = {}
        for line in read_lines(self.folder / ROWS, "undo", self.digest)[1]:
            digests = line.get("sha256", digests)
        arrays = {}
        for kind, name in VECTORS.items():
            path = self.folder / name
            try:
                with path.open("rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError as error:
                raise StoreError(f"{path}: cannot be read: {error.strerror or error}") from error
            if digest != digests.get(name):
                raise StoreError(
                    f"{path}: truncated or altered; nothing was changed. Put back the original from a backup"
                )
            arrays[kind] = np.load(path, allow_pickle=False, mmap_mode="r" if _holds_values(path) else None)
        return arrays

    def _row(self, line: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Row:
        vector = None
        if place := line.get("vector"):
            kind, start, length = place
            vector = np.array(arrays[kind][start : start + length], dtype=kind)
        return Row(line["id"], line["text"], line["metadata"], vector, line.get("rest", {}))


def _holds_values(path: Path) -> bool:
    """Whether there is more than a head: an empty array cannot be mapped into memory."""
    with path.open("rb") as file:
        np.lib.format.read_magic(file)
        shape, _, _ = np.lib.format.read_array_header_1_0(file)
    return math.prod(shape) > 0
