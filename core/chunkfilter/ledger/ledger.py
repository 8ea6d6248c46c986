"""``Ledger``: keeps a filtered index in step with its documents."""

import contextlib
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from chunkfilter.chunk import Chunk, as_chunks
from chunkfilter.errors import DamagedFileError, InputError, LedgerError, PolicyError, StorageError
from chunkfilter.ledger.change import Change
from chunkfilter.ledger.checks import find_problems
from chunkfilter.ledger.decide import decide
from chunkfilter.ledger.explain import explain
from chunkfilter.ledger.pending import (
    confirm,
    pending_change,
    set_setting,
    setting,
    supersede,
    write_decisions,
)
from chunkfilter.ledger.tables import LEDGER, Entry, entries_of, read_entries, write_entries
from chunkfilter.ledger.vectors import row_vectors
from chunkfilter.policy import ALGORITHM_VERSION, Policy
from chunkfilter.signals.embedders import Embedder, as_embedder
from chunkfilter.storage import Database

_WAY_OUT = "delete it and update a new ledger with every source, for an empty store"


class Ledger:
    """The record of an index: its sources, their chunks, what was removed and why; one SQLite file.

    ::

        change = ledger.update({"a.md": chunks}, delete=["b.md"])
        # write change.add, relabel change.relabel, delete change.delete in the store, then
        ledger.commit(change)

    After every commit the store holds each sentence of each current source, nothing of a deleted or replaced
    text, and no chunk that others cover. Until the commit the ledger is as it was; a change that was handed
    out is kept in the file, and :meth:`pending` hands it out again, to a new process too.

    Args:
        path: the file; it is made if it does not exist.
        policy: see :class:`chunkfilter.Policy`; every rule but ``random``.
        timeout: seconds that an update or a commit waits while another process writes.
        embedder: computes vectors where the policy needs them, and tells how much of a text it reads.
        entities: finds entities where the policy needs them: a function from texts to sets, or the name of a
            spaCy model.

    Raises:
        PolicyError: the policy does not parse, or names ``random``.
        LedgerError: the file is damaged, no ledger, of another version, or of another policy.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        policy: str | Policy = "coverage",
        *,
        timeout: float = 30,
        embedder: Embedder | str | None = None,
        entities: Any = None,
    ) -> None:
        if not isinstance(path, str | os.PathLike):
            raise InputError(f"path: got {path!r:.80}; expected the path of a ledger")
        self.path, self.policy, self._timeout = Path(path), Policy.parse(policy), timeout
        if any(term.name == "random" for stage in self.policy.stages for term in stage.terms):
            raise PolicyError(
                f"policy '{self.policy}': what 'random' removes is covered by nothing that is kept, so a "
                "ledger could not keep its promises; expected any other rule"
            )
        self._embedder = None if embedder is None else as_embedder(embedder)
        self._entities = entities
        if self.path.is_file() and not self.path.stat().st_size:
            raise LedgerError(f"{self.path}: an empty file, not a ledger; {_WAY_OUT}")
        with self._opened() as connection:
            written = setting(connection, "policy")
        if written is None:
            with self._opened(write=True) as connection:
                written = setting(connection, "policy") or str(self.policy)
                set_setting(connection, "policy", written)
        if written != str(self.policy):
            raise LedgerError(
                f"{self.path}: a ledger of policy '{written}', got '{self.policy}'; expected the policy it "
                "was made with; to change it, {_WAY_OUT}"
            )

    @contextlib.contextmanager
    def _opened(self, *, write: bool = False) -> Iterator[Connection]:
        """One transaction; the file is open only meanwhile, so that any thread may use the ledger."""
        try:
            with (
                Database(self.path, LEDGER, timeout=self._timeout) as database,
                database.writing() if write else database.reading() as connection,
            ):
                yield connection
        except DamagedFileError as error:
            raise LedgerError(
                f"{self.path}: {str(error).removeprefix(f'{self.path}: ')}; {_WAY_OUT}"
            ) from error
        except sqlite3.Error as error:
            raise LedgerError(f"{self.path}: damaged: {error}; {_WAY_OUT}") from error
        except StorageError as error:
            raise LedgerError(str(error)) from error

    def update(
        self,
        sources: Mapping[str, Sequence[Chunk | str]] | None = None,
        delete: Iterable[str] = (),
        *,
        rewrite: bool = False,
    ) -> Change:
        """Decide what the store has to do so that it holds what these sources hold now.

        An earlier change that was not committed is superseded: what the store took of it is taken back or
        kept, as the new decisions have it.

        Args:
            sources: all chunks of each new or changed source, in their order; an empty list deletes it. Other
                sources are untouched.
            delete: names of sources to delete; names that the ledger does not know are ignored.
            rewrite: write every row of the store again, for example for another embedder.

        Returns:
            The steps; to be applied and then committed, also if there are none.

        Raises:
            InputError: a name is no text, a source is no list of chunks, is named twice, or has metadata
                that cannot be stored.
            TooManyRemovedError: more would be removed than ``max_removed`` allows; nothing is written.
            MissingSignalError: the policy needs vectors or entities and nothing computes them.
            LedgerError: another process was writing for longer than ``timeout``.
        """
        given = {name: as_chunks(chunks) for name, chunks in _checked(sources or {}).items()}
        deleted = _names(delete)
        if both := sorted(deleted & given.keys()):
            raise InputError(f"source {both[0]!r}: both given and to be deleted; expected one of them")
        deleted |= {name for name, chunks in given.items() if not chunks}
        entries = [entries_of(name, chunks, self.policy.scope) for name, chunks in given.items() if chunks]
        with self._opened(write=True) as connection:
            if not rewrite and self._is_current(connection, entries, deleted):
                return Change(token=setting(connection, "committed") or "")
            supersede(connection)
            connection.executemany(
                "INSERT INTO replaced VALUES (?)", ((name,) for name in sorted(given.keys() | deleted))
            )
            for part in entries:
                write_entries(connection, part)
            self._decide(connection, rewrite)
            set_setting(connection, "pending", secrets.token_hex(8))
            return pending_change(connection)

    def _is_current(self, connection: Connection, entries: list[list[Entry]], deleted: set[str]) -> bool:
        """Whether an update with these sources would change nothing."""
        if setting(connection, "pending") or setting(connection, "algorithm") != str(ALGORITHM_VERSION):
            return False
        known = {name for (name,) in connection.execute("SELECT DISTINCT source FROM chunk")}
        select = (
            "SELECT source, position, id, name, metadata, spans FROM chunk WHERE source = ? ORDER BY position"
        )
        for part in entries:
            if part[0].source in known:
                rows = connection.execute(select, (part[0].source,)).fetchall()
                if rows != [entry.columns for entry in part]:
                    return False
            else:
                return False
        return not deleted & known

    def _decide(self, connection: Connection, rewrite: bool) -> None:
        entries = list(read_entries(connection))
        signals: dict[str, Any] = {"embedder": self._embedder, "entities": self._entities}
        if self.policy.needs_vectors and entries:
            signals["vectors"] = row_vectors(connection, entries, self._embedder)
        stored = dict(connection.execute("SELECT id, source FROM stored WHERE pending = 0"))
        write_decisions(connection, decide(entries, stored, self.policy, **signals), rewrite)

    def pending(self) -> Change | None:
        """The change that was handed out and not committed, ``None`` if there is none.

        Raises:
            LedgerError: the file cannot be read.
        """
        with self._opened() as connection:
            return pending_change(connection) if setting(connection, "pending") else None

    def commit(self, change: Change) -> None:
        """Say that the store took a change; to repeat it does no harm.

        Raises:
            LedgerError: the change is not the pending one: another update superseded it.
        """
        if not isinstance(change, Change):
            raise InputError(f"change: got {change!r:.80}; expected what update() or pending() returned")
        with self._opened(write=True) as connection:
            if change.token == (setting(connection, "committed") or ""):
                return
            if change.token != setting(connection, "pending"):
                raise LedgerError(
                    f"{self.path}: this change was superseded by another update; apply what pending() returns"
                )
            confirm(connection)
            set_setting(connection, "committed", change.token)
            set_setting(connection, "algorithm", str(ALGORITHM_VERSION))

    def sources(self) -> dict[str, int]:
        """The committed sources in the order in which they were written, with their numbers of chunks."""
        with self._opened() as connection:
            return dict(
                connection.execute(
                    "SELECT source, count(*) FROM chunk WHERE pending = 0 GROUP BY source ORDER BY min(rowid)"
                )
            )

    def chunks(self, source: str) -> list[Chunk]:
        """The chunks of a committed source as they were given, in order; none of one that is not known."""
        with self._opened() as connection:
            where = "pending = 0 AND source = ?"
            return [entry.chunk for entry in read_entries(connection, where, (source,))]

    def removed(self, source: str) -> list[int]:
        """Positions of the chunks of a committed source that are not stored, ascending."""
        with self._opened() as connection:
            select = "SELECT position FROM removal WHERE pending = 0 AND source = ? ORDER BY position"
            return [position for (position,) in connection.execute(select, (source,))]

    def stored(self) -> tuple[str, ...]:
        """Ids of the rows that the store holds according to the ledger, ascending."""
        with self._opened() as connection:
            return tuple(
                row for (row,) in connection.execute("SELECT id FROM stored WHERE pending = 0 ORDER BY id")
            )

    def explain(self, id: str) -> str:
        """What was decided about a chunk, for a reader: one line a place where it stands.

        Args:
            id: of a row of the store, or the id that a chunk had when it was given.

        Raises:
            InputError: the ledger knows no such chunk.
        """
        with self._opened() as connection:
            return explain(connection, id)

    def check(self, store_ids: Iterable[str] | None = None) -> tuple[str, ...]:
        """Look for damage: the file, its texts, and that every removed chunk is covered by stored ones.

        Args:
            store_ids: ids that the store holds; given, they are compared with what the ledger wrote.

        Returns:
            A sentence a problem; empty if all is well.

        Raises:
            LedgerError: the file is so damaged that it cannot be read.
        """
        with self._opened() as connection:
            return tuple(find_problems(connection, None if store_ids is None else set(store_ids)))


def _checked(sources: Mapping[str, Sequence[Chunk | str]]) -> Mapping[str, Sequence[Chunk | str]]:
    if not isinstance(sources, Mapping):
        raise InputError(f"sources: got {sources!r:.80}; expected a mapping from names to lists of chunks")
    _names(sources)
    return sources


def _names(names: Iterable[str]) -> set[str]:
    if isinstance(names, str):
        raise InputError(f"sources: got one text, {names!r:.80}; expected a list of names")
    found = list(names)
    for name in found:
        if not isinstance(name, str) or not name or any("\ud800" <= sign <= "\udfff" for sign in name):
            raise InputError(f"source {name!r:.80}: expected a text that is not empty and can be encoded")
    return set(found)
