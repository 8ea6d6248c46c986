"""The tables of a ledger, and how chunks are written in them."""

import hashlib
import json
import uuid
import zlib
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, datetime
from sqlite3 import Connection
from typing import Any

from chunkfilter.chunk import Chunk
from chunkfilter.errors import DamagedFileError, InputError
from chunkfilter.filtering.scope import comparable_value
from chunkfilter.storage import DatabaseKind

#: ``pending`` is 1 for what an update decided and no commit has confirmed, else 0. ``replaced`` names the
#: sources that the pending change replaces or deletes, ``todo`` its steps, ``touched`` the steps of changes
#: that were handed out and superseded: the store may have taken some of them.
LEDGER = DatabaseKind(
    "ledger",
    1,
    """
    CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS body (id TEXT PRIMARY KEY, text BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS vector (id TEXT PRIMARY KEY, vector BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS chunk (
        pending INTEGER NOT NULL, source TEXT NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL,
        name TEXT, metadata TEXT, spans TEXT NOT NULL, PRIMARY KEY (pending, source, position));
    CREATE INDEX IF NOT EXISTS chunk_by_id ON chunk (id);
    CREATE TABLE IF NOT EXISTS removal (
        pending INTEGER NOT NULL, source TEXT NOT NULL, position INTEGER NOT NULL, rule TEXT NOT NULL,
        score REAL, kept_by TEXT NOT NULL, PRIMARY KEY (pending, source, position));
    CREATE TABLE IF NOT EXISTS stored (
        pending INTEGER NOT NULL, id TEXT NOT NULL, source TEXT NOT NULL, position INTEGER NOT NULL,
        sources TEXT NOT NULL, label TEXT NOT NULL, PRIMARY KEY (pending, id));
    CREATE TABLE IF NOT EXISTS replaced (source TEXT PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS todo (id TEXT PRIMARY KEY, step TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS touched (id TEXT NOT NULL, step TEXT NOT NULL, PRIMARY KEY (id, step))
    """,
)

#: Chunks of the sources as they are once the pending change, if there is one, is committed.
_CURRENT = "(pending = 1 OR source NOT IN (SELECT source FROM replaced))"


@dataclass(frozen=True, slots=True)
class Entry:
    """A chunk of a source.

    Args:
        chunk: the chunk as it was given, with the source it stands in.
        position: its place among the chunks of the source, from 0.
        id: of its row in the store: the same for the same text and scope, whatever the source.
    """

    chunk: Chunk
    position: int
    id: str

    @property
    def source(self) -> str:
        """The document that it stands in."""
        return self.chunk.source or ""

    @property
    def columns(self) -> tuple[Any, ...]:
        """The values of table ``chunk``, from ``source`` on."""
        chunk = self.chunk
        metadata = None if chunk.metadata is None else _json(chunk.metadata, f"source {chunk.source!r}")
        spans = json.dumps([[int(start), int(end)] for start, end in chunk.spans])
        return chunk.source, self.position, self.id, chunk.id, metadata, spans

    def label(self, sources: Sequence[str]) -> str:
        """A digest of everything that is stored of the chunk beside its text."""
        return hashlib.sha256(json.dumps([self.columns, list(sources)]).encode()).hexdigest()[:32]


def entries_of(source: str, chunks: Sequence[Chunk], scope: tuple[str, ...]) -> list[Entry]:
    """The chunks of one source as entries.

    Args:
        source: its name.
        chunks: what it holds, in order.
        scope: the policy's metadata keys; a chunk that lacks one shares its row with no other.
    """
    entries: list[Entry] = []
    alone: dict[str, int] = {}
    for position, given in enumerate(chunks):
        chunk = Chunk(given.text, given.id, given.metadata, source, given.spans)
        values = [_scope_value(chunk, key) for key in scope]
        place: list[Any] = values
        if None in values:
            alone[chunk.text] = alone.get(chunk.text, 0) + 1
            place = [*values, source, alone[chunk.text]]
        content = json.dumps([place, chunk.text]).encode()
        row = str(uuid.UUID(bytes=hashlib.sha256(content).digest()[:16]))
        entries.append(Entry(chunk, position, row))
    return entries


def write_entries(connection: Connection, entries: Sequence[Entry]) -> None:
    """Write entries as pending ones, with their texts."""
    connection.executemany(
        "INSERT INTO chunk VALUES (1, ?, ?, ?, ?, ?, ?)", (entry.columns for entry in entries)
    )
    connection.executemany(
        "INSERT OR IGNORE INTO body VALUES (?, ?)",
        ((entry.id, zlib.compress(_bytes(entry.chunk.text))) for entry in entries),
    )


def read_entries(
    connection: Connection, where: str = _CURRENT, values: Sequence[Any] = ()
) -> Iterator[Entry]:
    """Entries in the order in which they were written."""
    rows = connection.execute(
        "SELECT source, position, chunk.id, name, metadata, spans, text FROM chunk "  # noqa: S608  # our own
        f"JOIN body ON body.id = chunk.id WHERE {where} ORDER BY chunk.rowid",
        values,
    )
    for source, position, row, name, metadata, spans, text in rows:
        try:
            chunk = Chunk(
                zlib.decompress(text).decode("utf-8", "surrogatepass"),
                name,
                None if metadata is None else json.loads(metadata, object_hook=_dates),
                source,
                tuple((start, end) for start, end in json.loads(spans)),
            )
        except (zlib.error, ValueError, TypeError) as error:
            raise DamagedFileError(f"source {source!r}: chunk {position} cannot be read: {error}") from error
        yield Entry(chunk, position, row)


def names_in(column: str) -> list[str]:
    """The texts of a column that holds a list of them.

    Raises:
        DamagedFileError: it holds something else.
    """
    try:
        found = json.loads(column)
    except (ValueError, TypeError):
        found = None
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise DamagedFileError(f"{column!r:.80}: expected a list of texts")
    return found


def _scope_value(chunk: Chunk, key: str) -> Any:
    value = (chunk.metadata or {}).get(key)
    if value is None and key == "source":
        value = chunk.source
    return _sorted(comparable_value(value))


def _sorted(value: Any) -> Any:
    """A comparable value as lists, those of sets in order: one text in every process."""
    if isinstance(value, frozenset):
        return sorted(map(_sorted, value), key=json.dumps)
    return list(map(_sorted, value)) if isinstance(value, tuple) else value


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _json(metadata: Mapping[str, Any], where: str) -> str:
    def plain(value: Any) -> Any:
        if isinstance(value, date):
            return {"chunkfilter:date": value.isoformat(), "time": isinstance(value, datetime)}
        if isinstance(value, Mapping):
            return dict(value)
        if isinstance(value, AbstractSet):
            return sorted(value, key=repr)
        if callable(getattr(value, "item", None)):  # a number of NumPy
            return value.item()
        raise TypeError(f"{value!r:.80}")

    try:
        return json.dumps(dict(metadata), default=plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"{where}: metadata that a ledger cannot keep: {error}; expected texts, numbers, dates, "
            "lists and mappings of them"
        ) from None


def _dates(value: dict[str, Any]) -> Any:
    if "chunkfilter:date" not in value:
        return value
    kind = datetime if value["time"] else date
    return kind.fromisoformat(value["chunkfilter:date"])
