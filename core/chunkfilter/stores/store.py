"""What a vector store must be able to do; one adapter a store."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from chunkfilter.signals.embedders import FloatArray
from chunkfilter.stores.row import Row, RowId


@dataclass(frozen=True, slots=True)
class Index:
    """How a store finds neighbours.

    Args:
        kind: ``hnsw``, ``ivfflat``, ``exact``, or ``unknown``.
        distance: ``cosine``, ``l2``, ``ip``, or ``unknown``.
        settings: what else is known, for a report.
    """

    kind: str
    distance: str
    settings: Mapping[str, Any]

    def __str__(self) -> str:
        settings = "".join(f", {name} {value}" for name, value in self.settings.items())
        return f"{self.kind}, distance {self.distance}{settings}"


@dataclass(frozen=True, slots=True)
class IndexSync:
    """How often the files of an index are written anew.

    Args:
        interval: after so many changes.
        set: changes that.
    """

    interval: int
    set: Callable[[int], None]


class ReadableStore(Protocol):
    """A store that can be asked."""

    @property
    def address(self) -> str:
        """How the store is opened again, without any secret; for reports and plans."""
        ...

    @property
    def index(self) -> Index:
        """The index that answers queries."""
        ...

    @property
    def embedder(self) -> str | None:
        """Name of the model that made the vectors, if the store says it."""
        ...

    def count(self) -> int:
        """The number of rows."""
        ...

    def pages(self, *, vectors: bool) -> Iterator[Sequence[Row]]:
        """Every row once, in an order that is the same the next time, without ``rest``.

        Args:
            vectors: read the vectors too.

        Raises:
            StoreError: the store changed while it was read.
        """
        ...

    def query(self, vectors: FloatArray, k: int) -> list[list[RowId]]:
        """Ids of the nearest rows by the store's own index, best first, for each query.

        Args:
            vectors: shape (q, d).
            k: at least 1; an approximate index may return fewer.
        """
        ...

    def close(self) -> None:
        """Let go of files and connections that the adapter opened itself."""
        ...


class Store(ReadableStore, Protocol):
    """A store that can be changed. Lists of ids and rows are never empty; no adapter embeds anything."""

    @property
    def marks_all(self) -> bool:
        """Whether a query by groups loses rows without a mark, so that every row needs one."""
        ...

    def rows(self, ids: Sequence[RowId]) -> list[Row]:
        """The rows with these ids that exist, whole, in any order."""
        ...

    def check_can_change(self, *, soft: bool) -> None:
        """Do nothing if rows can be deleted and restored, or marked.

        Args:
            soft: marked, not deleted.

        Raises:
            StoreError: deleting rows would change other data along with them, or there is no place for marks.
        """
        ...

    def delete(self, ids: Sequence[RowId]) -> None:
        """Delete rows; ids that do not exist are ignored."""
        ...

    def restore(self, rows: Sequence[Row]) -> None:
        """Put rows back that do not exist now, as :meth:`rows` returned them."""
        ...

    def mark(self, values: Mapping[RowId, Mapping[str, Any]]) -> None:
        """Set keys of the metadata of existing rows; ``None`` takes a key away, other keys stay."""
        ...

    def lock(self) -> AbstractContextManager[None]:
        """Keep other runs of chunkfilter from changing the store.

        Raises:
            StoreError: another one holds the lock.
        """
        ...

    @property
    def index_sync(self) -> IndexSync | None:
        """How this process rewrites the index's files, ``None`` if it never does."""
        ...

    def left_behind(self, removed: int) -> str:
        """What the store still holds of rows that were deleted, and how to give the space back."""
        ...

    def how_to_query(self) -> str:
        """An example of a query that leaves marked duplicates out or groups by cluster."""
        ...
