"""Words that hold a number or are an identifier, in any script."""

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from chunkfilter.filters.batch import BoolArray

_ASCII_NUMBER = re.compile(r"[0-9_]")
#: Roman numerals from 2 to 39: those of articles, chapters and monarchs. "i" is a word, and larger ones are
#: often words too ("mix", "mi", "di").
_ROMAN = re.compile(r"(?:x{1,3}(?:ix|iv|v?i{0,3})|ix|iv|vi{0,3}|ii|iii)")


def number_words(words: Sequence[str]) -> BoolArray:
    """Whether each word is or holds a number or is an identifier, shape (len(words),).

    Numbers are digits and numerals of every script, Han ones too, and Roman numerals up to 39; a word with
    digits or an underscore in it (``B4``, ``3.9.1``, ``max_size``) is an identifier.
    """
    return np.fromiter(map(_is_number, words), dtype=np.bool_, count=len(words))


def _is_number(word: str) -> bool:
    if word.isascii():
        return bool(_ASCII_NUMBER.search(word) or _ROMAN.fullmatch(word))
    return any(unicodedata.numeric(character, None) is not None for character in word) or "_" in word
