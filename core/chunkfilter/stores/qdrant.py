"""Qdrant: a folder of its local mode, a server, or a client object."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from chunkfilter.errors import StoreError
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.stores.address import Address, collection_named
from chunkfilter.stores.lock import file_lock
from chunkfilter.stores.qdrant_clients import client_errors, folder_client, server_client
from chunkfilter.stores.qdrant_points import PayloadKeys, row_of, vectors_of
from chunkfilter.stores.row import Row, RowId, batches
from chunkfilter.stores.store import Index, Store

#: Points a request takes at once.
_PAGE = 1000
_DISTANCES = {"Cosine": "cosine", "Dot": "ip", "Euclid": "l2", "Manhattan": "l1"}


def open_qdrant_folder(address: Address) -> "QdrantStore":
    """A collection of a folder that a client in local mode wrote; no other client may have it open.

    Raises:
        StoreError: no such folder or collection, or another client holds it.
    """
    folder = Path(address.place).expanduser().resolve()
    if not (folder / "meta.json").is_file():  # the client would make a new store
        raise StoreError(f"{folder}: no Qdrant store is there (no meta.json)")
    public = Address(address.scheme, str(folder), address.name, address.options)
    return QdrantStore(lambda: folder_client(folder), public, folder)


def open_qdrant_server(address: Address) -> "QdrantStore":
    """A collection of a Qdrant server.

    Raises:
        StoreError: the server does not answer, refuses, or has no such collection.
    """
    return QdrantStore(lambda: server_client(address), address)


class QdrantStore(Store):
    """A Qdrant collection.

    Args:
        connect: makes the client.
        address: names the collection; its options may name the ``vector``, and the payload's keys for
            ``text`` and ``metadata``.
        folder: where it is, if it is a folder.
        owned: the client is closed by :meth:`close`.

    Raises:
        StoreError: the client cannot be made, or there is no such collection or vector; those there are
            are named.
    """

    marks_all = True  # a query by groups leaves out points that lack the key

    def __init__(
        self,
        connect: Callable[[], Any],
        address: Address,
        folder: Path | None = None,
        *,
        owned: bool = True,
    ) -> None:
        self._given, self._folder, self._connect, self._owned = address, folder, connect, owned
        self.address = address.public
        self._name = address.name
        self._keys = PayloadKeys(address.options.get("text"), address.options.get("metadata"))
        with self._errors():
            self._client = connect()
            try:
                self._check_name()
                self._vector_name, self._parameters = self._chosen_vector()
            except BaseException:
                self.close()
                raise
        options = self._client.init_options
        self._local = options["path"] is not None or options["location"] == ":memory:"

    def _check_name(self) -> None:
        names = sorted(one.name for one in self._client.get_collections().collections)
        if not self._client.collection_exists(self._name):
            there = ", ".join(names) or "none"
            raise StoreError(f"{collection_named(self._name)}: not found; there are: {there}")

    def _chosen_vector(self) -> tuple[str, Any]:
        vectors = self._client.get_collection(self._name).config.params.vectors
        named = vectors if isinstance(vectors, dict) else {"": vectors}
        wanted = self._given.options.get("vector", next(iter(named)) if len(named) == 1 else "")
        if not named or named == {"": None}:
            raise StoreError(f"{self.address}: has no dense vectors; expected a collection with some")
        if wanted not in named:
            raise StoreError(
                f"{self.address}: has the vectors {', '.join(map(repr, named))}; name one in the URL, for "
                f"example #{self._name}?vector={next(iter(named))}"
            )
        return wanted, named[wanted]

    @property
    def index(self) -> Index:
        """HNSW on a server; local mode compares with every point."""
        distance = _DISTANCES.get(self._parameters.distance.value, "unknown")
        if self._local:
            return Index("exact", distance, {})
        with self._errors():
            config = self._client.get_collection(self._name).config.hnsw_config
        return Index("hnsw", distance, {"m": config.m, "ef_construct": config.ef_construct})

    def count(self) -> int:
        """Number of points."""
        with self._errors():
            return int(self._client.count(self._name, exact=True).count)

    def pages(self, *, vectors: bool) -> Iterator[Sequence[Row]]:
        """By id, the order of ``scroll``."""
        total, read, place, more = self.count(), 0, None, True
        wanted = [self._vector_name] if vectors and self._vector_name else vectors
        while more:
            with self._errors():
                points, place = self._client.scroll(
                    self._name, limit=_PAGE, offset=place, with_payload=True, with_vectors=wanted
                )
            more, read = place is not None, read + len(points)
            rows = map(self._row, points)
            yield [Row(row.id, row.text, row.metadata, row.vector if vectors else None) for row in rows]
        if not total == read == self.count():
            raise StoreError(
                f"{self.address}: {total} points were counted and {read} read: it changed while it was read; "
                "read it again"
            )

    def _row(self, point: Any) -> Row:
        return row_of(point, self._vector_name, self._keys, local=self._local)

    def rows(self, ids: Sequence[RowId]) -> list[Row]:
        """With the whole payload and every vector."""
        with self._errors():
            points = [
                point
                for part in batches(ids, _PAGE)
                for point in self._client.retrieve(self._name, part, with_payload=True, with_vectors=True)
            ]
        return list(map(self._row, points))

    def query(self, vectors: FloatArray, k: int) -> list[list[RowId]]:
        """By the collection's index."""
        with self._errors():
            return [
                [
                    point.id
                    for point in self._client.query_points(
                        self._name,
                        query=vector.tolist(),
                        using=self._vector_name or None,
                        limit=k,
                        with_payload=False,
                    ).points
                ]
                for vector in vectors
            ]

    def delete(self, ids: Sequence[RowId]) -> None:
        """By ids; waits until it is done."""
        from qdrant_client.models import PointIdsList

        with self._errors():
            for part in batches(ids, _PAGE):
                self._client.delete(self._name, points_selector=PointIdsList(points=[*part]), wait=True)

    def restore(self, rows: Sequence[Row]) -> None:
        """With the stored payloads and vectors; waits until it is done."""
        from qdrant_client.models import PointStruct

        points = [
            PointStruct(
                id=row.id, vector=vectors_of(row, self._vector_name), payload=dict(row.rest["payload"])
            )
            for row in rows
        ]
        with self._errors():
            self._client.upsert(self._name, points, wait=True)
            if self._folder is not None:
                # local mode writes the vectors as given but holds them normalised until it is opened again
                self._client.close()
                self._client = self._connect()

    def mark(self, values: Mapping[RowId, Mapping[str, Any]]) -> None:
        """In the payload, or in the mapping that holds its metadata; waits until it is done."""
        with self._errors():
            points = self._client.retrieve(self._name, list(values))
            operations = [
                operation
                for point in points
                for operation in _operations(point.id, values[point.id], self._metadata_key(point))
            ]
            self._client.batch_update_points(self._name, operations, wait=True)

    def _metadata_key(self, point: Any) -> str | None:
        payload = point.payload or {}
        key = self._keys.metadata_key(payload)
        if key and not isinstance(payload.get(key), Mapping | None):
            raise StoreError(
                f"{self.address}: {key!r} of point {point.id!r} is no mapping; marks have no place there"
            )
        return key

    def lock(self) -> AbstractContextManager[None]:
        """The folder's own lock; for servers and objects, one of this user on this machine."""
        return file_lock(self.address, self._folder)

    def left_behind(self, removed: int) -> str:
        """Servers clean up by themselves, local mode does not."""
        if self._local:
            return f"Qdrant's local mode keeps the space of the {removed} deleted points in its SQLite file."
        return (
            f"Qdrant keeps the {removed} deleted points in its segments until the optimizer rewrites them "
            "(vacuum_min_vector_number, deleted_threshold)."
        )

    def how_to_query(self) -> str:
        """By group, and by a filter that also finds points added later, without a mark."""
        return (
            'client.query_points_groups(NAME, query=..., group_by="duplicate_cluster_id", limit=5, '
            "group_size=1), which leaves out points added later; or client.query_points(NAME, query=..., "
            'query_filter=Filter(must_not=[FieldCondition(key="duplicate", match=MatchValue(value=True))])), '
            'which does not. In collections that LangChain wrote the keys begin with "metadata.".'
        )

    def close(self) -> None:
        """Close the client if this adapter made it."""
        if self._owned:
            self._client.close()

    def _errors(self) -> AbstractContextManager[None]:
        return self._given.errors(*client_errors())


def _operations(one: RowId, keys: Mapping[str, Any], inside: str | None) -> list[Any]:
    from qdrant_client import models

    new = {name: value for name, value in keys.items() if value is not None}
    cleared = [f"{inside}.{name}" if inside else name for name, value in keys.items() if value is None]
    operations: list[Any] = []
    if new:
        added = models.SetPayload(payload=new, points=[one], key=inside)
        operations.append(models.SetPayloadOperation(set_payload=added))
    if cleared:
        payload = models.DeletePayload(keys=cleared, points=[one])
        operations.append(models.DeletePayloadOperation(delete_payload=payload))
    return operations
