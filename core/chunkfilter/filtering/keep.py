"""Which of two equals is kept: the keep order, most wanted first."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk
from chunkfilter.errors import InputError
from chunkfilter.filtering.moments import moment
from chunkfilter.text.ragged import IntArray


def keep_order(chunks: Sequence[Chunk], keep: str) -> IntArray:
    """Positions of the chunks, the most wanted first, ties by position.

    Args:
        chunks: n chunks.
        keep: ``first``, ``longest``, ``richest`` (most metadata keys), ``newest:KEY`` or ``best-score``
            (metadata key ``score``); chunks without the key come last.

    Raises:
        InputError: two values of the key cannot be compared; the chunks are named.
    """
    name, _, key = keep.partition(":")
    return _ORDERS[name](chunks, key)


def _first(chunks: Sequence[Chunk], _key: str) -> IntArray:
    return np.arange(len(chunks), dtype=np.int64)


def _longest(chunks: Sequence[Chunk], _key: str) -> IntArray:
    lengths = np.array([len(chunk.text) for chunk in chunks], dtype=np.int64)
    return np.argsort(-lengths, kind="stable").astype(np.int64)


def _richest(chunks: Sequence[Chunk], _key: str) -> IntArray:
    counts = np.array([len(chunk.metadata or {}) for chunk in chunks], dtype=np.int64)
    return np.argsort(-counts, kind="stable").astype(np.int64)


def _newest(chunks: Sequence[Chunk], key: str) -> IntArray:
    """By date where every value is one, so that zones and kinds of dates may differ; else by value."""
    values = [(chunk.metadata or {}).get(key) for chunk in chunks]
    moments = [None if value is None else moment(value) for value in values]
    missing = any(one is None and value is not None for one, value in zip(moments, values, strict=True))
    return _largest(values if missing or len({one[0] for one in moments if one}) > 1 else moments, key)


def _best_score(chunks: Sequence[Chunk], _key: str) -> IntArray:
    return _largest([(chunk.metadata or {}).get("score") for chunk in chunks], "score")


def _largest(values: Sequence[Any], key: str) -> IntArray:
    present = [position for position, value in enumerate(values) if value is not None]
    missing = [position for position, value in enumerate(values) if value is None]

    def value_of(position: int) -> Any:
        return values[position]

    try:
        present.sort(key=value_of, reverse=True)
    except TypeError:
        kinds = sorted({type(values[position]).__name__ for position in present})
        raise InputError(
            f"keep: the values of {key!r} are {' and '.join(kinds)}; expected values that can be compared"
        ) from None
    return np.array(present + missing, dtype=np.int64)


_ORDERS: dict[str, Callable[[Sequence[Chunk], str], IntArray]] = {
    "first": _first,
    "longest": _longest,
    "richest": _richest,
    "newest": _newest,
    "best-score": _best_score,
}
