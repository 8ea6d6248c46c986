"""What a line of a result is checked against."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chunkfilter.chunk import Chunk
from chunkfilter.policy import Policy


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """What the caller gave beside the texts, as it was given for the run."""

    vectors: Any = None
    embedder: Any = None
    entities: Any = None
    topics: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The run that a result is about.

    Args:
        chunks: n new chunks, then m stored ones.
        new: n.
        policy: of the result.
        window: as the result reports it.
        signals: of the run.
    """

    chunks: Sequence[Chunk]
    new: int
    policy: Policy
    window: str
    signals: Signals


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """One removal: positions in the run's chunks of what went and of the keepers it names."""

    run: Run
    place: int
    keeper_places: tuple[int, ...]

    @property
    def removed(self) -> Chunk:
        """The chunk that went."""
        return self.run.chunks[self.place]

    @property
    def keepers(self) -> tuple[Chunk, ...]:
        """The chunks that stand for it."""
        return tuple(self.run.chunks[place] for place in self.keeper_places)
