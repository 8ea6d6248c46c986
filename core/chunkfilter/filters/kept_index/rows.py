"""Stored chunks: to rows of the database and back."""

import json
import sqlite3
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk
from chunkfilter.errors import InputError
from chunkfilter.filters.kept_index.database import check, checksum
from chunkfilter.filters.kept_index.keys import entities_text
from chunkfilter.text.ragged import IntArray

#: SQLite takes a limited number of values in a statement.
_AT_ONCE = 500


def encoded(text: str | None) -> bytes | None:
    """A text as bytes; lone surrogates stay what they are."""
    return None if text is None else text.encode("utf-8", "surrogatepass")


def decoded(text: bytes | None) -> str | None:
    """A text of :func:`encoded`.

    Raises:
        sqlite3.DatabaseError: it is none.
    """
    if text is None:
        return None
    try:
        return text.decode("utf-8", "surrogatepass")
    except (UnicodeDecodeError, AttributeError):
        raise sqlite3.DatabaseError("a text is damaged") from None


def add_rows(
    connection: sqlite3.Connection,
    chunks: Sequence[Chunk],
    scope: tuple[str, ...],
    entities: Sequence[frozenset[Hashable]] | None,
) -> IntArray:
    """Store chunks; their numbers, ascending.

    Raises:
        InputError: a value of a scope key, or an entity, that JSON cannot hold.
    """
    (last,) = connection.execute("SELECT max(number) FROM chunks").fetchone()
    last = max(-1 if last is None else last, _last_number(connection))
    numbers = np.arange(last + 1, last + 1 + len(chunks), dtype=np.int64)
    connection.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            _row(number, chunk, scope, None if entities is None else entities[place])
            for place, (number, chunk) in enumerate(zip(numbers.tolist(), chunks, strict=True))
        ),
    )
    if len(numbers):
        connection.execute("INSERT OR REPLACE INTO facts VALUES ('last number', ?)", (str(numbers[-1]),))
    return numbers


def _last_number(connection: sqlite3.Connection) -> int:
    """The largest number ever given: those of chunks that were taken out are not given again."""
    found = connection.execute("SELECT value FROM facts WHERE name = 'last number'").fetchone()
    try:
        return int(found[0]) if found else -1
    except ValueError:
        raise sqlite3.DatabaseError("the last number is damaged") from None


def _row(
    number: int, chunk: Chunk, scope: tuple[str, ...], entities: frozenset[Hashable] | None
) -> tuple[Any, ...]:
    placed = is_placed(chunk)
    content = (
        number,
        encoded(chunk.text),
        encoded(None if chunk.id is None else str(chunk.id)),
        encoded(chunk.source),
        json.dumps(chunk.spans),
        _scope_text(chunk, scope),
        None if entities is None else entities_text(entities),
    )
    place = (chunk.start, chunk.end) if placed else (0, 0)
    return (*content, placed, *place, checksum(*content))


def is_placed(chunk: Chunk) -> bool:
    """Whether a chunk names its place in its source, as coverage asks for it."""
    return (
        chunk.source is not None
        and len(chunk.spans) == 1
        and chunk.spans[0][1] - chunk.spans[0][0] == len(chunk.text)
    )


def _scope_text(chunk: Chunk, scope: tuple[str, ...]) -> str:
    values = {key: (chunk.metadata or {}).get(key) for key in scope}
    try:
        return json.dumps({key: _listed(value) for key, value in values.items() if value is not None})
    except (TypeError, ValueError, RecursionError):
        raise InputError(
            f"chunk {chunk.id!r}: scope keys have values {values!r:.200}; an index of kept chunks stores "
            "texts, numbers, and lists and mappings of them"
        ) from None


def _listed(value: Any) -> Any:
    """Sets as lists, which compare as sets."""
    return sorted(value, key=repr) if isinstance(value, set | frozenset) else value


def chunks_of(connection: sqlite3.Connection, numbers: IntArray) -> Iterator[tuple[int, Chunk, str | None]]:
    """The stored chunks of some numbers, ascending, with their entities; those taken out are left out."""
    for start in range(0, len(numbers), _AT_ONCE):
        part = numbers[start : start + _AT_ONCE].tolist()
        marks = ",".join("?" * len(part))
        for *content, expected in connection.execute(
            "SELECT number, text, id, source, spans, scope, entities, checksum FROM chunks "  # noqa: S608  # question marks
            f"WHERE number IN ({marks}) ORDER BY number",
            part,
        ):
            check(expected, *content)
            number, text, id_, source, spans, scope, entities = content
            places = tuple((first, last) for first, last in json.loads(spans))
            chunk = Chunk(decoded(text) or "", decoded(id_), json.loads(scope), decoded(source), places)
            yield number, chunk, entities


def entities_from(text: str | None) -> frozenset[Hashable]:
    """The entities of a stored chunk."""
    return frozenset(tuple(one) if isinstance(one, list) else one for one in json.loads(text or "[]"))
