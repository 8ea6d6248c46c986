"""SQLite files: many readers, one writer at a time, errors that name the file and the way out."""

import contextlib
import os
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from chunkfilter.errors import DamagedFileError, StorageError

#: Seconds that a write waits for another writer unless a number is given.
_TIMEOUT = 30.0
#: What the head of a file says of its kind.
_HEAD = ("application_id", "user_version")


@dataclass(frozen=True, slots=True)
class DatabaseKind:
    """A kind of SQLite file.

    Args:
        name: what it is, for example ``ledger``; a file of another kind is refused.
        version: of the tables; a file of another version is refused.
        tables: SQL that makes the tables of a new file; each statement with ``IF NOT EXISTS``.
    """

    name: str
    version: int
    tables: str

    @property
    def application(self) -> int:
        """The number that SQLite keeps in the head of a file of this kind: 31 bits."""
        return zlib.crc32(f"chunkfilter-{self.name}".encode()) >> 1


class Database:
    """A SQLite file, private to its owner, with a write-ahead log: readers go on while one process writes.

    Args:
        path: the file; it is made, with its folder, if it does not exist. A symbolic link is refused.
        kind: what it holds.
        timeout: seconds that a transaction waits for another writer.

    Raises:
        DamagedFileError: the file is damaged, foreign, or of another version of its kind.
        StorageError: the file cannot be opened or made, or another process kept it locked.
    """

    def __init__(self, path: Path, kind: DatabaseKind, *, timeout: float = _TIMEOUT) -> None:
        self.path, self._kind, self._timeout = path, kind, timeout
        with self._errors():
            _make_private(path)
            self._connection = sqlite3.connect(path, timeout=timeout, isolation_level=None)
            try:
                self._prepare()
            except UnicodeDecodeError as error:  # SQLite's complaint quotes what the file holds
                self._connection.close()
                raise DamagedFileError(f"{path}: damaged: {error.object!r:.120}") from error
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self) -> None:
        connection, kind = self._connection, self._kind
        connection.execute("BEGIN")  # one state: another process may be making the file
        found = tuple(connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _HEAD)
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection.execute("COMMIT")
        if found == (0, 0) and not tables:
            connection.executescript(
                f"BEGIN IMMEDIATE; {kind.tables}; PRAGMA application_id = {kind.application}; "
                f"PRAGMA user_version = {kind.version}; COMMIT;"
            )
        elif found[0] != kind.application:
            raise DamagedFileError(f"{self.path}: a SQLite file, but no {kind.name} of chunkfilter")
        elif found[1] != kind.version:
            raise DamagedFileError(
                f"{self.path}: a {kind.name} of version {found[1]}; this chunkfilter reads {kind.version}: "
                "upgrade it, or use the chunkfilter that wrote the file"
            )
        with contextlib.suppress(sqlite3.OperationalError):  # where it is not to be had, readers wait
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA temp_store = MEMORY")

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A transaction that sees one state of the file, whatever others write meanwhile.

        Raises:
            DamagedFileError: the file is damaged.
            StorageError: it cannot be read.
        """
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that may write: committed at the end of the block, rolled back on any exception.

        Raises:
            DamagedFileError: the file is damaged.
            StorageError: another process was writing for longer than the timeout, the disk is full ...
        """
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._errors():
            self._connection.execute(begin)
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(f"{self.path}: cannot be opened: {error.strerror or error}") from error
        except sqlite3.OperationalError as error:
            # Python's own errors of this kind carry no code
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise StorageError(
                    f"{self.path}: another process has been writing to it for {self._timeout:g} s; wait "
                    "until it has ended"
                ) from error
            raise StorageError(f"{self.path}: {error}") from error
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:  # a constraint or a wrong statement
                raise
            raise DamagedFileError(f"{self.path}: damaged, or no SQLite file: {error}") from error

    def close(self) -> None:
        """Close the file; safe to repeat."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _make_private(path: Path) -> None:
    """Make the file and its folder if there is none; a file made with other rights gets its owner's alone."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        if hasattr(os, "fchmod"):
            os.fchmod(handle, 0o600)
    finally:
        os.close(handle)


def delete_database(path: Path) -> None:
    """Delete a SQLite file and what SQLite keeps beside it; one that does not exist is no error.

    Raises:
        OSError: it cannot be deleted.
    """
    for suffix in ("", "-journal", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
