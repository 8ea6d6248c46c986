"""What a vector store has to do so that it holds what the ledger decided."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from chunkfilter.chunk import Chunk


@dataclass(frozen=True, slots=True)
class Change:
    """The steps of one update. Each is idempotent: add by id (upsert), then relabel, then delete.

    Args:
        add: chunks to write. A chunk's ``id`` is a UUID made of its text and scope, its ``source`` the
            document whose metadata it carries.
        delete: ids to delete; some may be gone already.
        relabel: ids of stored chunks whose metadata or provenance changed; their texts did not.
        relabelled: the chunks of ``relabel``, in the same order, as they read now.
        also_in: for each id in ``add`` and ``relabel`` the other sources it represents, in order.
        token: names this change; :meth:`Ledger.commit` compares it.
    """

    add: tuple[Chunk, ...] = ()
    delete: tuple[str, ...] = ()
    relabel: tuple[str, ...] = ()
    relabelled: tuple[Chunk, ...] = ()
    also_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    token: str = ""

    def __bool__(self) -> bool:
        """Whether the store has anything to do."""
        return bool(self.add or self.delete or self.relabel)

    def __str__(self) -> str:
        """One line of counts."""
        return f"{len(self.add)} to add, {len(self.delete)} to delete, {len(self.relabel)} to relabel"
