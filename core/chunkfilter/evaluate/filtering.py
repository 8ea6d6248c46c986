"""Policies run over the chunks of a bench, so that what several of them read is found once."""

from functools import cached_property
from typing import Any

from chunkfilter.evaluate.bench import Bench
from chunkfilter.filtering.run import filter_chunks
from chunkfilter.policy import Policy
from chunkfilter.result import FilterResult
from chunkfilter.signals.embedders import Embedder
from chunkfilter.signals.entities import entity_sets
from chunkfilter.signals.topics import topic_numbers


class Filtering:
    """Runs policies; entities and topics are found when the first policy asks for them.

    Args:
        bench: chunks and their vectors.
        embedder: made the vectors; tells how much of a text it reads.
        entities: what :func:`chunkfilter.filter_chunks` accepts.
        topics: likewise.
        show_progress: show a bar on stderr for long steps.
    """

    def __init__(
        self,
        bench: Bench,
        embedder: Embedder,
        entities: Any = None,
        topics: Any = None,
        show_progress: bool = False,
    ) -> None:
        self.bench = bench
        self._embedder = embedder
        self._entities_given = entities
        self._topics_given = topics
        self._show_progress = show_progress

    def __call__(self, policy: Policy) -> FilterResult:
        """What the policy decides.

        Raises:
            MissingSignalError: it reads entities, and none were given.
            InputError, MissingExtraError: from finding entities or topics.
        """
        by_topic = any(term.name == "topics" for stage in policy.stages for term in stage.terms)
        return filter_chunks(
            self.bench.chunks,
            policy,
            vectors=self.bench.vectors,
            embedder=self._embedder,
            entities=self._entities if policy.needs_entities else None,
            topics=self._topics if by_topic else None,
            show_progress=self._show_progress,
        )

    @cached_property
    def _entities(self) -> Any:
        return None if self._entities_given is None else entity_sets(self._entities_given, self.bench.texts)

    @cached_property
    def _topics(self) -> list[int | None]:
        numbers = topic_numbers(self._topics_given, self.bench.texts, lambda: self.bench.vectors)
        return [None if number < 0 else number for number in numbers.tolist()]
