"""Stored chunks beside others in their source: they tell coverage where a sentence is cut."""

import sqlite3
from collections.abc import Sequence

import numpy as np

from chunkfilter.chunk import Chunk
from chunkfilter.filters.kept_index.rows import encoded, is_placed
from chunkfilter.text.ragged import IntArray


def with_neighbours(
    connection: sqlite3.Connection, candidates: Sequence[tuple[int, Chunk]], new: Sequence[Chunk]
) -> IntArray:
    """Numbers of the candidates and of what stands beside them and beside new chunks.

    Chunks that name their place have the neighbours that touch them; the others the one before and the one
    after them in the order of adding.
    """
    (longest,) = connection.execute("SELECT max(end - start) FROM chunks WHERE placed").fetchone()
    numbers = {number for number, _ in candidates}
    placed = {chunk for _, chunk in candidates if is_placed(chunk)} | {one for one in new if is_placed(one)}
    reach = int(longest or 0)
    for chunk in placed if longest is not None else ():
        numbers.update(
            number
            for (number,) in connection.execute(
                "SELECT number FROM chunks "
                "WHERE source = ? AND start BETWEEN ? AND ? AND end >= ? AND placed",
                (encoded(chunk.source), (chunk.start or 0) - reach, chunk.end, chunk.start),
            )
        )
    for number, chunk in candidates:
        if not is_placed(chunk):
            numbers.update(_beside(connection, number))
    (last,) = connection.execute("SELECT max(number) FROM chunks WHERE placed = 0").fetchone()
    return np.array(sorted(numbers | ({last} - {None})), dtype=np.int64)


def _beside(connection: sqlite3.Connection, number: int) -> set[int]:
    found = connection.execute(
        "SELECT (SELECT max(number) FROM chunks WHERE placed = 0 AND number < ?), "
        "(SELECT min(number) FROM chunks WHERE placed = 0 AND number > ?)",
        (number, number),
    ).fetchone()
    return {one for one in found if one is not None}
