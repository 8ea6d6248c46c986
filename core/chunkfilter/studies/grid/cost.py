"""What a setting costs: seconds of splitting and of embedding, whatever a cache already held."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from chunkfilter.chunk import Span
from chunkfilter.signals.embedders import Embedder, FloatArray, Windowed
from chunkfilter.studies.splitters import SharedSentences

#: Texts of each length that are embedded to learn what embedding takes, their lengths in characters, and how
#: often; the fastest time counts, which other work on the machine disturbs least.
SAMPLE, LENGTHS, REPETITIONS = 16, (100, 500), 3

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
    """Says how long embedding takes, whatever a cache holds: so much a text, and so much a character read.

    Args:
        embedder: the embedder itself, without a cache.
        clock: says the time, in seconds.
        documents: texts to time it on: pieces of two lengths are embedded past any cache.
    """

    def __init__(self, embedder: Embedder, clock: Clock, documents: Iterable[str]) -> None:
        self._embedder = embedder
        text = "\n".join(documents)
        short, long = ([text[at : at + size] for at in _places(len(text), size)] for size in LENGTHS)
        embedder.encode(short[:1])  # the first call of a model loads it
        took = dict.fromkeys(LENGTHS, np.inf)
        for _ in range(REPETITIONS):
            for size, pieces in zip(LENGTHS, (short, long), strict=True):
                before = clock()
                embedder.encode(pieces)
                took[size] = min(took[size], (clock() - before) / len(pieces))
        lengths = [self._read(pieces) / len(pieces) for pieces in (short, long)]
        slope = (took[LENGTHS[1]] - took[LENGTHS[0]]) / max(lengths[1] - lengths[0], 1.0)
        self.per_character = max(float(slope), 0.0)
        self.per_text = max(float(took[LENGTHS[0]]) - self.per_character * lengths[0], 0.0)

    def seconds(self, texts: Sequence[str]) -> float:
        """Seconds for all texts."""
        return self.per_text * len(texts) + self.per_character * self._read(texts)

    def _read(self, texts: Sequence[str]) -> int:
        """Characters that the embedder reads of the texts."""
        if texts and isinstance(self._embedder, Windowed):
            return int(self._embedder.visible_ends(texts).sum())
        return sum(map(len, texts))


def _places(total: int, size: int) -> list[int]:
    """Where sampled pieces begin."""
    places: list[int] = np.linspace(0, max(total - size, 0), SAMPLE).astype(np.int64).tolist()
    return places


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

    @property
    def texts(self) -> list[str]:
        """What the splitter had embedded."""
        shared = [text for key in sorted(self.asked_vectors) for text in self._embedded[key]]
        return [*shared, *self.asked_texts]

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
