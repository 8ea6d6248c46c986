"""Answers written from what was retrieved, and their measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk
from chunkfilter.errors import InputError
from chunkfilter.evaluate.answers.bert_score import bert_scores
from chunkfilter.evaluate.answers.generate import LanguageModel, Prompt, answer_prompt, generate_answers
from chunkfilter.evaluate.answers.question_cosine import question_cosine
from chunkfilter.evaluate.arguments import several
from chunkfilter.evaluate.questions import Question
from chunkfilter.evaluate.sets import Values
from chunkfilter.signals.embedders import as_embedder


@dataclass(frozen=True, slots=True, eq=False)
class AnswerReport:
    """Answers and how good they are.

    Args:
        answers: one a question.
        values: each measure, shape (q,), from 0 to 1: ``bert_score``, ``question_cosine``.
    """

    answers: tuple[str, ...]
    values: Mapping[str, Values]

    @property
    def rates(self) -> dict[str, float]:
        """Mean of each measure over the questions."""
        return {name: float(np.mean(one)) for name, one in self.values.items()}


def evaluate_answers(
    questions: Sequence[Question],
    retrieved: Sequence[Sequence[Chunk | str]],
    model: LanguageModel,
    *,
    bert_model: str | None = None,
    bert_layer: int | None = None,
    embedder: Any = None,
    k: int = 5,
    prompt: Prompt = answer_prompt,
) -> AnswerReport:
    """Have questions answered from retrieved chunks, and measure the answers.

    Args:
        questions: q questions; for BERTScore each with ``answers``.
        retrieved: for each question what was retrieved, best first.
        model: any function from a prompt to an answer.
        bert_model: for BERTScore, see :func:`chunkfilter.evaluate.answers.bert_score.bert_scores`.
        bert_layer: likewise.
        embedder: for the cosine of question and answer; what
            :func:`chunkfilter.signals.embedders.as_embedder` accepts.
        k: chunks that are shown to the model.
        prompt: writes what is sent to it.

    Raises:
        InputError: no questions, one that is no ``Question`` or has no answers where BERTScore is asked for,
            no measure asked for, or from what is called.
        MissingExtraError: ``bert-score`` is needed and not installed.
    """
    questions = several("questions", questions, "Questions")
    if not questions:
        raise InputError("questions: got none; expected at least one")
    for place, question in enumerate(questions):
        if not isinstance(question, Question):
            raise InputError(f"question {place}: got {question!r:.200}; expected a Question")
    if bert_model is None and embedder is None:
        raise InputError("bert_model and embedder: got neither; expected one, or nothing is measured")
    if bert_model is not None:
        for question in questions:
            if not any(answer.strip() for answer in question.answers):
                raise InputError(f"question {question.id!r}: has no answer; BERTScore compares with one")
    answers = generate_answers(questions, retrieved, model, k=k, prompt=prompt)
    values: dict[str, Values] = {}
    if bert_model is not None:
        expected = [question.answers for question in questions]
        values["bert_score"] = bert_scores(answers, expected, bert_model, layer=bert_layer)
    if embedder is not None:
        asked = [question.text for question in questions]
        values["question_cosine"] = question_cosine(asked, answers, as_embedder(embedder))
    return AnswerReport(tuple(answers), values)
