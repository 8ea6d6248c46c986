"""What is set side by side: no filter, the baseline, and what a policy keeps."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from chunkfilter.evaluate.collection import Collection
from chunkfilter.evaluate.documents import credited_pairs, no_credit
from chunkfilter.evaluate.sets import BoolArray
from chunkfilter.filtering.run import filter_chunks
from chunkfilter.policy import Policy, Stage, Term
from chunkfilter.result import FilterResult
from chunkfilter.signals.embedders import Embedder
from chunkfilter.signals.entities import entity_sets
from chunkfilter.signals.topics import topic_numbers
from chunkfilter.text.ragged import IntArray

BASELINE = "none, copies merged"


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One way to build the index.

    Args:
        name: what tables call it.
        draws: which chunks are kept, each of shape (n,): one mask, or one for each seed of a random choice.
        kind: ``policy``, ``baseline``, or a key of ``same_size.BESIDE``.
        seconds: wall time of the filter.
        merges_copies: of chunks that are copies by the rule ``exact`` a search returns the best ranked only.
        warnings: what the filter had to say.
        credit: pairs of a representative and a removed chunk that it may count for, shape (m, 2).
    """

    name: str
    draws: tuple[BoolArray, ...]
    kind: str = "policy"
    seconds: float = 0.0
    merges_copies: bool = False
    warnings: tuple[str, ...] = ()
    credit: IntArray = field(default_factory=no_credit)


def unfiltered(data: Collection) -> Variant:
    """Every chunk, nothing merged."""
    return Variant("none", (np.ones(len(data.chunks), dtype=np.bool_),))


def baseline(data: Collection) -> Variant:
    """What verdicts compare with: no filter, and exact copies merged in the list a search returns.

    Anyone can have that without dropping a chunk, so a filter gets no credit for it.
    """
    return replace(unfiltered(data), name=BASELINE, kind="baseline", merges_copies=True)


class Filters:
    """Runs policies over a collection; entities and topics are found when a policy first asks for them.

    Args:
        data: chunks and their vectors.
        embedder: made the vectors; tells how much of a text it reads.
        entities: what :func:`chunkfilter.filter_chunks` accepts.
        topics: likewise.
        show_progress: show a bar on stderr for long steps.
    """

    def __init__(
        self,
        data: Collection,
        embedder: Embedder,
        entities: Any = None,
        topics: Any = None,
        *,
        show_progress: bool = False,
    ) -> None:
        self.data = data
        self._embedder = embedder
        self._entities_given = entities
        self._topics_given = topics
        self._show_progress = show_progress

    def variant(self, policy: Policy, seeds: int = 1) -> Variant:
        """What a policy keeps; blank chunks too unless the policy's text says ``blank=drop``.

        Args:
            policy: the policy.
            seeds: draws of a last stage ``random@p``.

        Raises:
            MissingSignalError: it reads entities, and none were given.
            InputError, MissingExtraError: from finding entities or topics.
        """
        data, count = self.data, len(self.data.chunks)
        run = policy if policy.blank else replace(policy, blank="keep")
        *before, last = policy.stages
        share = last.terms[0].value if last.terms[0].name == "random" else None
        if share is not None:
            run = replace(run, stages=tuple(before) or (Stage((Term("none"),)),))
        result = self._filtered(run)
        kept = np.array(result.kept, dtype=np.int64)
        draws = [kept]
        if share is not None:
            draws = [np.setdiff1d(kept, _drawn(kept, share, seed)) for seed in range(seeds)]
        credit = no_credit()
        if "document" in data.settings.measures:
            credit = credited_pairs(result, data.words.chunks, data.texts)
        report = result.report
        masks = tuple(np.isin(np.arange(count), drawn) for drawn in draws)
        return Variant(str(policy), masks, seconds=report.seconds, warnings=report.warnings, credit=credit)

    def _filtered(self, policy: Policy) -> FilterResult:
        by_topic = any(term.name == "topics" for stage in policy.stages for term in stage.terms)
        return filter_chunks(
            self.data.chunks,
            policy,
            vectors=self.data.vectors,
            embedder=self._embedder,
            entities=self._entities if policy.needs_entities else None,
            topics=self._topics if by_topic else None,
            show_progress=self._show_progress,
        )

    @cached_property
    def _entities(self) -> Any:
        return None if self._entities_given is None else entity_sets(self._entities_given, self.data.texts)

    @cached_property
    def _topics(self) -> list[int | None]:
        numbers = topic_numbers(self._topics_given, self.data.texts, lambda: self.data.vectors)
        return [None if number < 0 else number for number in numbers.tolist()]


def _drawn(positions: IntArray, share: float, seed: int) -> IntArray:
    """A share of the positions, rounded down, drawn without replacement, as the rule ``random`` does."""
    size = int(share * len(positions))
    return positions[np.random.default_rng(seed).choice(len(positions), size=size, replace=False)]
