"""Vectors on disk, by the model's name and the text's digest: one private SQLite file, used by ``compare``.

What other models say of a text is kept beside them, as bytes (``entity_cache``).

Every entry carries a checksum; one that is damaged counts as missing and is computed again. A file that is
damaged, foreign or of another version is replaced. A folder that cannot be written only costs time: the run
goes on without it.
"""

import hashlib
import logging
import os
import sqlite3
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import platformdirs

from chunkfilter.errors import DamagedFileError, StorageError
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.storage import Database, DatabaseKind, delete_database

logger = logging.getLogger("chunkfilter")

ENVIRONMENT_VARIABLE = "CHUNKFILTER_CACHE"
_FILE = "vectors.sqlite"
_KIND = DatabaseKind(
    "vector cache",
    1,
    """
CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS vectors (
  model INTEGER NOT NULL, text BLOB NOT NULL, vector BLOB NOT NULL, checksum INTEGER NOT NULL,
  PRIMARY KEY (model, text)
)""",
)

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
        """The stored bytes of the texts, likewise."""
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
        """Store bytes, one value a text, all or none of them."""
        rows = [
            (key, value, _checksum(model, key, value))
            for key, value in zip(map(_key, texts), values, strict=True)
        ]
        self._run(lambda database: _insert(database, model, rows), writes=True)

    def forget(self, model: str) -> None:
        """Drop every vector of a model."""
        self._run(lambda database: _delete(database, model), writes=True)

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
        delete_database(self.path)

    def _run(
        self, action: Callable[[sqlite3.Connection], _Result], *, writes: bool = False
    ) -> _Result | None:
        """What the action returns, ``None`` without access to the file; a damaged file is replaced."""
        for _ in range(2):
            try:
                with (
                    Database(self.path, _KIND) as database,
                    database.writing() if writes else database.reading() as connection,
                ):
                    return action(connection)
            except DamagedFileError as error:
                logger.warning("%s; the vector cache starts anew", error)
                self.clear()
            except StorageError as error:
                logger.warning("%s; the vector cache is not used", error)
                return None
        return None


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
