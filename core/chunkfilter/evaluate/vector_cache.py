"""Vectors on disk, by the model's name and the text's digest: one private SQLite file, used by ``compare``.

What other models say of a text is kept beside them, as bytes (``entity_cache``).

Every entry carries a checksum; one that is damaged counts as missing and is computed again. A file that
SQLite cannot read is replaced. A folder that cannot be written only costs time: the run goes on without it.
"""

import contextlib
import hashlib
import logging
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import platformdirs

from chunkfilter.signals.embedders import FloatArray

logger = logging.getLogger("chunkfilter")

ENVIRONMENT_VARIABLE = "CHUNKFILTER_CACHE"
_FILE = "vectors.sqlite"
#: Raised when the tables change: files of another version are replaced.
_VERSION = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS vectors (
  model INTEGER NOT NULL, text BLOB NOT NULL, vector BLOB NOT NULL, checksum INTEGER NOT NULL,
  PRIMARY KEY (model, text)
);
"""
_SECONDS_TO_WAIT_FOR_OTHERS = 30

_Result = TypeVar("_Result")


def cache_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Where the cache is: the folder given, else ``CHUNKFILTER_CACHE``, else the user's cache folder."""
    chosen = folder or os.environ.get(ENVIRONMENT_VARIABLE) or platformdirs.user_cache_dir("chunkfilter")
    return Path(chosen).expanduser()


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """What the cache holds.

    Args:
        path: its file, which need not exist.
        bytes: size of the file, 0 if there is none.
        vectors: number of vectors by model.
    """

    path: Path
    bytes: int
    vectors: dict[str, int]


class VectorCache:
    """The cache in one folder. Safe to use from several processes: SQLite locks the file.

    Args:
        folder: see :func:`cache_folder`.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.path = cache_folder(folder) / _FILE

    def read(self, model: str, texts: Sequence[str]) -> dict[str, FloatArray]:
        """The stored vectors of the texts; texts without one are missing from the answer.

        Args:
            model: the model's name.
            texts: any number of texts.
        """
        stored = self.read_bytes(model, texts)
        return {text: np.frombuffer(value, dtype="<f4").astype(np.float32) for text, value in stored.items()}

    def read_bytes(self, model: str, texts: Sequence[str]) -> dict[str, bytes]:
        """The same for what was stored as bytes."""
        if not texts:
            return {}
        by_key = {_key(text): text for text in texts}
        rows = self._run(lambda database: _select(database, model, list(by_key))) or []
        intact = {
            by_key[key]: value
            for key, value, checksum in rows
            if isinstance(value, bytes) and checksum == _checksum(model, key, value)
        }
        if len(intact) < len(rows):
            logger.warning("%s: %d damaged entries are computed again", self.path, len(rows) - len(intact))
        return intact

    def write(self, model: str, texts: Sequence[str], vectors: FloatArray) -> None:
        """Store vectors, all or none of them.

        Args:
            model: the model's name.
            texts: n texts.
            vectors: shape (n, d).
        """
        self.write_bytes(model, texts, [row.astype("<f4").tobytes() for row in vectors])

    def write_bytes(self, model: str, texts: Sequence[str], values: Sequence[bytes]) -> None:
        """The same for bytes, one value a text."""
        rows = [
            (key, value, _checksum(model, key, value))
            for key, value in zip(map(_key, texts), values, strict=True)
        ]
        self._run(lambda database: _insert(database, model, rows))

    def forget(self, model: str) -> None:
        """Drop every vector of a model."""
        self._run(lambda database: _delete(database, model))

    def info(self) -> CacheInfo:
        """Count what is stored."""
        if not self.path.exists():
            return CacheInfo(self.path, 0, {})
        counts = self._run(_count) or {}
        return CacheInfo(self.path, self.path.stat().st_size, counts)

    def clear(self) -> None:
        """Delete the file.

        Raises:
            OSError: it cannot be deleted.
        """
        for suffix in ("", "-journal"):
            self.path.with_name(_FILE + suffix).unlink(missing_ok=True)

    def _run(self, action: Callable[[sqlite3.Connection], _Result]) -> _Result | None:
        """What the action returns, ``None`` without access to the file; what is no database is replaced."""
        for _ in range(2):
            try:
                with _opened(self.path) as database:
                    return action(database)
            except (OSError, sqlite3.OperationalError) as error:  # no permission, disk full, locked for long
                logger.warning("%s: the vector cache is not used: %s", self.path, error)
                return None
            except sqlite3.DatabaseError as error:
                logger.warning("%s: the vector cache is damaged and starts anew: %s", self.path, error)
                self.clear()
        return None


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The database in one transaction: committed at the end, rolled back on any exception."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        if hasattr(os, "fchmod"):
            os.fchmod(handle, 0o600)  # a file made by someone's umask is closed to others too
    finally:
        os.close(handle)
    with contextlib.closing(sqlite3.connect(path, timeout=_SECONDS_TO_WAIT_FOR_OTHERS)) as database:
        database.execute("PRAGMA temp_store = MEMORY")
        with database:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version != _VERSION:
                _create(database, version)
            yield database


def _create(database: sqlite3.Connection, version: int) -> None:
    foreign = "DROP TABLE IF EXISTS models; DROP TABLE IF EXISTS vectors;" if version else ""
    database.executescript(f"BEGIN IMMEDIATE; {foreign} {_TABLES} PRAGMA user_version = {_VERSION}; COMMIT;")


def _select(database: sqlite3.Connection, model: str, keys: list[bytes]) -> list[tuple[bytes, bytes, int]]:
    database.execute("CREATE TEMP TABLE wanted (text BLOB PRIMARY KEY) WITHOUT ROWID")
    database.executemany("INSERT INTO wanted VALUES (?)", ((key,) for key in keys))
    return database.execute(
        "SELECT text, vector, checksum FROM wanted JOIN vectors USING (text) "
        "WHERE model = (SELECT id FROM models WHERE name = ?)",
        (model,),
    ).fetchall()


def _insert(database: sqlite3.Connection, model: str, rows: list[tuple[bytes, bytes, int]]) -> None:
    database.execute("INSERT OR IGNORE INTO models (name) VALUES (?)", (model,))
    (number,) = database.execute("SELECT id FROM models WHERE name = ?", (model,)).fetchone()
    database.executemany(
        "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", ((number, *row) for row in rows)
    )


def _delete(database: sqlite3.Connection, model: str) -> None:
    database.execute("DELETE FROM vectors WHERE model = (SELECT id FROM models WHERE name = ?)", (model,))


def _count(database: sqlite3.Connection) -> dict[str, int]:
    return dict(
        database.execute(
            "SELECT name, count(text) FROM models LEFT JOIN vectors ON model = id GROUP BY id ORDER BY name"
        ).fetchall()
    )


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _checksum(model: str, key: bytes, vector: bytes) -> int:
    return zlib.crc32(vector, zlib.crc32(key, zlib.crc32(model.encode("utf-8", "surrogatepass"))))
