"""Propositions on disk, by the model's name and the passage's digest: one private SQLite file, no pickle.

A file that SQLite cannot read is replaced, a row that is damaged counts as missing, a folder that cannot be
written only costs time.
"""

import contextlib
import hashlib
import json
import logging
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from chunkfilter.errors import InputError

logger = logging.getLogger("chunkfilter")

_FILE = "propositions.sqlite"
_TABLE = """
CREATE TABLE IF NOT EXISTS propositions (
  model TEXT NOT NULL, passage BLOB NOT NULL, sentences TEXT NOT NULL, checksum INTEGER NOT NULL,
  PRIMARY KEY (model, passage)
)
"""
_SECONDS_TO_WAIT_FOR_OTHERS = 30

_Result = TypeVar("_Result")


class PropositionFile:
    """The propositions of one model in one folder; several processes may use it.

    Args:
        folder: made if it is not there.
        model: the model's name.

    Raises:
        InputError: no path, or one that cannot be.
    """

    def __init__(self, folder: str | os.PathLike[str], model: str) -> None:
        self.path = _place(folder) / _FILE
        self._model = model.encode("utf-8", "backslashreplace").decode()  # a lone surrogate cannot be stored

    def read(self, passages: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """What is stored for the passages; those without are missing from the answer."""
        by_key = {_key(passage): passage for passage in passages}
        rows = self._run(lambda database: self._select(database, list(by_key))) if passages else None
        return {
            by_key[key]: tuple(json.loads(sentences))
            for key, sentences, checksum in rows or []
            if checksum == _checksum(self._model, key, sentences)
        }

    def write(self, stated: Mapping[str, tuple[str, ...]]) -> None:
        """Store the propositions of passages, all or none of them."""
        rows = [(_key(passage), json.dumps(sentences)) for passage, sentences in stated.items()]
        self._run(
            lambda database: database.executemany(
                "INSERT OR REPLACE INTO propositions VALUES (?, ?, ?, ?)",
                [(self._model, key, text, _checksum(self._model, key, text)) for key, text in rows],
            )
        )

    def _select(self, database: sqlite3.Connection, keys: list[bytes]) -> list[tuple[bytes, str, int]]:
        statement = "SELECT passage, sentences, checksum FROM propositions WHERE model = ? AND passage = ?"
        rows = (database.execute(statement, (self._model, key)).fetchone() for key in keys)
        return [row for row in rows if row]

    def _run(self, action: Callable[[sqlite3.Connection], _Result]) -> _Result | None:
        for _ in range(2):
            try:
                with self._opened() as database:
                    return action(database)
            except (OSError, sqlite3.OperationalError) as error:  # no permission, disk full, locked for long
                logger.warning("%s: stored propositions are not used: %s", self.path, error)
                return None
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                logger.warning("%s: stored propositions are damaged and start anew: %s", self.path, error)
                with contextlib.suppress(OSError):
                    self.path.unlink(missing_ok=True)
        return None

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The database in one transaction: committed at the end, rolled back on any exception."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))
        connected = sqlite3.connect(self.path, timeout=_SECONDS_TO_WAIT_FOR_OTHERS)
        with contextlib.closing(connected) as database, database:
            database.execute(_TABLE)
            yield database


def _place(folder: str | os.PathLike[str]) -> Path:
    if isinstance(folder, str | os.PathLike) and "\0" not in os.fspath(folder):
        with contextlib.suppress(RuntimeError):  # the home of a user that there is not
            return Path(folder).expanduser()
    raise InputError(f"folder: got {folder!r:.80}; expected the path of a folder")


def _key(passage: str) -> bytes:
    return hashlib.sha256(passage.encode("utf-8", "surrogatepass")).digest()


def _checksum(model: str, key: bytes, sentences: str) -> int:
    return zlib.crc32(f"{model}\n{key.hex()}\n{sentences}".encode("utf-8", "surrogatepass"))
