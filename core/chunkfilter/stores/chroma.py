"""Chroma: a folder, a server, or a collection object."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from chunkfilter.errors import StoreError
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.stores.address import Address, collection_named
from chunkfilter.stores.chroma_clients import (
    client_errors,
    close_client,
    folder_client,
    server_client,
)
from chunkfilter.stores.journal import Journal
from chunkfilter.stores.lock import file_lock
from chunkfilter.stores.row import Row, RowId, batches
from chunkfilter.stores.store import Index, Store

#: Rows a read or write takes at once: SQLite takes 32,766 variables, Chroma 5,461 rows.
_PAGE = 2000
#: Ids read at once.
_ID_PAGE = 20_000
_EVERYTHING = ["documents", "metadatas", "embeddings", "uris"]
#: More changes than any plan makes; and Chroma's own interval, for a store left so by a plan that is lost.
_NEVER, _USUAL = 1_000_000_000, 1000
_EVENT = "sync interval"


def open_chroma_folder(address: Address) -> "ChromaStore":
    """A collection of a folder that a Chroma client wrote.

    Raises:
        StoreError: no such folder or collection, or the folder cannot be opened.
    """
    folder = Path(address.place).expanduser().resolve()
    if not (folder / "chroma.sqlite3").is_file():  # the client would make a new store
        raise StoreError(f"{folder}: no Chroma store is there (no chroma.sqlite3)")
    public = Address(address.scheme, str(folder), address.name, address.options)
    return _open_collection(lambda: folder_client(folder), public, folder)


def open_chroma_server(address: Address) -> "ChromaStore":
    """A collection of a Chroma server.

    Raises:
        StoreError: the server does not answer, refuses, or has no such collection.
    """
    return _open_collection(lambda: server_client(address), address)


def _open_collection(
    connect: Callable[[], Any], address: Address, folder: Path | None = None
) -> "ChromaStore":
    with address.errors(*client_errors()):
        from chromadb.errors import NotFoundError

        client = connect()
        try:
            collection = _collection(client, address.name)
        except (NotFoundError, ValueError):
            there = ", ".join(sorted(one.name for one in client.list_collections())) or "none"
            close_client(client)
            raise StoreError(f"{collection_named(address.name)}: not found; there are: {there}") from None
    return ChromaStore(collection, address, folder, client)


def _collection(client: Any, name: str) -> Any:
    """A collection without its embedding function, which would be loaded, or Chroma's default model."""
    return client.get_collection(name, embedding_function=None)


class ChromaStore(Store):
    """A Chroma collection.

    Args:
        collection: of any Chroma client; its embedding function is never called.
        address: where it is; ``None`` for an object at hand.
        folder: where it is, if it is a folder.
        client: closed by :meth:`close`; ``None`` leaves the caller's open.
    """

    def __init__(
        self,
        collection: Any,
        address: Address | None = None,
        folder: Path | None = None,
        client: Any = None,
    ) -> None:
        self._given = address or Address("chroma object", "", collection.name, {})
        self._collection, self._folder, self._client = collection, folder, client
        self.address = self._given.public

    @property
    def index(self) -> Index:
        """HNSW, or SPANN on Chroma's cloud."""
        configuration = self._collection.configuration_json
        for kind in ("hnsw", "spann"):
            if settings := dict(configuration.get(kind) or {}):
                distance = settings.pop("space", "l2")
                shown = {name: settings[name] for name in ("max_neighbors", "ef_search") if name in settings}
                return Index(kind, distance, shown)
        return Index("unknown", "unknown", {})

    @property
    def embedder(self) -> str | None:
        """The model of the embedding function that the collection was made with."""
        function = self._collection.configuration_json.get("embedding_function") or {}
        if function.get("name") == "default":
            return "package:all-MiniLM-L6-v2"  # what Chroma's default embeds with
        name = (function.get("config") or {}).get("model_name")
        return name if function.get("name") == "sentence_transformer" else None

    def count(self) -> int:
        """Number of records."""
        with self._errors():
            return int(self._collection.count())

    def pages(self, *, vectors: bool) -> Iterator[Sequence[Row]]:
        """In Chroma's own order, that of insertion; every id is read before the first page."""
        ids = self._ids()
        include = ["documents", "metadatas", *(["embeddings"] if vectors else [])]
        for part in batches(ids, _PAGE):
            found = {row.id: row for row in self._get(part, include)}
            if len(found) != len(part):
                raise StoreError(f"{self.address}: rows were deleted while it was read; read it again")
            yield [found[one] for one in part]

    def _ids(self) -> list[str]:
        total, ids = self.count(), list[str]()
        with self._errors():
            while len(page := self._collection.get(limit=_ID_PAGE, offset=len(ids), include=[])["ids"]):
                ids.extend(page)
        if not total == len(ids) == len(set(ids)) == self.count():
            raise StoreError(
                f"{self.address}: {total} rows were counted and {len(ids)} read: it changed while it was "
                "read; read it again"
            )
        return ids

    def rows(self, ids: Sequence[RowId]) -> list[Row]:
        """With documents, metadata, vectors and URIs."""
        return [row for part in batches(ids, _PAGE) for row in self._get(part, _EVERYTHING)]

    def _get(self, ids: Sequence[RowId], include: list[str]) -> list[Row]:
        with self._errors():
            answer = self._collection.get(ids=list(ids), include=include)
        total = len(answer["ids"])
        columns = [answer[name] if answer[name] is not None else [None] * total for name in _EVERYTHING]
        return [
            Row(
                one,
                document,
                dict(metadata) if metadata else None,
                None if vector is None else np.asarray(vector, dtype=np.float32),  # the type Chroma stores
                {"uri": uri} if uri is not None else {},
            )
            for one, document, metadata, vector, uri in zip(answer["ids"], *columns, strict=True)
        ]

    def query(self, vectors: FloatArray, k: int) -> list[list[RowId]]:
        """By the collection's index."""
        with self._errors():
            answer = self._collection.query(query_embeddings=vectors, n_results=k, include=[])
        return [list(found) for found in answer["ids"]]

    def delete(self, ids: Sequence[RowId]) -> None:
        """In batches that Chroma takes."""
        with self._errors():
            for part in batches(ids, _PAGE):
                self._collection.delete(ids=part)

    def restore(self, rows: Sequence[Row]) -> None:
        """By ``add`` with the stored vectors: an upsert would merge metadata."""
        with self._errors():
            for part in batches(rows, _PAGE):
                self._collection.add(
                    ids=[row.id for row in part],
                    embeddings=np.array([row.vector for row in part], dtype=np.float32),
                    documents=_unless_empty([row.text for row in part]),
                    metadatas=_unless_empty([dict(row.metadata) if row.metadata else None for row in part]),
                    uris=_unless_empty([row.rest.get("uri") for row in part]),
                )

    def mark(self, values: Mapping[RowId, Mapping[str, Any]]) -> None:
        """By ``update``, which merges metadata and leaves documents and vectors alone."""
        with self._errors():
            for part in batches(values, _PAGE):
                self._collection.update(ids=part, metadatas=[dict(values[one]) for one in part])

    def lock(self) -> AbstractContextManager[None]:
        """The folder's own lock; for servers and objects, one of this user on this machine."""
        return file_lock(self.address, self._folder)

    @contextmanager
    def index_left_alone(self, journal: Journal) -> Iterator[None]:
        """Put off the writing of HNSW's files in a folder: changes stay in Chroma's log, safe at any moment.

        The interval is in the journal before it is changed, so that the next run with the plan sets it back
        if this one is killed. Chroma writes what is in its log to the index when the store is next used.
        """
        interval = (self._collection.configuration_json.get("hnsw") or {}).get("sync_threshold")
        if self._folder is None or interval is None:
            yield
            return
        if interval >= _NEVER:
            earlier = [event["changes"] for event in journal.events() if event["event"] == _EVENT]
            interval = earlier[-1] if earlier else _USUAL
        else:
            journal.append(_EVENT, changes=interval)
        self._set_sync(self._folder, _NEVER)
        try:
            yield
        finally:
            self._set_sync(self._folder, interval)

    def _set_sync(self, folder: Path, changes: int) -> None:
        with self._errors():
            with warnings.catch_warnings():
                # of collections without an embedding function, which need none here
                warnings.filterwarnings("ignore", "legacy embedding function", DeprecationWarning)
                self._collection.modify(configuration={"hnsw": {"sync_threshold": changes}})
            close_client(self._client)  # an index keeps the value with which it was loaded
            self._client = folder_client(folder)
            self._collection = _collection(self._client, self._collection.name)

    def left_behind(self, removed: int) -> str:
        """Chroma gives no disk space back by itself."""
        return (
            f"Chroma keeps {removed} deleted vectors in the collection's index, and the texts' space in its "
            "SQLite file; `chroma vacuum --path FOLDER` (client and server stopped) gives back the latter, "
            "only a new collection the former."
        )

    def how_to_query(self) -> str:
        """A ``where`` that also finds rows added later, without a mark."""
        return 'collection.query(..., where={"duplicate": {"$ne": True}})'

    def close(self) -> None:
        """Close the client if this adapter opened it."""
        if self._client is not None:
            close_client(self._client)

    def _errors(self) -> AbstractContextManager[None]:
        return self._given.errors(*client_errors())


def _unless_empty(values: list[Any]) -> list[Any] | None:
    return values if any(value is not None for value in values) else None
