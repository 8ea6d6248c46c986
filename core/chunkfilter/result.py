"""What a filter decided: positions and reasons, never copies of the caller's objects."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chunkfilter.errors import InputError
from chunkfilter.policy import ALGORITHM_VERSION, Policy

if TYPE_CHECKING:
    from chunkfilter.chunk import Chunk

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Removal:
    """One chunk that is removed, and the kept ones that contain it.

    Args:
        index: its position in the filtered chunks.
        kept_by: positions, in the same chunks, of kept ones that alone satisfy the rule.
        kept_by_existing: positions in ``existing``, likewise.
        rule: the term that decided, as written in the policy; ``blank`` for chunks without visible text.
        score: the rule's score; ``None`` for ``blank`` and ``random``.
    """

    index: int
    kept_by: tuple[int, ...]
    kept_by_existing: tuple[int, ...]
    rule: str
    score: float | None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two nearly equal chunks that differ in something that matters; both are kept.

    Args:
        index: position of the chunk that the rule would have removed.
        other: position of the kept chunk it resembles; negative: ``-1 - position`` in ``existing``.
        guard: what differs, for example ``number``.
    """

    index: int
    other: int
    guard: str


@dataclass(frozen=True, slots=True)
class Report:
    """What is worth knowing about a run beside its decisions.

    Args:
        warnings: sentences for the user, each also logged once.
        seconds: wall time of the run.
        window: how much of a text counted as seen by the embedder, for coverage: ``none``, ``embedder`` or
            ``N words``.
        across_sources: removals whose representatives all come from other sources.
    """

    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    window: str = "none"
    across_sources: int = 0


@dataclass(frozen=True, slots=True)
class FilterResult:
    """The decisions of one run.

    Args:
        kept: positions of the kept chunks, ascending.
        removed: one entry a removed chunk, ascending by position.
        conflicts: at most one conflict a kept chunk.
        policy: the policy that decided.
        digests: sha256 of each chunk's text, hexadecimal.
        existing_digests: likewise of ``existing``.
        report: warnings, time and counts.
        algorithm: version of the algorithm that decided.
    """

    kept: tuple[int, ...]
    removed: tuple[Removal, ...]
    conflicts: tuple[Conflict, ...]
    policy: Policy
    digests: tuple[str, ...] = field(repr=False)
    existing_digests: tuple[str, ...] = field(default=(), repr=False)
    report: Report = field(default=Report(), compare=False)
    algorithm: int = ALGORITHM_VERSION

    def __len__(self) -> int:
        """Number of chunks that were filtered."""
        return len(self.digests)

    def __str__(self) -> str:
        """One line of counts."""
        rules = ", ".join(f"{rule} {count}" for rule, count in self.removed_by_rule.items())
        removed = f"{len(self.removed)} removed ({rules})" if rules else "none removed"
        return f"{len(self.kept)} of {len(self)} chunks kept, {removed}, policy {self.policy}"

    @property
    def reduction(self) -> float:
        """Share of the chunks that go, in percent; 0 for an empty input."""
        return 100.0 * len(self.removed) / len(self) if len(self) else 0.0

    @property
    def removed_by_rule(self) -> dict[str, int]:
        """How many chunks each rule removed."""
        counts: dict[str, int] = {}
        for removal in self.removed:
            counts[removal.rule] = counts.get(removal.rule, 0) + 1
        return counts

    def select(self, items: "Sequence[T]") -> "list[T]":
        """The items at the kept positions, in order: chunks, documents, rows, vectors.

        Args:
            items: as many as were filtered, in the same order.

        Raises:
            InputError: another number of items.
        """
        if len(items) != len(self):
            raise InputError(f"items: got {len(items)}; expected the {len(self)} that were filtered")
        return [items[place] for place in self.kept]

    def occurrences(self, chunks: "Iterable[Chunk | str]") -> dict[int, dict[str | None, int]]:
        """How often what a kept chunk says occurred in the input, by source.

        A removed chunk counts for each of its representatives; blank ones count for none.

        Args:
            chunks: the chunks that were filtered, in the same order.

        Returns:
            For each kept position, itself included, and for ``-1 - position`` of each stored chunk that
            covers a removed one: the number of chunks by their source, ``None`` for those without.

        Raises:
            InputError: not the number of chunks that were filtered.
        """
        sources = [getattr(chunk, "source", None) for chunk in chunks]
        if len(sources) != len(self):
            raise InputError(f"chunks: got {len(sources)}; expected the {len(self)} that were filtered")
        counts: dict[int, dict[str | None, int]] = {kept: {sources[kept]: 1} for kept in self.kept}
        for removal in self.removed:
            for representative in (*removal.kept_by, *(-1 - place for place in removal.kept_by_existing)):
                of_it = counts.setdefault(representative, {})
                of_it[sources[removal.index]] = of_it.get(sources[removal.index], 0) + 1
        return counts

    def verify(
        self,
        chunks: "Iterable[Chunk | str]",
        *,
        existing: "Iterable[Chunk | str]" = (),
        vectors: object = None,
        embedder: object = None,
        entities: object = None,
        topics: object = None,
    ) -> None:
        """Check every line against the texts, on a path of its own.

        Lexical rules are checked from the texts alone; others need the signals of the run. That the rule
        holds is checked; guards, which can only keep more chunks, are not.

        Args:
            chunks: the chunks that were filtered, in the same order.
            existing: the stored chunks of the run.
            vectors: the vectors of the run, shape (n, d).
            embedder: the embedder of the run.
            entities: the entities of the run.
            topics: the topics of the run, if they were given.

        Raises:
            CertificateError: a line does not hold; it is named.
            MissingSignalError: a rule needs a signal that was not given; the rule is named.
        """
        from chunkfilter.certificate import verify  # it is on the side of the filters

        verify(
            self,
            chunks,
            existing=existing,
            vectors=vectors,
            embedder=embedder,
            entities=entities,
            topics=topics,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result as JSON lines, with a digest of every text; the file is replaced whole.

        Raises:
            OSError: the file cannot be written; an earlier file of that name is then untouched.
        """
        from chunkfilter.result_file import write_result  # the file format imports this module

        write_result(self, Path(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "FilterResult":
        """Read a saved result.

        Raises:
            ResultFileError: the file is truncated, altered, foreign or of a newer version; the line is named.
            InputError: not a path.
        """
        from chunkfilter.result_file import read_result  # the file format imports this module

        if not isinstance(path, str | os.PathLike):
            raise InputError(f"path: got {path!r:.80}; expected the path of a saved result")
        return read_result(Path(path))


def digest(text: str) -> str:
    """sha256 of a text, hexadecimal; lone surrogates are hashed as they are."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
