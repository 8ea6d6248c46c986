"""What a vector store must be able to do; one adapter a store."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from chunkfilter.signals.embedders import FloatArray
from chunkfilter.stores.journal import Journal
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


class ReadableStore(Protocol):
    """A store that can be asked."""

    #: How the store is opened again, without any secret; for reports and plans.
    address: str

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
        """Close files and connections that the adapter opened itself."""
        ...


class Store(ReadableStore, Protocol):
    """A store that can be changed. No adapter embeds anything."""

    #: Whether a query by groups loses rows without a mark, so that every row needs one.
    marks_all: bool = False

    @property
    def embedder(self) -> str | None:
        """Most stores do not say which model made their vectors."""
        return None

    def check_can_change(self, *, soft: bool) -> None:  # noqa: ARG002  # tables ask about it
        """Do nothing if rows can be deleted and restored, or marked.

        Args:
            soft: marked, not deleted.

        Raises:
            StoreError: deleting rows would change other data along with them, or there is no place for marks.
        """
        return

    @contextmanager
    def index_left_alone(self, journal: Journal) -> Iterator[None]:  # noqa: ARG002  # Chroma uses it
        """Keep this process from rewriting files of the index, where a kill could damage them."""
        yield

    @abstractmethod
    def rows(self, ids: Sequence[RowId]) -> list[Row]:
        """The rows with these ids that exist, whole, in any order."""
        ...

    @abstractmethod
    def delete(self, ids: Sequence[RowId]) -> None:
        """Delete rows; ids that do not exist are ignored."""
        ...

    @abstractmethod
    def restore(self, rows: Sequence[Row]) -> None:
        """Put rows back that do not exist now, as :meth:`rows` returned them."""
        ...

    @abstractmethod
    def mark(self, values: Mapping[RowId, Mapping[str, Any]]) -> None:
        """Set keys of the metadata of existing rows; ``None`` removes a key, other keys are untouched."""
        ...

    @abstractmethod
    def lock(self) -> AbstractContextManager[None]:
        """Keep other runs of chunkfilter from changing the store.

        Raises:
            StoreError: another one holds the lock.
        """
        ...

    @abstractmethod
    def left_behind(self, removed: int) -> str:
        """What the store still holds of rows that were deleted, and how to give the space back."""
        ...

    @abstractmethod
    def how_to_query(self) -> str:
        """An example of a query that leaves marked duplicates out or groups by cluster."""
        ...
