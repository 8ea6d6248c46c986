"""The script a text is written in."""

import unicodedata
from collections.abc import Sequence

import numpy as np

from chunkfilter.text.ragged import IntArray, Ragged, row_blocks

_JAPANESE = ("HIRAGANA", "KATAKANA")
#: Kana tell Japanese from Chinese, also among many Han characters.
_KANA_WEIGHT = 4
_COMMON = ""
#: Words looked at once.
_BLOCK = 1 << 20


def dominant_scripts(rows: Ragged, words: Sequence[str], weights: IntArray) -> IntArray:
    """Number of the script that most words of each row are in, shape (n,); -1 for rows without letters.

    Args:
        rows: n rows of numbers of words.
        words: the word of each number.
        weights: how much each word counts, shape (len(words),) or longer.
    """
    names = [word_script(word) for word in words]
    numbers = {name: number for number, name in enumerate(sorted({*names} - {_COMMON}))}
    if not numbers:
        return np.full(len(rows), -1, dtype=np.int64)
    of_word = np.array([numbers.get(name, -1) for name in names], dtype=np.int64)
    counts = weights[: len(words)] * np.array([_KANA_WEIGHT if name == "KANA" else 1 for name in names])
    blocks = map(rows.part, row_blocks(rows.offsets, _BLOCK))
    return np.concatenate([_most_of(part, of_word, counts, len(numbers)) for part in blocks])


def _most_of(rows: Ragged, of_word: IntArray, counts: IntArray, scripts: int) -> IntArray:
    lettered = of_word[rows.values] >= 0
    values = rows.values[lettered]
    cells = rows.rows[lettered] * scripts + of_word[values]
    table = np.bincount(cells, weights=counts[values], minlength=len(rows) * scripts)
    table = table.reshape(len(rows), scripts)
    return np.where(table.any(axis=1), table.argmax(axis=1), -1)


def word_script(word: str) -> str:
    """Script of the first letter, as its Unicode name begins: ``LATIN``, ``CJK``; empty without letters.

    Both kana are ``KANA``.
    """
    for character in word:
        if character.isalpha():
            script = unicodedata.name(character, _COMMON).partition(" ")[0]
            return "KANA" if script in _JAPANESE else script
    return _COMMON
