"""The pending change: written with its decisions, handed out, superseded or confirmed."""

import json
from sqlite3 import Connection

from chunkfilter.chunk import Chunk
from chunkfilter.ledger.change import Change
from chunkfilter.ledger.decide import Decided
from chunkfilter.ledger.tables import Entry, names_in, read_entries


def setting(connection: Connection, name: str) -> str | None:
    """Read a setting of the file, ``None`` if it was never written."""
    found = connection.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
    return None if found is None else str(found[0])


def set_setting(connection: Connection, name: str, value: str) -> None:
    """Write a setting of the file."""
    connection.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (name, value))


def supersede(connection: Connection) -> None:
    """Forget the pending change, but not which rows of the store it may have touched."""
    connection.execute("INSERT OR IGNORE INTO touched SELECT id, step FROM todo")
    for table in ("chunk", "removal", "stored"):
        connection.execute(f"DELETE FROM {table} WHERE pending = 1")  # noqa: S608  # names of our own
    for table in ("replaced", "todo"):
        connection.execute(f"DELETE FROM {table}")  # noqa: S608
    connection.execute("DELETE FROM setting WHERE name = 'pending'")


def write_decisions(connection: Connection, decided: Decided, rewrite: bool) -> None:
    """Write decisions as pending, and the steps that lead the store to them from any state it may be in."""
    labels = {row: found.entry.label(found.sources) for row, found in decided.rows.items()}
    connection.executemany(
        "INSERT INTO stored VALUES (1, ?, ?, ?, ?, ?)",
        (
            (row, found.entry.source, found.entry.position, json.dumps(found.sources), labels[row])
            for row, found in decided.rows.items()
        ),
    )
    connection.executemany(
        "INSERT INTO removal VALUES (1, ?, ?, ?, ?, ?)",
        ((*removal[:4], json.dumps(removal[4])) for removal in decided.removals),
    )
    before = dict(connection.execute("SELECT id, label FROM stored WHERE pending = 0"))
    touched: dict[str, set[str]] = {}
    for row, step in connection.execute("SELECT id, step FROM touched"):
        touched.setdefault(row, set()).add(step)
    steps = [(row, "delete") for row in before.keys() | touched.keys() if row not in labels]
    for row, label in labels.items():
        if rewrite or row not in before or touched.get(row, set()) - {"relabel"}:
            steps.append((row, "add"))
        elif row in touched or before[row] != label:
            steps.append((row, "relabel"))
    connection.executemany("INSERT INTO todo VALUES (?, ?)", steps)


def pending_change(connection: Connection) -> Change:
    """The pending change as it is handed out."""
    where = (
        "(pending = 1 OR source NOT IN (SELECT source FROM replaced)) AND EXISTS (SELECT 1 FROM stored, todo "
        "WHERE stored.pending = 1 AND stored.id = chunk.id AND stored.source = chunk.source "
        "AND stored.position = chunk.position AND todo.id = chunk.id AND todo.step = ?)"
    )
    added = list(read_entries(connection, where, ("add",)))
    labelled = list(read_entries(connection, where, ("relabel",)))
    sources = {
        row: tuple(names_in(found))
        for row, found in connection.execute(
            "SELECT id, sources FROM stored WHERE pending = 1 AND id IN (SELECT id FROM todo)"
        )
    }
    deleted = connection.execute("SELECT id FROM todo WHERE step = 'delete' ORDER BY id")
    return Change(
        add=tuple(_row(entry) for entry in added),
        delete=tuple(row for (row,) in deleted),
        relabel=tuple(entry.id for entry in labelled),
        relabelled=tuple(_row(entry) for entry in labelled),
        also_in={
            entry.id: tuple(name for name in sources[entry.id] if name != entry.source)
            for entry in (*added, *labelled)
        },
        token=setting(connection, "pending") or "",
    )


def _row(entry: Entry) -> Chunk:
    chunk = entry.chunk
    return Chunk(chunk.text, entry.id, chunk.metadata, chunk.source, chunk.spans)


def confirm(connection: Connection) -> None:
    """Make the pending state the current one, and forget the texts that no source holds any more."""
    connection.execute("DELETE FROM chunk WHERE pending = 0 AND source IN (SELECT source FROM replaced)")
    for table in ("removal", "stored"):
        connection.execute(f"DELETE FROM {table} WHERE pending = 0")  # noqa: S608  # names of our own
    for table in ("chunk", "removal", "stored"):
        connection.execute(f"UPDATE {table} SET pending = 0 WHERE pending = 1")  # noqa: S608
    for table in ("replaced", "todo", "touched"):
        connection.execute(f"DELETE FROM {table}")  # noqa: S608
    for table in ("body", "vector"):
        connection.execute(f"DELETE FROM {table} WHERE id NOT IN (SELECT id FROM chunk)")  # noqa: S608
    connection.execute("DELETE FROM setting WHERE name = 'pending'")
