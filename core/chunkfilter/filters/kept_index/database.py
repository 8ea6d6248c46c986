"""The file of an index: SQLite, with a mark of its own, a version, and one writer at a time."""

import contextlib
import os
import secrets
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from chunkfilter.errors import KeptIndexError

#: ``PRAGMA application_id`` of the file: "ChFi".
_MARK = 0x43684669
_VERSION = 1
_SCHEMA = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE chunks (
  number INTEGER PRIMARY KEY, text BLOB NOT NULL, id BLOB, source BLOB, spans TEXT NOT NULL,
  scope TEXT NOT NULL, entities TEXT, placed INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
  checksum INTEGER NOT NULL
);
CREATE INDEX chunks_by_source ON chunks (source, start);
CREATE INDEX chunks_by_placed ON chunks (placed, number);
CREATE TABLE vectors (
  first INTEGER PRIMARY KEY, width INTEGER NOT NULL, rows BLOB NOT NULL, checksum INTEGER NOT NULL
);
CREATE TABLE segments (segment INTEGER PRIMARY KEY, kind TEXT NOT NULL, entries INTEGER NOT NULL);
CREATE TABLE pages (
  page INTEGER PRIMARY KEY, segment INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  entries INTEGER NOT NULL, content BLOB NOT NULL, checksum INTEGER NOT NULL
);
CREATE INDEX pages_by_segment ON pages (segment, first, last);
CREATE TABLE removed (
  entry INTEGER PRIMARY KEY, id BLOB, source BLOB, sha256 TEXT NOT NULL, rule TEXT NOT NULL
);
CREATE INDEX removed_by_source ON removed (source);
CREATE TABLE keepers (number INTEGER, entry INTEGER, PRIMARY KEY (number, entry)) WITHOUT ROWID;
CREATE INDEX keepers_by_entry ON keepers (entry);
"""


def created(path: Path | None, facts: Mapping[str, str]) -> sqlite3.Connection:
    """A new index with some facts; in memory without a path. A file appears whole or not at all.

    Raises:
        KeptIndexError: there is such a file already, or it cannot be made.
    """
    connection = _connected(":memory:")
    connection.executescript(
        f"PRAGMA application_id={_MARK}; PRAGMA user_version={_VERSION}; BEGIN; {_SCHEMA} COMMIT;"
    )
    connection.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
    if path is None:
        return connection
    if path.exists():
        raise KeptIndexError(f"{path}: exists already; KeptIndex.load(path) goes on with it")
    copied(connection, path)
    connection.close()
    return opened(path)[0]


def opened(path: Path) -> tuple[sqlite3.Connection, dict[str, str]]:
    """The database of a file that is there, whole and of a version this code reads, and its facts.

    Raises:
        KeptIndexError: it is not; the message names the file and the way out.
    """
    if not path.is_file():
        raise KeptIndexError(f"{path}: no such file; KeptIndex(policy, path) makes a new index")
    _refuse_foreign(path)
    connection = _connected(str(path))
    try:
        _refuse_other_length(connection, path)
        return connection, dict(connection.execute("SELECT name, value FROM facts"))
    except sqlite3.DatabaseError as error:
        connection.close()
        raise damaged(path, error) from error
    except BaseException:
        connection.close()
        raise


def _refuse_foreign(path: Path) -> None:
    """Look at the header before SQLite, which would write into an empty file or one of others."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise KeptIndexError(f"{path}: cannot be read: {error.strerror}") from error
    if not header.startswith(b"SQLite format 3\0") or header[68:72] != _MARK.to_bytes(4, "big"):
        raise KeptIndexError(f"{path}: not an index of kept chunks; nothing was changed")
    version = int.from_bytes(header[60:64], "big")
    if version != _VERSION:
        raise KeptIndexError(
            f"{path}: format version {version}; this chunkfilter reads {_VERSION}: upgrade it, or build the "
            "index again"
        )


def damaged(path: Path | None, error: sqlite3.Error) -> KeptIndexError:
    """What is said about a file that SQLite cannot read, or must wait for."""
    if "locked" in str(error) or "busy" in str(error):
        return KeptIndexError(f"{path}: another run is adding to this index; wait until it has ended")
    return KeptIndexError(
        f"{path}: cannot be read as an index of kept chunks ({error}); restore a copy, or build the index "
        "again; the file was left as it is"
    )


def checksum(*values: object) -> int:
    """CRC-32 of what a row holds."""
    total = 0
    for value in values:
        content = value if isinstance(value, bytes) else repr(value).encode("utf-8", "surrogatepass")
        total = zlib.crc32(content, total)
    return total


def check(expected: object, *values: object) -> None:
    """Refuse a row that is not what was written.

    Raises:
        sqlite3.DatabaseError: its checksum differs.
    """
    if checksum(*values) != expected:
        raise sqlite3.DatabaseError("a row is damaged")


def _refuse_other_length(connection: sqlite3.Connection, path: Path) -> None:
    """A file cut off or added to; while a log of changes lies beside it, its length says nothing."""
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size:
        return
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    if pages * size != path.stat().st_size:
        raise sqlite3.DatabaseError(f"{path.stat().st_size} bytes; expected {pages * size}")


def _connected(name: str) -> sqlite3.Connection:
    connection = sqlite3.connect(name, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA cell_size_check=ON")
    except sqlite3.DatabaseError as error:
        connection.close()
        raise damaged(Path(name), error) from error
    return connection


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, path: Path | None, kind: str) -> Iterator[None]:
    """All or nothing.

    Args:
        connection: of the index.
        path: its file, for messages.
        kind: ``IMMEDIATE`` to write: fails at once if another writes; ``DEFERRED`` to read one state.

    Raises:
        KeptIndexError: another run is writing, or the file is damaged; nothing was changed.
    """
    try:
        connection.execute(f"BEGIN {kind}")
        yield
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        _undone(connection)
        raise damaged(path, error) from error
    except BaseException:
        _undone(connection)
        raise


def _undone(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def copied(connection: sqlite3.Connection, path: Path) -> None:
    """Write the whole database to a file, which takes the name when it is complete.

    Raises:
        KeptIndexError: the name is that of something other than a file, or it cannot be written.
    """
    if path.exists() and not path.is_file():
        raise KeptIndexError(f"{path}: not a regular file; expected a file to write or to replace")
    if Path(f"{path}-wal").exists():
        raise KeptIndexError(f"{path}: an index that is in use; save under another name")
    temporary = path.with_name(f".chunkfilter-{secrets.token_hex(8)}.part")
    try:
        connection.execute("VACUUM INTO ?", (str(temporary),))
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except (sqlite3.Error, OSError) as error:
        raise KeptIndexError(f"{path}: cannot be written: {error}") from error
    finally:
        temporary.unlink(missing_ok=True)
