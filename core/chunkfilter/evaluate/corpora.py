"""Rows per corpus, and their macro mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunkfilter.evaluate.bench import Bench
from chunkfilter.evaluate.comparison import MACRO, CorpusRow, Difference
from chunkfilter.evaluate.differences import Pair, Sample, describe, macro, pairs_of, resample
from chunkfilter.evaluate.questions import Question
from chunkfilter.evaluate.rows import LOSSES, Trial, opposite, tested_measures
from chunkfilter.text.ragged import IntArray


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
    def of(cls, bench: Bench, groups: Mapping[str, str]) -> "Corpora":
        """Read the corpora off the sources of chunks and references.

        Args:
            bench: chunks and questions.
            groups: source -> name of its corpus.
        """
        names = tuple(dict.fromkeys(groups.values()))
        number = {source: names.index(name) for source, name in groups.items()}
        sources = [_source(question) for question in bench.questions]
        documents = {source: place for place, source in enumerate(dict.fromkeys(filter(None, sources)))}
        return cls(
            names,
            np.array([number.get(chunk.source or "", -1) for chunk in bench.chunks], dtype=np.int64),
            np.array([number.get(source or "", -1) for source in sources], dtype=np.int64),
            np.array([documents.get(source or "", -1) for source in sources], dtype=np.int64),
        )

    def whole(self, margin: float, seed: int) -> Sample:
        """All questions."""
        return Sample(np.arange(len(self.of_questions)), self.documents, margin, seed)

    def part(self, corpus: int, margin: float, seed: int) -> Sample:
        """The questions of one corpus."""
        questions = np.flatnonzero(self.of_questions == corpus)
        return Sample(questions, self.documents[questions], margin, seed)


def corpus_rows(
    bench: Bench, trials: Sequence[Trial], reference: Trial, corpora: Corpora, margin: float, seed: int
) -> tuple[CorpusRow, ...]:
    """For each arm a row per corpus with questions, and their macro mean; none for fewer than two corpora."""
    present: list[int] = np.unique(corpora.of_questions[corpora.of_questions >= 0]).tolist()
    if len(present) < 2:
        return ()
    names = tested_measures(bench.settings)
    pairs = [pairs_of(trial.draws, opposite(bench, trial, reference), names) for trial in trials]
    flat: list[Pair] = [pair for found in pairs for pair in found.values()]
    samples = [corpora.part(number, margin, seed + number) for number in present]
    resampled = [resample(flat, sample) for sample in samples]
    together = macro(flat, samples, resampled)
    rows: list[CorpusRow] = []
    for place, trial in enumerate(trials):
        first = place * len(names)
        for number, sample, means in zip(present, samples, resampled, strict=True):
            differences = {
                name: describe(flat[first + column], means[:, first + column], sample, name in LOSSES)
                for column, name in enumerate(names)
            }
            rows.append(_corpus_row(trial, corpora, number, sample.questions, differences))
        mean = dict(zip(names, together[first : first + len(names)], strict=True))
        rows.append(_macro_row(trial, rows[-len(present) :], mean))
    return tuple(rows)


def _corpus_row(
    trial: Trial,
    corpora: Corpora,
    number: int,
    questions: IntArray,
    differences: dict[str, Difference],
) -> CorpusRow:
    here = corpora.of_chunks == number
    return CorpusRow(
        corpus=corpora.names[number],
        policy=trial.arm.name,
        questions=len(questions),
        chunks=int(here.sum()),
        kept=round(float(np.mean([(mask & here).sum() for mask in trial.arm.draws]))),
        rates={name: float(values[questions].mean()) for name, values in trial.mean.items()},
        differences=differences,
    )


def _macro_row(trial: Trial, rows: Sequence[CorpusRow], differences: dict[str, Difference]) -> CorpusRow:
    return CorpusRow(
        corpus=MACRO,
        policy=trial.arm.name,
        questions=sum(row.questions for row in rows),
        chunks=sum(row.chunks for row in rows),
        kept=sum(row.kept for row in rows),
        rates={name: float(np.mean([row.rates[name] for row in rows])) for name in rows[0].rates},
        differences=differences,
    )


def _source(question: Question) -> str | None:
    return next((one.source for one in question.references if one.source), None)
