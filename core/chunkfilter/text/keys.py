"""Keys that are equal when two texts are copies of each other."""

import re

from chunkfilter.text.characters import without_invisible
from chunkfilter.text.ragged import Ragged

_NOT_WORD = re.compile(r"[^\w\s]")


def exact_keys(texts: list[str], words: Ragged) -> list[bytes | str]:
    """One key a text: its words in order; for a text without words the text, white space folded.

    Args:
        texts: n texts.
        words: their words, n rows.
    """
    return [row.tobytes() if len(row) else folded(text) for text, row in zip(texts, words, strict=True)]


def folded(text: str) -> str:
    """The text without invisible marks, each run of white space one space, none at the ends."""
    return " ".join(without_invisible(text).split())


def paper_key(text: str) -> str:
    r"""The published normalisation: lower case, delete ``[^\w\s]``, fold white space.

    Source: "ExactNorm", section 3.5 of "Reducing Redundancy in Retrieval-Augmented Generation through
    Chunk Filtering".
    """
    return " ".join(_NOT_WORD.sub("", text.lower()).split())
