"""What a ledger decided about a chunk, for a reader."""

from sqlite3 import Connection

from chunkfilter.errors import InputError
from chunkfilter.ledger.tables import Entry, names_in, read_entries


def explain(connection: Connection, id: str) -> str:
    """One line a place where the chunk stands, one more for each row that covers it.

    Raises:
        InputError: the ledger knows no such chunk.
    """
    entries = list(read_entries(connection, "pending = 0 AND (chunk.id = ? OR name = ?)", (id, id)))
    if not entries:
        raise InputError(
            f"id {id!r:.80}: no chunk of the ledger; expected the id of a row or of a given chunk"
        )
    return "\n".join(line for entry in entries for line in _lines(connection, entry))


def _lines(connection: Connection, entry: Entry) -> list[str]:
    place = f"chunk {entry.position} of {entry.source}"
    found = connection.execute(
        "SELECT rule, score, kept_by FROM removal WHERE pending = 0 AND source = ? AND position = ?",
        (entry.source, entry.position),
    ).fetchone()
    if found is None:
        (sources,) = connection.execute(
            "SELECT sources FROM stored WHERE pending = 0 AND id = ?", (entry.id,)
        ).fetchone()
        others = [name for name in names_in(sources) if name != entry.source]
        return [f"{place}: kept, row {entry.id}" + (f", also in {', '.join(others)}" if others else "")]
    rule, score, kept_by = found
    lines = [f"{place}: removed by {rule}" + ("" if score is None else f", score {score:.4g}")]
    for row in names_in(kept_by):
        source, position = connection.execute(
            "SELECT source, position FROM stored WHERE pending = 0 AND id = ?", (row,)
        ).fetchone()
        lines.append(f"  covered by row {row}, chunk {position} of {source}")
    return lines
