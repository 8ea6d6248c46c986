"""A store read once: its texts as chunks, and a digest of every row."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk
from chunkfilter.errors import StoreError
from chunkfilter.policy import Policy
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.stores.row import DIGEST_BYTES, Row, RowId, digest_of
from chunkfilter.stores.store import ReadableStore

#: Where frameworks put the document a chunk came from; the first that a row has is its source.
SOURCE_KEYS = ("source", "file_path", "file_name", "document_id", "ref_doc_id", "doc_id")
#: Keys named where one is misspelt.
_NAMED = 20


class Digests:
    """A digest of every row, 16 bytes each: for a million rows a dictionary of texts takes 100 MB more."""

    def __init__(self) -> None:
        self._ids: list[RowId] = []
        self._bytes = bytearray()

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, row: RowId, digest: str) -> None:
        """Note a row's digest, in hexadecimal."""
        self._ids.append(row)
        self._bytes += bytes.fromhex(digest)

    def repeated(self) -> int:
        """Rows whose id an earlier one has."""
        return len(self._ids) - len(set(self._ids))

    def __iter__(self) -> Iterator[tuple[RowId, str]]:
        for place, row in enumerate(self._ids):
            yield row, self._bytes[DIGEST_BYTES * place : DIGEST_BYTES * (place + 1)].hex()


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """What a store holds, as far as a policy reads it.

    Args:
        chunks: one a row with a text, in the store's order; metadata only where the policy reads it.
        ids: of the chunks.
        digests: of every row, also of those without a text.
        vectors: of the chunks, shape (n, d), a missing one NaN; ``None`` if they were not read.
    """

    chunks: list[Chunk]
    ids: list[RowId]
    digests: Digests
    vectors: FloatArray | None


def read_snapshot(
    store: ReadableStore, policies: Sequence[Policy], source_key: str | None, *, vectors: bool
) -> Snapshot:
    """Read every row; what no policy reads is let go page by page.

    Args:
        store: the store.
        policies: whose ``scope`` and ``keep`` name the metadata that is read.
        source_key: the metadata key that names a row's document; ``None`` for the frameworks' usual ones.
        vectors: read the vectors, and let them count as part of a row.

    Raises:
        StoreError: the store cannot be read, changed meanwhile, holds two rows with one id, or no row with a
            text has a key that a policy names.
    """
    chunks, ids, digests, sources = list[Chunk](), list[RowId](), Digests(), dict[str, str]()
    matrix: list[FloatArray | None] = []
    keys = watched_keys(policies, source_key)
    read = _read_keys(policies)
    lacked = _LackedKeys(read)
    for page in store.pages(vectors=vectors):
        for row in page:
            digests.add(row.id, digest_of(row, keys, with_vector=vectors))
            if row.text is not None:
                source = source_of(row.known, source_key)
                source = None if source is None else sources.setdefault(source, source)
                lacked.look_at(row, source)
                chunks.append(_chunk(row, row.text, read, source))
                ids.append(row.id)
                if vectors:
                    matrix.append(None if row.vector is None else row.vector.astype(np.float32))
    if repeated := digests.repeated():
        raise StoreError(f"{store.address}: {repeated} rows share an id with another one")
    if chunks:
        lacked.refuse(store.address)
    return Snapshot(chunks, ids, digests, _stacked(matrix, store.address) if vectors else None)


class _LackedKeys:
    """Keys that a policy names and no row has had so far: a misspelt one would keep every row apart."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._lacked = set(keys)
        self._there: dict[str, None] = {}

    def look_at(self, row: Row, source: str | None) -> None:
        """Take a row into account; ``source`` is looked for in the row's document too."""
        if self._lacked:
            known = row.known
            self._there.update(dict.fromkeys(key for key, value in known.items() if value is not None))
            self._lacked.difference_update(self._there, ("source",) if source is not None else ())

    def refuse(self, address: str) -> None:
        """Raise if a key was never there.

        Raises:
            StoreError: no row has it; it is named, and those that are there.
        """
        if self._lacked:
            named = ", ".join(repr(key) for key in sorted(self._lacked))
            there = ", ".join(map(repr, list(self._there)[:_NAMED])) or "they have none"
            more = f" and {len(self._there) - _NAMED} more" if len(self._there) > _NAMED else ""
            raise StoreError(
                f"{address}: no row has a value under {named}, which scope= or keep= of the policy names; "
                f"expected one of the keys of the rows: {there}{more}"
            )


def watched_keys(policies: Sequence[Policy], source_key: str | None) -> tuple[str, ...]:
    """The metadata keys that decide what policies do with a row."""
    sources = SOURCE_KEYS if source_key is None else (source_key,)
    return tuple(dict.fromkeys([*_read_keys(policies), *sources]))


def _read_keys(policies: Sequence[Policy]) -> tuple[str, ...]:
    keys: list[str] = []
    for policy in policies:
        kind, _, key = policy.keep.partition(":")
        keys += [*policy.scope, *{"newest": (key,), "best-score": ("score",)}.get(kind, ())]
    return tuple(dict.fromkeys(keys))


def _chunk(row: Row, text: str, keys: Sequence[str], source: str | None) -> Chunk:
    known = row.known
    read = {key: known[key] for key in keys if key in known}
    return Chunk(text, str(row.id), read or None, source)


def source_of(metadata: Mapping[str, Any], source_key: str | None = None) -> str | None:
    """The document a row came from, ``None`` if its metadata does not say."""
    for key in SOURCE_KEYS if source_key is None else (source_key,):
        if metadata.get(key) is not None:
            return str(metadata[key])
    return None


def _stacked(rows: Sequence[FloatArray | None], address: str) -> FloatArray:
    sizes = sorted({len(row) for row in rows if row is not None})
    if len(sizes) > 1:
        raise StoreError(
            f"{address}: vectors of {len(sizes)} lengths ({', '.join(map(str, sizes))}); expected those "
            "of one embedding model"
        )
    missing = np.full(sizes[0] if sizes else 0, np.nan, dtype=np.float32)
    return np.array([missing if row is None else row for row in rows], dtype=np.float32)
