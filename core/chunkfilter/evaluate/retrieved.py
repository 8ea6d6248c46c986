"""The measures of what some retriever returned, whatever it is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunkfilter.chunk import Chunk, as_chunks
from chunkfilter.errors import InputError
from chunkfilter.evaluate.arguments import several
from chunkfilter.evaluate.bench import Settings
from chunkfilter.evaluate.compare import checked_questions
from chunkfilter.evaluate.measures import at_budget, named
from chunkfilter.evaluate.metrics import Values
from chunkfilter.evaluate.metrics.budget_recall import budget_recall
from chunkfilter.evaluate.metrics.evidence_recall import evidence_recall
from chunkfilter.evaluate.metrics.iou import iou
from chunkfilter.evaluate.metrics.overlap import overlap, whole_rows
from chunkfilter.evaluate.metrics.precision import precision
from chunkfilter.evaluate.metrics.recall import recall
from chunkfilter.evaluate.questions import Question
from chunkfilter.evaluate.runs import run_table
from chunkfilter.evaluate.tokens import TokenTable, token_tables
from chunkfilter.text.ragged import IntArray
from chunkfilter.text.words import Vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class RetrievalReport:
    """How much of the references a retriever brought back.

    Args:
        questions: number of questions.
        retrieved: mean number of chunks retrieved, at most k.
        k: chunks that count.
        values: each measure, shape (q,), from 0 to 1: ``precision``, ``recall``, ``iou``
            (``lemma_...`` for lemmas), ``evidence_recall``, ``budget_recall@N``.
    """

    questions: int
    retrieved: float
    k: int
    values: Mapping[str, Values]

    @property
    def rates(self) -> dict[str, float]:
        """Mean of each measure over the questions."""
        return {name: float(np.mean(one)) for name, one in self.values.items()}


def evaluate_retrieved(
    questions: Sequence[Question],
    retrieved: Sequence[Sequence[Chunk | str]],
    *,
    k: int = 5,
    budgets: Sequence[int] = (500, 1000, 2000),
    tokens: Sequence[str] = ("word",),
) -> RetrievalReport:
    """Measure lists of retrieved chunks against the questions' references.

    Args:
        questions: q questions.
        retrieved: for each question what was retrieved, best first; only the first k count, but all of them
            may be paid for by a budget.
        k: chunks that count.
        budgets: numbers of paid tokens at which recall is measured.
        tokens: ``word``, ``lemma`` or both.

    Raises:
        InputError: no questions, one without a reference, not one list a question, or a value out of bounds.
    """
    questions = checked_questions(questions)
    retrieved = several("retrieved", retrieved, "one list a question")
    if len(questions) != len(retrieved):
        raise InputError(
            f"retrieved: {len(retrieved)} lists, {len(questions)} questions; expected one list a question"
        )
    settings = Settings(
        k, several("budgets", budgets, "whole numbers"), several("tokens", tokens, "kinds of tokens")
    )
    chunks, ranked = _flattened(retrieved)
    references = ["\n".join(one.text for one in question.references) for question in questions]
    tables = token_tables(chunks, references, settings.tokens)
    values = {
        name: of_kind for kind in tables for name, of_kind in _covered(kind, tables[kind], ranked[:, :k])
    }
    words = tables["word"]
    for budget in settings.budgets:
        values[at_budget(budget)] = budget_recall(
            ranked, words.sequences, words.references, words.size, budget
        )
    values["evidence_recall"] = _evidence(chunks, questions, ranked[:, :k])
    return RetrievalReport(
        len(questions), float((ranked[:, :k] >= 0).sum(axis=1).mean()) if ranked.size else 0.0, k, values
    )


def _covered(kind: str, table: TokenTable, top: IntArray) -> Iterator[tuple[str, Values]]:
    """Precision, recall and IoU on one kind of tokens, by name."""
    found = overlap(table.chunks.values, *whole_rows(top, table.chunks), table.references, table.size)
    yield named("precision", kind), precision(found)
    yield named("recall", kind), recall(found)
    yield named("iou", kind), iou(found)


def _flattened(retrieved: Sequence[Sequence[Chunk | str]]) -> tuple[list[str], IntArray]:
    """The distinct texts, and their positions as ranked for each question, -1 after the last."""
    places: dict[str, int] = {}
    rows = [
        [places.setdefault(chunk.text, len(places)) for chunk in as_chunks(found, "retrieved chunk")]
        for found in retrieved
    ]
    ranked = np.full((len(rows), max(map(len, rows), default=0)), -1, dtype=np.int64)
    for number, row in enumerate(rows):
        ranked[number, : len(row)] = row
    return list(places), ranked


def _evidence(texts: Sequence[str], questions: Sequence[Question], top: IntArray) -> Values:
    vocabulary = Vocabulary()
    references = [one.text for question in questions for one in question.references]
    owners = np.repeat(np.arange(len(questions)), [len(question.references) for question in questions])
    runs = run_table(vocabulary.encode(texts), vocabulary.encode(references), owners, len(questions))
    return evidence_recall(top, runs.chunks, runs.references, runs.size)
