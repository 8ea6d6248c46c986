"""Which questions differences are taken over, and to which corpus and document they belong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from chunkfilter.chunk import Chunk
from chunkfilter.evaluate.arguments import counted
from chunkfilter.evaluate.questions import Question
from chunkfilter.evaluate.statistics import (
    FEWEST_UNITS,
    Difference,
    Pair,
    Reals,
    described,
    resampled_differences,
)
from chunkfilter.text.ragged import IntArray

#: Fewest documents that an interval is resampled over; with fewer it is resampled over questions and holds
#: for these documents only.
FEWEST_DOCUMENTS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What differences are taken over.

    Args:
        questions: positions of questions, shape (q,).
        documents: the document of each of them, shape (q,), -1 if unknown.
        margin: largest loss that verdicts accept.
        seed: of the resamples.
    """

    questions: IntArray
    documents: IntArray
    margin: float
    seed: int

    @property
    def clusters(self) -> IntArray | None:
        """The documents numbered from 0, ``None`` where they are too few or not all known."""
        known, numbers = np.unique(self.documents, return_inverse=True)
        return numbers if len(known) >= FEWEST_DOCUMENTS and known[0] >= 0 else None

    @property
    def units(self) -> int:
        """Number of questions or documents that are resampled."""
        return len(self.questions) if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def description(self) -> str:
        """What intervals are resampled over and hold for, for people."""
        few = f"; fewer than {FEWEST_UNITS}, so no verdict" if self.units < FEWEST_UNITS else ""
        return self._over + few

    @property
    def _over(self) -> str:
        count = len(np.unique(self.documents))
        if self.clusters is not None:
            return f"bootstrap over {counted(count, 'document')} that questions ask about"
        over = f"bootstrap over {counted(len(self.questions), 'question')}"
        if (self.documents < 0).any():
            return f"{over}; their documents are not known"
        return f"{over}, conditional on the {counted(count, 'document')} they ask about"

    def resampled(self, pairs: Sequence[Pair]) -> Reals:
        """Resampled means of the pairs' differences on these questions, shape (resamples, len(pairs))."""
        return resampled_differences(self._here(pairs), self.clusters, self.seed)

    def differences(
        self, pairs: Sequence[Pair], losses: Sequence[bool] = (), resampled: Reals | None = None
    ) -> list[Difference]:
        """The difference of each pair of values over all questions.

        Args:
            pairs: two variants' values.
            losses: whether each measure is 1 or 0 and can only fall; none by default.
            resampled: of :meth:`resampled`, where that is known.
        """
        means = self.resampled(pairs) if resampled is None else resampled
        units = self.units
        return [
            described(pair, means[:, column], units, self.margin, losses=bool(losses) and losses[column])
            for column, pair in enumerate(self._here(pairs))
        ]

    def _here(self, pairs: Sequence[Pair]) -> list[Pair]:
        return [(ours[..., self.questions], theirs[self.questions]) for ours, theirs in pairs]


def macro_differences(
    pairs: Sequence[Pair], samples: Sequence[Sample], resampled: Sequence[Reals]
) -> list[Difference]:
    """Mean differences over corpora, each counting the same: their resampled means, averaged.

    Args:
        pairs: two variants' values.
        samples: one a corpus.
        resampled: of :meth:`Sample.resampled`, one a corpus.
    """
    whole = Sample(
        np.concatenate([sample.questions for sample in samples]),
        np.concatenate([sample.documents for sample in samples]),
        samples[0].margin,
        samples[0].seed,
    )
    averaged = np.mean(resampled, axis=0)
    means = [
        float(np.mean([np.mean(ours[..., one.questions] - theirs[one.questions]) for one in samples]))
        for ours, theirs in pairs
    ]
    found = whole.differences(pairs, resampled=averaged)
    return [replace(one, mean=mean, p_changed=None) for one, mean in zip(found, means, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class Corpora:
    """To which corpus and document chunks and questions belong.

    Args:
        names: the corpora.
        of_chunks: number of each chunk's corpus, shape (n,), -1 if it belongs to none.
        of_questions: likewise of the questions, shape (q,).
        documents: number of each question's document, shape (q,), -1 if unknown.
    """

    names: tuple[str, ...]
    of_chunks: IntArray
    of_questions: IntArray
    documents: IntArray

    @classmethod
    def of(
        cls, chunks: Sequence[Chunk], questions: Sequence[Question], groups: Mapping[str, str] | None = None
    ) -> "Corpora":
        """Read the corpora off the sources of chunks and references; ``groups``: source -> its corpus."""
        groups = groups or {}
        names = tuple(dict.fromkeys(groups.values()))
        number = {source: names.index(name) for source, name in groups.items()}
        sources = [
            next((one.source for one in question.references if one.source), "") for question in questions
        ]
        documents = {source: place for place, source in enumerate(dict.fromkeys(filter(None, sources)))}
        return cls(
            names,
            np.array([number.get(chunk.source or "", -1) for chunk in chunks], dtype=np.int64),
            np.array([number.get(source, -1) for source in sources], dtype=np.int64),
            np.array([documents.get(source, -1) for source in sources], dtype=np.int64),
        )

    @property
    def present(self) -> list[int]:
        """The corpora that questions ask about."""
        numbers: list[int] = np.unique(self.of_questions[self.of_questions >= 0]).tolist()
        return numbers

    def whole(self, margin: float, seed: int) -> Sample:
        """All questions."""
        return Sample(np.arange(len(self.of_questions)), self.documents, margin, seed)

    def part(self, corpus: int, margin: float, seed: int) -> Sample:
        """The questions of one corpus."""
        questions = np.flatnonzero(self.of_questions == corpus)
        return Sample(questions, self.documents[questions], margin, seed + corpus)
