"""What was removed, and for whom: so that it is known what a source takes along when it goes."""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chunkfilter.chunk import Chunk
from chunkfilter.filters.kept_index.rows import decoded, encoded
from chunkfilter.result import Removal, digest


@dataclass(frozen=True, slots=True)
class Orphan:
    """A removed chunk that lost a chunk which stood for it: its text has to be added again.

    Args:
        id: of the removed chunk.
        source: the document it came from, which still needs it.
        sha256: of its text, hexadecimal.
        rule: the rule that removed it.
    """

    id: str | None
    source: str | None
    sha256: str
    rule: str


def add_removals(
    connection: sqlite3.Connection,
    removals: Iterable[tuple[Removal, Sequence[int]]],
    chunks: Sequence[Chunk],
) -> None:
    """Write down removed chunks with the numbers of those that stand for them."""
    (last,) = connection.execute("SELECT max(entry) FROM removed").fetchone()
    entries: list[tuple[object, ...]] = []
    keepers: list[tuple[int, int]] = []
    for entry, (removal, numbers) in enumerate(removals, start=1 + (last or 0)):
        chunk = chunks[removal.index]
        names = encoded(chunk.id), encoded(chunk.source)
        entries.append((entry, *names, digest(chunk.text), removal.rule))
        keepers.extend((int(number), entry) for number in numbers)
    connection.executemany("INSERT INTO removed VALUES (?, ?, ?, ?, ?)", entries)
    connection.executemany("INSERT INTO keepers VALUES (?, ?)", keepers)


def take_out(connection: sqlite3.Connection, source: str) -> list[Orphan]:
    """Take the chunks of a source out, kept and removed; the removed chunks of others that relied on them."""
    name = encoded(source)
    connection.execute(
        "DELETE FROM keepers WHERE entry IN (SELECT entry FROM removed WHERE source = ?)", (name,)
    )
    connection.execute("DELETE FROM removed WHERE source = ?", (name,))
    lost = "SELECT DISTINCT entry FROM keepers JOIN chunks USING (number) WHERE chunks.source = ?"
    orphans = connection.execute(
        f"SELECT id, source, sha256, rule FROM removed WHERE entry IN ({lost}) ORDER BY entry",  # noqa: S608  # no value inside
        (name,),
    ).fetchall()
    entries = connection.execute(lost, (name,)).fetchall()
    connection.executemany("DELETE FROM removed WHERE entry = ?", entries)
    connection.executemany("DELETE FROM keepers WHERE entry = ?", entries)
    connection.execute("DELETE FROM chunks WHERE source = ?", (name,))
    found = [Orphan(decoded(id_), decoded(other), sha256, rule) for id_, other, sha256, rule in orphans]
    return list(dict.fromkeys(found))
