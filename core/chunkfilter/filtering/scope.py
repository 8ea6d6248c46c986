"""Which chunks may be compared: those that agree on every key of the policy's scope."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk
from chunkfilter.errors import InputError
from chunkfilter.text.ragged import IntArray

#: Lists inside lists are followed this far.
_DEEPEST = 50


def scope_numbers(chunks: Sequence[Chunk], keys: tuple[str, ...]) -> tuple[IntArray, int]:
    """A number for the scope of each chunk; equal numbers may be compared.

    Args:
        chunks: n chunks.
        keys: metadata keys; ``source`` falls back on the chunk's own source.

    Returns:
        Shape (n,) and the number of chunks that lack a key: each of those is alone in its scope.
    """
    if not keys:
        return np.zeros(len(chunks), dtype=np.int64), 0
    numbers: dict[tuple[Any, ...], int] = {}
    result = np.empty(len(chunks), dtype=np.int64)
    alone = 0
    for position, chunk in enumerate(chunks):
        values = tuple(_value(chunk, key) for key in keys)
        if None in values:
            alone += 1
            result[position] = -alone
        else:
            result[position] = numbers.setdefault(values, len(numbers))
    return result, alone


def _value(chunk: Chunk, key: str) -> Any:
    value = (chunk.metadata or {}).get(key)
    if value is None and key == "source":
        value = chunk.source
    return comparable_value(value)


def comparable_value(value: Any, depth: int = _DEEPEST) -> Any:
    """What is equal, and can be hashed, for equal values of a metadata key; ``None`` for ``None``.

    Lists and sets compare as sets, mappings by their entries, unlike types stay apart. Nothing is consumed:
    an iterator is compared by what it is.

    Raises:
        InputError: lists or mappings inside each other without end.
    """
    if value is None:
        return None
    if not depth:
        raise InputError(f"metadata value nested deeper than {_DEEPEST}: expected plain values to compare")
    if isinstance(value, Mapping):
        return "mapping", frozenset(
            (str(name), comparable_value(entry, depth - 1)) for name, entry in value.items()
        )
    if isinstance(value, Collection) and not isinstance(value, str | bytes | bytearray):
        return "set", frozenset(comparable_value(entry, depth - 1) for entry in value)
    return type(value).__name__, str(value)
