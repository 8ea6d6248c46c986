"""One row of a vector store: what filters read, and all that is needed to put it back."""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

RowId = str | int
Vector = NDArray[np.float32] | NDArray[np.float64]
T = TypeVar("T")

#: Rows changed between two lines of a journal, and held at once while a store is changed.
BATCH = 1000
#: Length of a row's digest.
DIGEST_BYTES = 16
#: Largest difference, relative to the largest value, by which a store's rounding changes a vector.
_ROUNDING = 4 * float(np.finfo(np.float32).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A stored chunk.

    Args:
        id: as the store names it.
        text: ``None`` if the store holds none for it (an image, a pointer): such a row is never removed.
        metadata: the mapping that users filter by; ``None`` where there is none.
        vector: the values as stored, float32 if they all fit, shape (d,); ``None`` if it was not read or the
            row has none.
        rest: whatever else the store holds about the row, as JSON values; read only to restore it.
        columns: values beside the metadata that users filter by as well: a table's other columns.
    """

    id: RowId
    text: str | None
    metadata: Mapping[str, Any] | None = None
    vector: Vector | None = None
    rest: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)

    @property
    def known(self) -> dict[str, Any]:
        """What a policy may ask for by key: the metadata, then the columns."""
        return {**self.columns, **(self.metadata or {})}

    def as_json(self) -> dict[str, Any]:
        """The whole row as JSON values, its vector bit for bit."""
        line: dict[str, Any] = {
            "id": self.id,
            "text": self.text,
            "metadata": self.metadata,
            "rest": self.rest,
        }
        if self.vector is not None:
            kind = self.vector.dtype.newbyteorder("<")
            values = base64.b64encode(self.vector.astype(kind, copy=False).tobytes())
            line["vector"] = [kind.str, values.decode("ascii")]
        return line

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> "Row":
        """The row that :meth:`as_json` wrote."""
        vector = None
        if "vector" in line:
            kind, values = line["vector"]
            vector = np.frombuffer(base64.b64decode(values), dtype=kind)
        return cls(line["id"], line["text"], line["metadata"], vector, line["rest"])


def batches(items: Iterable[T], size: int | None = None) -> Iterator[list[T]]:
    """Lists of at most ``size`` items, by default ``BATCH``, in order."""
    rest = iter(items)
    while part := list(islice(rest, size or BATCH)):
        yield part


def as_vector(values: Any) -> Vector:
    """The values as float32 if that loses nothing, else as float64.

    Args:
        values: numbers, shape (d,).
    """
    wide = np.asarray(values)
    if wide.dtype == np.float32:
        return wide
    wide = wide.astype(np.float64)
    with np.errstate(over="ignore"):
        narrow = wide.astype(np.float32)
    return narrow if np.array_equal(narrow.astype(np.float64), wide, equal_nan=True) else wide


def digest_of(row: Row, metadata_keys: Sequence[str], *, with_vector: bool) -> str:
    """128 bits, hexadecimal, that change with what a plan was decided by.

    Args:
        row: a row, read with its vector if that counts.
        metadata_keys: keys whose values count.
        with_vector: whether the vector counts.
    """
    known = row.known
    watched = {key: known[key] for key in metadata_keys if key in known}
    return _digest([row.text, watched], row.vector if with_vector else None)


def full_digest(row: Row) -> str:
    """128 bits, hexadecimal, that change with anything the store holds about the row."""
    return _digest(_content(row), row.vector)


def same_content(one: Row, other: Row) -> bool:
    """Whether all but the vectors of two rows is equal, and the vectors are up to a store's rounding."""
    if canonical(_content(one)) != canonical(_content(other)):
        return False
    if one.vector is None or other.vector is None or one.vector.shape != other.vector.shape:
        return one.vector is other.vector is None
    largest = np.abs(one.vector[np.isfinite(one.vector)]).max(initial=0.0)
    return np.allclose(one.vector, other.vector, rtol=0, atol=largest * _ROUNDING, equal_nan=True)


def _content(row: Row) -> list[Any]:
    return [row.text, row.metadata or None, row.rest or None]


def _digest(values: list[Any], vector: Vector | None) -> str:
    whole = hashlib.blake2b(canonical(values).encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES)
    if vector is not None:
        whole.update(vector.dtype.str.encode())
        whole.update(np.ascontiguousarray(vector).tobytes())
    return whole.hexdigest()


def canonical(value: Any) -> str:
    """One JSON text for all equal values, whatever the order of their keys."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
