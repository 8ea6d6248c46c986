"""What notices look at, and how they name chunks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from chunkfilter.chunk import Chunk
from chunkfilter.filters.batch import Batch
from chunkfilter.policy import Policy
from chunkfilter.result import Removal
from chunkfilter.text.inert import inert_line

#: Examples named in a sentence.
SAMPLES = 3


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """A run and its outcome.

    Args:
        new: the filtered chunks, in the caller's order.
        stored: the chunks they were compared with.
        batch: the same chunks in keep order, with the signals that the rules read.
        removed: what goes.
        alone: number of chunks that lack a scope key.
    """

    new: Sequence[Chunk]
    stored: Sequence[Chunk]
    batch: Batch
    removed: Sequence[Removal]
    alone: int

    @property
    def policy(self) -> Policy:
        """The policy of the run."""
        return self.batch.policy

    @property
    def lossy(self) -> list[Removal]:
        """Removals by rules that are not verbatim."""
        names = {str(stage) for stage in self.policy.stages if all(term.lossy for term in stage.terms)}
        return [removal for removal in self.removed if removal.rule in names]

    def keepers(self, removal: Removal) -> list[Chunk]:
        """The chunks that stand for a removed one."""
        own = [self.new[place] for place in removal.kept_by]
        return own + [self.stored[place] for place in removal.kept_by_existing]

    @property
    def described(self) -> Sequence[Removal]:
        """Removals, or none where no chunk has metadata that could tell them apart."""
        told = any(chunk.metadata for chunks in (self.new, self.stored) for chunk in chunks)
        return self.removed if told else ()

    def without_key(self, keys: Iterable[str]) -> str:
        """What to add where no chunk at all has one of these keys, as with a misspelt one; else nothing."""
        lacked = [key for key in keys if not any(_has(chunk, key) for chunk in chain(self.new, self.stored))]
        if not lacked:
            return ""
        there = dict.fromkeys(
            str(key) for chunk in chain(self.new, self.stored) for key in chunk.metadata or {}
        )
        return f"; none has {listed(lacked)}, their keys are: {listed(there) or 'none'}"

    def named(self, position: int) -> str:
        """What a chunk is called in a sentence: ``-1 - position`` for stored ones."""
        chunk = self.new[position] if position >= 0 else self.stored[-1 - position]
        place = f"chunk {position}" if position >= 0 else f"stored chunk {-1 - position}"
        return place if chunk.id is None else f"{place} (id {chunk.id!r:.80})"

    def pair(self, removal: Removal) -> str:
        """A removed chunk and the first that stands for it."""
        first = removal.kept_by[0] if removal.kept_by else -1 - removal.kept_by_existing[0]
        return f"{self.named(removal.index)} for {self.named(first)}"

    def positions(self, rows: Iterable[int]) -> list[int]:
        """The caller's positions of rows of the batch: ``-1 - position`` for stored ones."""
        stored, order = self.batch.stored, self.batch.order
        return [-1 - row if row < stored else int(order[row - stored]) for row in rows]


def _has(chunk: Chunk, key: str) -> bool:
    return (chunk.metadata or {}).get(key) is not None or (key == "source" and chunk.source is not None)


def listed(names: Iterable[str]) -> str:
    """The first few names, harmless to print."""
    return inert_line(", ".join(list(names)[:SAMPLES]))
