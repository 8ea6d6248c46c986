"""Inverted lists: which stored chunks bear a key, in sorted pages that are merged as they grow.

Each ``add`` writes one sorted segment; four segments of like size are merged into one, so that a look-up has
few places to go to and every entry is written a few times only (the log-structured merge tree of O'Neil et
al., 1996). Keys are cut to 32 bits: a foreign key may collide and bring up a chunk too many.
"""

import sqlite3
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chunkfilter.filters.kept_index.database import check, checksum
from chunkfilter.text.ragged import IntArray, ranges
from chunkfilter.text.slices import HashArray

Keys = NDArray[np.uint32]

_PAGE = 1 << 15
#: So many segments of like size become one; those larger than ``_LARGE`` entries stay as they are.
_FAN = 4
_LARGE = 1 << 24


def cut(hashes: HashArray) -> Keys:
    """The upper half of 64 mixed bits."""
    return (hashes >> np.uint64(32)).astype(np.uint32)


def add_postings(connection: sqlite3.Connection, kind: str, keys: Keys, numbers: IntArray) -> None:
    """Remember that chunks bear keys.

    Args:
        connection: in a transaction.
        kind: what the keys are of.
        keys: shape (e,).
        numbers: shape (e,), the chunk of each key.
    """
    if len(keys):
        _write(connection, kind, _sorted(keys.astype(np.uint64) << np.uint64(32) | numbers.astype(np.uint64)))
        _merge(connection, kind)


def find_postings(connection: sqlite3.Connection, kind: str, keys: Keys) -> tuple[IntArray, IntArray]:
    """The chunks that bear keys.

    Args:
        connection: of the index.
        kind: what the keys are of.
        keys: shape (k,), ascending and distinct.

    Returns:
        Places in ``keys`` and numbers of chunks, one pair a posting.
    """
    places, numbers = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for page, first, last in connection.execute(
        "SELECT page, first, last FROM pages JOIN segments USING (segment) WHERE kind = ?", (kind,)
    ).fetchall():
        low, high = np.searchsorted(keys, [first, last + 1])
        if low < high:
            held, chunks = _read(connection, page)
            starts = np.searchsorted(held, keys[low:high], side="left")
            counts = np.searchsorted(held, keys[low:high], side="right") - starts
            places.append(np.repeat(np.arange(low, high), counts))
            numbers.append(chunks[ranges(starts, counts)])
    return np.concatenate(places), np.concatenate(numbers)


def _sorted(entries: HashArray) -> HashArray:
    """Ascending, each once; faster than ``np.unique`` on millions of mostly distinct values."""
    ranked = np.sort(entries)
    distinct: HashArray = ranked[np.append(True, ranked[1:] != ranked[:-1])]
    return distinct


def _write(connection: sqlite3.Connection, kind: str, entries: HashArray) -> None:
    segment = connection.execute(
        "INSERT INTO segments (kind, entries) VALUES (?, ?)", (kind, len(entries))
    ).lastrowid
    for start in range(0, len(entries), _PAGE):
        part = entries[start : start + _PAGE]
        keys, numbers = part >> np.uint64(32), part.astype(np.uint32)
        steps = np.diff(keys, prepend=keys[:1]).astype("<u4")
        content = zlib.compress(_planes(steps) + _planes(numbers.astype("<u4")), 1)
        page = (int(keys[0]), int(keys[-1]), len(part), content)
        connection.execute(
            "INSERT INTO pages (segment, first, last, entries, content, checksum) VALUES (?, ?, ?, ?, ?, ?)",
            (segment, *page, checksum(*page)),
        )


def _planes(values: NDArray[np.uint32]) -> bytes:
    """First all lowest bytes, then all second ones, ...: the high ones are alike and compress well."""
    return values.view(np.uint8).reshape(-1, 4).T.tobytes()


def _read(connection: sqlite3.Connection, page: int) -> tuple[Keys, IntArray]:
    first, last, entries, content, expected = connection.execute(
        "SELECT first, last, entries, content, checksum FROM pages WHERE page = ?", (page,)
    ).fetchone()
    check(expected, first, last, entries, content)
    planes = np.frombuffer(zlib.decompress(content), dtype=np.uint8).reshape(2, 4, entries)
    steps, numbers = (np.ascontiguousarray(half.T).view("<u4")[:, 0] for half in planes)
    return (np.cumsum(steps, dtype=np.uint64) + np.uint64(first)).astype(np.uint32), numbers.astype(np.int64)


def _merge(connection: sqlite3.Connection, kind: str) -> None:
    """Merge segments while four are of like size."""
    while True:
        tiers: dict[int, list[int]] = {}
        for segment, entries in connection.execute(
            "SELECT segment, entries FROM segments WHERE kind = ? AND entries < ?", (kind, _LARGE)
        ):
            tiers.setdefault(entries.bit_length() // 2, []).append(segment)
        full = next((segments for segments in tiers.values() if len(segments) >= _FAN), None)
        if full is None:
            return
        merged = np.sort(np.concatenate([_entries(connection, segment) for segment in full]))
        for table in ("pages", "segments"):
            connection.executemany(f"DELETE FROM {table} WHERE segment = ?", [(one,) for one in full])  # noqa: S608  # two names of our own
        _write(connection, kind, merged)


def _entries(connection: sqlite3.Connection, segment: int) -> HashArray:
    pages: Sequence[tuple[int]] = connection.execute(
        "SELECT page FROM pages WHERE segment = ? ORDER BY page", (segment,)
    ).fetchall()
    parts = [_read(connection, page) for (page,) in pages]
    return np.concatenate(
        [keys.astype(np.uint64) << np.uint64(32) | numbers.astype(np.uint64) for keys, numbers in parts]
    )
