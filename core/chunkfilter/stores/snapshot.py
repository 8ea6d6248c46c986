"""A store read once: its texts as chunks, and a digest of every row."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk
from chunkfilter.errors import StoreError
from chunkfilter.policy import Policy
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.stores.row import DIGEST_BYTES, RowId, digest_of
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
    """Read every row; of each page only what a policy reads is held.

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
    watched, read = watched_keys(policies, source_key), _read_keys(policies)
    wanted, found = set(read), dict[str, None]()  # keys of the rows, until each that is read was found
    for page in store.pages(vectors=vectors):
        for row in page:
            digests.add(row.id, digest_of(row, watched, with_vector=vectors))
            if row.text is None:
                continue
            known = row.known
            source = source_of(known, source_key)
            if not found.keys() >= wanted:
                found |= dict.fromkeys(key for key, value in known.items() if value is not None)
                found |= {} if source is None else {"source": None}  # a scope of the row's document
            metadata = {key: known[key] for key in read if key in known}
            source = None if source is None else sources.setdefault(source, source)
            chunks.append(Chunk(row.text, str(row.id), metadata or None, source))
            ids.append(row.id)
            if vectors:
                matrix.append(None if row.vector is None else row.vector.astype(np.float32))
    if repeated := digests.repeated():
        raise StoreError(f"{store.address}: {repeated} rows share an id with another one")
    if chunks and (lacked := wanted - found.keys()):
        _refuse_unknown(store.address, sorted(lacked), list(found))
    return Snapshot(chunks, ids, digests, _stacked(matrix, store.address) if vectors else None)


def _refuse_unknown(address: str, lacked: list[str], found: list[str]) -> None:
    """A misspelt key would make no two rows comparable, without a word."""
    named = ", ".join(map(repr, found[:_NAMED])) or "they have none"
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    raise StoreError(
        f"{address}: no row has a value under {', '.join(map(repr, lacked))}, which scope= or keep= of the "
        f"policy names; expected one of the keys of the rows: {named}{more}"
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
