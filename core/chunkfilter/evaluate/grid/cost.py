"""What a setting costs: seconds of splitting and of embedding, whatever a cache already held."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from chunkfilter.chunk import Span
from chunkfilter.signals.embedders import Embedder, FloatArray
from chunkfilter.splitters import SharedSentences

#: Texts embedded again, past the cache, to learn what embedding takes.
SAMPLE = 32

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds by the grid's clock, and texts.

    Args:
        splitting: finding sentences and borders, without the embedder.
        for_splitting: embedding what the splitter asks for.
        for_index: embedding the kept chunks.
        filtering: deciding what is kept.
        texts_for_splitting: texts that the splitter had embedded.
        texts_for_index: kept chunks.
    """

    splitting: float = 0.0
    for_splitting: float = 0.0
    for_index: float = 0.0
    filtering: float = 0.0
    texts_for_splitting: int = 0
    texts_for_index: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Cost)))

    @property
    def seconds(self) -> float:
        """All of them together."""
        return self.splitting + self.for_splitting + self.for_index + self.filtering


class EmbeddingClock:
    """Says how long embedding takes, from a sample of the texts that is embedded past the cache.

    Args:
        embedder: the embedder itself.
        clock: says the time, in seconds.
    """

    def __init__(self, embedder: Embedder, clock: Clock) -> None:
        self._embedder = embedder
        self._clock = clock
        self._per_text: dict[str, float] = {}

    def seconds(self, kind: str, texts: Sequence[str]) -> float:
        """Seconds for all texts.

        Args:
            kind: texts of one kind are timed once.
            texts: the texts; a sample of ``SAMPLE`` stands for them.
        """
        if not texts:
            return 0.0
        if kind not in self._per_text:
            if not self._per_text:
                self._embedder.encode(texts[:1])  # the first call of a model loads it
            drawn: list[int] = np.random.default_rng(0).permutation(len(texts))[:SAMPLE].tolist()
            before = self._clock()
            self._embedder.encode([texts[place] for place in drawn])
            self._per_text[kind] = (self._clock() - before) / len(drawn)
        return self._per_text[kind] * len(texts)


class MeteredSentences(SharedSentences):
    """Shared sentences that know what a splitter asked for, also where they had it already.

    Args:
        embedder: computes the vectors.
        clock: says the time, in seconds.
    """

    def __init__(self, embedder: Embedder, clock: Clock) -> None:
        super().__init__(embedder)
        self._clock = clock
        self._finding: dict[tuple[str, str], float] = {}
        self._embedded: dict[tuple[str, str, int], list[str]] = {}
        self._wanted: tuple[str, str, int] | None = None
        self.spent = 0.0
        self.asked_spans: set[tuple[str, str]] = set()
        self.asked_vectors: set[tuple[str, str, int]] = set()
        self.asked_texts: list[str] = []

    def reset(self) -> None:
        """Begin a new setting."""
        self.spent = 0.0
        self.asked_spans, self.asked_vectors, self.asked_texts = set(), set(), []

    @property
    def finding_seconds(self) -> float:
        """What finding the sentences that were asked for took."""
        return sum(self._finding.get(key, 0.0) for key in self.asked_spans)

    def texts(self) -> tuple[str, list[str]]:
        """What the splitter had embedded, and a name for its kind."""
        kinds = {(finder, buffer) for _, finder, buffer in self.asked_vectors}
        shared = [text for key in sorted(self.asked_vectors) for text in self._embedded[key]]
        return f"sentences {sorted(kinds)}, {bool(self.asked_texts)}", [*shared, *self.asked_texts]

    def encode(self, texts: Sequence[str], /) -> FloatArray:
        """As the embedder does."""
        if self._wanted is None:
            self.asked_texts += texts
        else:
            self._embedded[self._wanted] = list(texts)
        before = self._clock()
        vectors: FloatArray = super().encode(texts)
        self.spent += self._clock() - before
        return vectors

    def spans(self, text: str, finder: str) -> list[Span]:
        """As for all shared sentences."""
        self.asked_spans.add((text, finder))
        before = self._clock()
        found = super().spans(text, finder)
        took = self._clock() - before
        self._finding.setdefault((text, finder), took)
        self.spent += took
        return found

    def vectors(self, text: str, finder: str, buffer: int = 0) -> FloatArray:
        """As for all shared sentences."""
        self._wanted = text, finder, buffer
        self.asked_vectors.add(self._wanted)
        self._embedded.setdefault(self._wanted, [])
        try:
            return super().vectors(text, finder, buffer)
        finally:
            self._wanted = None
