"""What several measurements ask of their arguments."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from chunkfilter.errors import InputError, VectorError
from chunkfilter.signals.embedders import Embedder, FloatArray, embedder_label


def is_count(value: object) -> bool:
    """Whether a value is a whole number of at least 1."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) >= 1


def refuse_no_count(name: str, value: object, least: int = 1) -> None:
    """Refuse what is no whole number.

    Args:
        name: of the argument.
        value: what was given.
        least: the smallest that is accepted, 0 or 1.

    Raises:
        InputError: it is none, or smaller.
    """
    if not (is_count(value) or (least == 0 and value == 0 and type(value) is not bool)):
        raise InputError(f"{name}: got {value!r:.80}; expected a whole number of at least {least}")


def several(name: str, values: Any, what: str) -> tuple[Any, ...]:
    """The values of an argument that takes several.

    Args:
        name: of the argument.
        values: what was given.
        what: what is expected, for errors.

    Raises:
        InputError: it is one text, or nothing to iterate over.
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InputError(f"{name}: got {values!r:.80}; expected {what}, in a list or the like")
    return tuple(values)


def refuse_two_lengths(texts: FloatArray, questions: FloatArray, embedder: Embedder) -> None:
    """Refuse vectors of texts and questions that cannot be compared.

    Args:
        texts: shape (n, d).
        questions: shape (q, d).
        embedder: what made both.

    Raises:
        VectorError: they have not the same length.
    """
    if texts.shape[1] != questions.shape[1]:
        raise VectorError(
            f"embedder {embedder_label(embedder)}: its vectors of texts have {texts.shape[1]} dimensions, "
            f"those of questions {questions.shape[1]}; expected the same"
        )


def refuse_margin(margin: float, name: str = "margin") -> None:
    """Refuse a margin that is no share.

    Args:
        margin: what was given.
        name: of the argument.

    Raises:
        InputError: it is no number from 0 to below 1.
    """
    if not (isinstance(margin, (int, float)) and 0 <= margin < 1):
        raise InputError(f"{name}: got {margin!r}; expected a number from 0 to below 1")
