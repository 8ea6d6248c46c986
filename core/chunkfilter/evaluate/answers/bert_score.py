"""BERTScore of answers, through the package ``bert-score``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chunkfilter.errors import InputError, MissingExtraError
from chunkfilter.evaluate.sets import Values
from chunkfilter.signals.packages import PREFIX, packaged_folder


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
