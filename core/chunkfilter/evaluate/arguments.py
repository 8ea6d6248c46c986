"""What measurements ask of their arguments, and how messages count."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from chunkfilter.errors import InputError, VectorError
from chunkfilter.signals.embedders import Embedder, FloatArray, embedder_label


def is_count(value: object) -> bool:
    """Whether a value is a whole number of at least 1."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) >= 1


def refuse_no_count(name: str, value: object, least: int = 1) -> None:
    """Refuse what is no whole number of at least ``least``, 0 or 1.

    Raises:
        InputError: naming the argument and the value.
    """
    if not (is_count(value) or (least == 0 and value == 0 and type(value) is not bool)):
        raise InputError(f"{name}: got {value!r:.80}; expected a whole number of at least {least}")


def several(name: str, values: Any, what: str) -> tuple[Any, ...]:
    """The values of an argument that takes several; ``what`` says in errors what is expected.

    Raises:
        InputError: it is one text, or nothing to iterate over.
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InputError(f"{name}: got {values!r:.80}; expected {what}, in a list or the like")
    return tuple(values)


def several_of(name: str, values: Any, known: Iterable[str]) -> tuple[str, ...]:
    """The names of an argument that takes some of a known set, each once.

    Raises:
        InputError: it is no list of names, or one is unknown.
    """
    expected = f"some of {', '.join(known)}"
    given = several(name, values, expected)
    if not set(given) <= set(known):
        raise InputError(f"{name}: got {values!r:.80}; expected {expected}")
    return tuple(dict.fromkeys(given))


def refuse_two_lengths(texts: FloatArray, questions: FloatArray, embedder: Embedder) -> None:
    """Refuse vectors of texts, shape (n, d), and of questions, shape (q, e), that cannot be compared.

    Raises:
        VectorError: d and e differ.
    """
    if texts.shape[1] != questions.shape[1]:
        raise VectorError(
            f"embedder {embedder_label(embedder)}: its vectors of texts have {texts.shape[1]} dimensions, "
            f"those of questions {questions.shape[1]}; expected the same"
        )


def refuse_margin(margin: float, name: str = "margin") -> None:
    """Refuse a margin that is no number from 0 to below 1.

    Raises:
        InputError: naming it.
    """
    if not (isinstance(margin, (int, float)) and 0 <= margin < 1):
        raise InputError(f"{name}: got {margin!r}; expected a number from 0 to below 1")


def counted(count: int, noun: str) -> str:
    """``1 question``, ``2 questions``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
