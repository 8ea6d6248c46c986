"""Looks for damage in a ledger."""

from collections.abc import Iterator
from sqlite3 import Connection

from chunkfilter.errors import DamagedFileError
from chunkfilter.ledger.tables import entries_of, names_in, read_entries
from chunkfilter.policy import Policy


def find_problems(connection: Connection, store_ids: set[str] | None) -> Iterator[str]:
    """A sentence a problem.

    Args:
        connection: in a transaction that reads.
        store_ids: ids that the store holds, ``None`` if that is not asked.
    """
    for (problem,) in connection.execute("PRAGMA integrity_check"):
        if problem != "ok":
            yield f"file: {problem}"
    stored = {row for (row,) in connection.execute("SELECT id FROM stored WHERE pending = 0")}
    yield from _texts(connection)
    yield from _decisions(connection, stored)
    if connection.execute("SELECT 1 FROM setting WHERE name = 'pending'").fetchone():
        yield "a change was handed out and not committed: apply what pending() returns and commit it"
    if store_ids is not None:
        for row in sorted(stored - store_ids):
            yield f"store: row {row} is missing"
        for row in sorted(store_ids - stored):
            yield f"store: row {row} was written by others"


def _texts(connection: Connection) -> Iterator[str]:
    """Every id is the one of its text and scope."""
    (policy,) = connection.execute("SELECT value FROM setting WHERE name = 'policy'").fetchone()
    scope = Policy.parse(policy).scope
    for (source,) in connection.execute("SELECT DISTINCT source FROM chunk WHERE pending = 0").fetchall():
        try:
            entries = list(read_entries(connection, "pending = 0 AND source = ?", (source,)))
        except DamagedFileError as error:
            yield str(error)
            continue
        (count,) = connection.execute(
            "SELECT count(*) FROM chunk WHERE pending = 0 AND source = ?", (source,)
        ).fetchone()
        if count != len(entries):
            yield f"source {source!r}: {count - len(entries)} of {count} texts are missing"
        again = entries_of(source, [entry.chunk for entry in entries], scope)
        for entry, expected in zip(entries, again, strict=True):
            if entry.id != expected.id:
                yield f"source {source!r}: chunk {entry.position} is not the text that was written"


def _decisions(connection: Connection, stored: set[str]) -> Iterator[str]:
    """Every chunk is stored, or removed and covered by stored ones."""
    removals = {
        (source, position): (rule, names_in(kept_by))
        for source, position, rule, kept_by in connection.execute(
            "SELECT source, position, rule, kept_by FROM removal WHERE pending = 0"
        )
    }
    held = set()
    for source, position, row in connection.execute(
        "SELECT source, position, id FROM chunk WHERE pending = 0"
    ):
        held.add(row)
        if (source, position) in removals:
            rule, kept_by = removals[source, position]
            if (rule != "blank" and not kept_by) or not stored.issuperset(kept_by):
                yield f"source {source!r}: chunk {position} was removed and what covers it is not stored"
        elif row not in stored:
            yield f"source {source!r}: chunk {position} is neither stored nor removed"
    for row in sorted(stored - held):
        yield f"row {row} is stored and no source holds its text"
