"""Which chunks may be compared: those that agree on every key of the policy's scope."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk
from chunkfilter.text.ragged import IntArray


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
    return None if value is None else _hashable(value)


def _hashable(value: Any) -> Any:
    """A key that is equal for equal values; lists and sets compare as sets; unlike types stay apart."""
    if isinstance(value, Mapping):
        return "mapping", frozenset((str(name), _hashable(entry)) for name, entry in value.items())
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return "set", frozenset(_hashable(entry) for entry in value)
    return type(value).__name__, str(value)
