"""How near an answer is to its question."""

from collections.abc import Sequence

import numpy as np

from chunkfilter.evaluate.arguments import refuse_two_lengths
from chunkfilter.evaluate.sets import Values
from chunkfilter.signals.embedders import Embedder, as_embedder, encode_queries
from chunkfilter.signals.vectors import embed_distinct


def question_cosine(questions: Sequence[str], answers: Sequence[str], embedder: Embedder) -> Values:
    r"""The cosine of question and answer, 0 where it is negative or the answer has no visible text.

    It says whether an answer stays with the question, not whether it is right.

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
    told = embed_distinct([answers[number] for number in filled], embedder)
    refuse_two_lengths(told, asked, embedder)
    cosines = np.einsum("ij,ij->i", asked.astype(np.float64), told.astype(np.float64))
    scores[filled] = np.clip(np.nan_to_num(cosines), 0.0, 1.0)
    return scores
