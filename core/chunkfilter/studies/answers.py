"""Answers that a language model writes from retrieved chunks, and how good they are.

Any function from text to text is asked; the two measures are those of Qu, Tu and Bao, "Is Semantic Chunking
Worth the Computational Cost?" (2024).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk, as_chunks
from chunkfilter.errors import InputError, MissingExtraError
from chunkfilter.evaluate.arguments import refuse_no_count, refuse_two_lengths, several
from chunkfilter.evaluate.questions import Question
from chunkfilter.evaluate.sets import Values
from chunkfilter.signals.embedders import Embedder, as_embedder, encode_queries
from chunkfilter.signals.packages import PREFIX, packaged_folder
from chunkfilter.signals.vectors import embed_distinct

#: A language model: any function from a prompt to what the model writes.
LanguageModel = Callable[[str], str]

#: Writes the prompt for a question and its chunks, best first.
Prompt = Callable[[str, Sequence[str]], str]


def answer_prompt(question: str, texts: Sequence[str]) -> str:
    """The prompt: the chunks, numbered, best first, then the question.

    Args:
        question: what is asked.
        texts: the retrieved chunks.
    """
    passages = "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, start=1))
    return (
        "Answer the question from the passages alone. Say so if they do not answer it.\n\n"
        f"Passages:\n\n{passages}\n\nQuestion: {question}\nAnswer:"
    )


def generate_answers(
    questions: Sequence[Question],
    retrieved: Sequence[Sequence[Chunk | str]],
    model: LanguageModel,
    *,
    k: int = 5,
    prompt: Prompt = answer_prompt,
) -> list[str]:
    """Have each question answered from its chunks; equal prompts are sent once.

    Args:
        questions: q questions.
        retrieved: for each question what was retrieved, best first.
        model: what answers; its exceptions are not caught.
        k: chunks that are shown to it.
        prompt: writes what is sent.

    Returns:
        q answers, without white space around them.

    Raises:
        InputError: no function, not one list a question, ``k`` out of bounds, or a prompt or answer that is
            no text.
    """
    for name, given in (("model", model), ("prompt", prompt)):
        if not callable(given):
            raise InputError(f"{name}: got {given!r:.80}; expected a function")
    retrieved = several("retrieved", retrieved, "one list a question")
    if len(questions) != len(retrieved):
        raise InputError(f"retrieved: {len(retrieved)} lists; expected {len(questions)}, one a question")
    refuse_no_count("k", k)
    known: dict[str, str] = {}
    answers: list[str] = []
    for question, found in zip(questions, retrieved, strict=True):
        texts = [chunk.text for chunk in as_chunks(found, "retrieved chunk")[:k]]
        asked = prompt(question.text, texts)
        if not isinstance(asked, str):
            raise InputError(f"question {question.id!r}: the prompt is {asked!r:.80}; expected a str")
        if asked not in known:
            answer = model(asked)
            if not isinstance(answer, str):
                raise InputError(
                    f"question {question.id!r}: the model returned {answer!r:.80}; expected a str"
                )
            known[asked] = answer.strip()
        answers.append(known[asked])
    return answers


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
        bert_model: for BERTScore, see :func:`bert_scores`.
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


def question_cosine(questions: Sequence[str], answers: Sequence[str], embedder: Embedder) -> Values:
    """The cosine of question and answer, 0 where it is negative or the answer has no visible text.

    It says whether an answer is about the question, not whether it is right.

    Source: appendix D of Qu, Tu and Bao, "Is Semantic Chunking Worth the Computational Cost?" (2024), "QA
    similarity".

    Args:
        questions: q questions.
        answers: q answers.
        embedder: makes the vectors, of questions by its own way for them.

    Returns:
        Shape (q,), from 0 to 1.
    """
    scores = np.zeros(len(answers))
    filled = [number for number, answer in enumerate(answers) if answer.strip()]
    if not filled:
        return scores
    as_query = as_embedder(lambda texts: encode_queries(embedder, texts))
    asked = embed_distinct([questions[number] for number in filled], as_query)
    answered = embed_distinct([answers[number] for number in filled], embedder)
    refuse_two_lengths(answered, asked, embedder)
    cosines = np.einsum("ij,ij->i", asked.astype(np.float64), answered.astype(np.float64))
    scores[filled] = np.clip(np.nan_to_num(cosines), 0.0, 1.0)
    return scores


def bert_scores(
    answers: Sequence[str],
    expected: Sequence[Sequence[str]],
    model: str,
    *,
    layer: int | None = None,
    batch_size: int = 32,
) -> Values:
    r"""BERTScore F1 of each answer with the most similar of its expected ones.

    With :math:`x_i` and :math:`y_j` the contextual unit vectors of the tokens of both texts:

    .. math:: P = \frac{1}{n} \sum_i \max_j x_i \cdot y_j,\quad
              R = \frac{1}{m} \sum_j \max_i x_i \cdot y_j,\quad F = \frac{2 P R}{P + R}

    Not rescaled with a baseline; values below 0 count as 0. An answer without visible text has 0.

    Source: Zhang et al., "BERTScore: Evaluating Text Generation with BERT" (2020).

    Args:
        answers: q answers.
        expected: for each of them what a good answer says, one text or more.
        model: a folder, ``package:all-MiniLM-L6-v2``, or a model's name on the hub, which the library
            downloads unless it has it already; the study's is ``microsoft/deberta-xlarge-mnli``.
        layer: whose vectors are compared; ``None`` for the package's choice, the last one for models that it
            does not know.
        batch_size: texts at once.

    Returns:
        Shape (q,), from 0 to 1.

    Raises:
        MissingExtraError: ``bert-score`` is not installed.
        InputError: an answer has nothing to be compared with, or the model cannot be loaded.
    """
    if not isinstance(model, str):
        raise InputError(f"BERTScore model: got {model!r:.80}; expected a model's name or folder")
    for number, texts in enumerate(expected):
        if not any(text.strip() for text in texts):
            raise InputError(f"answer {number}: nothing is expected; expected at least one text")
    scores = np.zeros(len(answers))
    filled = [number for number, answer in enumerate(answers) if answer.strip()]
    if not filled:
        return scores
    wanted = [[text for text in expected[number] if text.strip()] for number in filled]
    _, _, found = _scorer(model, layer, batch_size).score([answers[number] for number in filled], wanted)
    scores[filled] = np.clip(found.numpy().astype(np.float64), 0.0, 1.0)
    return scores


def _scorer(model: str, layer: int | None, batch_size: int) -> Any:
    try:
        from bert_score import BERTScorer
        from bert_score.utils import model2layers
    except ImportError as error:
        raise MissingExtraError("bert-score", "answers", "BERTScore") from error
    place = str(packaged_folder(model.removeprefix(PREFIX))) if model.startswith(PREFIX) else model
    try:
        chosen = layer or model2layers.get(model) or _last_layer(place)
        return BERTScorer(model_type=place, num_layers=chosen, batch_size=batch_size)
    except (OSError, ValueError, AssertionError) as error:  # what transformers and bert-score raise
        raise InputError(f"BERTScore model {model!r}: cannot be loaded: {error}") from error


def _last_layer(place: str) -> int:
    from transformers import AutoConfig

    return int(AutoConfig.from_pretrained(place, local_files_only=Path(place).is_dir()).num_hidden_layers)
