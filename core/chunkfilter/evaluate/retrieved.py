"""The measures of what some retriever returned, whatever it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunkfilter.chunk import Chunk, as_chunks
from chunkfilter.errors import InputError
from chunkfilter.evaluate.arguments import several
from chunkfilter.evaluate.collection import Collection, usual_settings
from chunkfilter.evaluate.compare import checked_questions
from chunkfilter.evaluate.found import Found
from chunkfilter.evaluate.metrics import measure
from chunkfilter.evaluate.questions import Question
from chunkfilter.evaluate.sets import Values
from chunkfilter.text.ragged import IntArray


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
    asked = checked_questions(questions)
    lists = several("retrieved", retrieved, "one list a question")
    if len(asked) != len(lists):
        raise InputError(
            f"retrieved: {len(lists)} lists, {len(asked)} questions; expected one list a question"
        )
    settings = usual_settings(k, budgets, tokens)
    chunks, ranked = _flattened(lists)
    found = Found(np.ones(len(chunks), dtype=np.bool_), ranked)
    values = measure(Collection(chunks, asked, settings), found, ("retrieval",))
    mean = float((ranked[:, :k] >= 0).sum(axis=1).mean()) if ranked.size else 0.0
    return RetrievalReport(len(asked), mean, k, values)


def _flattened(retrieved: Sequence[Sequence[Chunk | str]]) -> tuple[list[Chunk], IntArray]:
    """The distinct texts, and their positions as ranked for each question, -1 after the last."""
    places: dict[str, int] = {}
    rows = [
        [places.setdefault(chunk.text, len(places)) for chunk in as_chunks(found, "retrieved chunk")]
        for found in retrieved
    ]
    ranked = np.full((len(rows), max(map(len, rows), default=0)), -1, dtype=np.int64)
    for number, row in enumerate(rows):
        ranked[number, : len(row)] = row
    return as_chunks(places), ranked
