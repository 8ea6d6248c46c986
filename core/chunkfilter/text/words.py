"""Words that mean the same when they are equal, for every script.

A word is a run of letters, digits and marks, in NFC and lower case, with what carries meaning beside it:

- between digits the separator stays (``1,240``, ``9.1``, ``2024-01-02``), before them the sign, the leading
  decimal point, the currency and the bracket of an accounting negative, after them per cent, degree, currency
  and the marks of feet and inches: -1,240 is not 1,240, and 1.5 is not 15;
- a ``!`` or a hyphen glued to the front of a word stays (``!ready``, ``-v``), an apostrophe inside one too;
- symbols that are not typography (``+ = < # & @``, emoji) are words of their own, so ``C++`` is not ``C``;
- in scripts without spaces (Han, kana, Thai, Lao, Khmer, Burmese, Tibetan) every character is a word.

Typography is dropped: quotes, brackets, sentence marks, dashes, ``|``, ``*``. Nothing is folded by
compatibility (``m²`` stays apart from ``m2``), and ``lower`` keeps the Turkish dotless i apart from i.
"""

import unicodedata
from array import array
from collections.abc import Iterable

import numpy as np
import regex

from chunkfilter.text.characters import visible_positions, without_invisible
from chunkfilter.text.ragged import Ragged, offsets_of, ranges

#: Scripts written without spaces between words.
UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"

_CURRENCY = r"$€£¥₹₽₩¢"
_WORD = regex.compile(
    rf"""
    (?:(?<![\w])                                             # glued to the front of a word:
       (?:[-+−±~!]{{1,2}}(?=[{_CURRENCY}]?\.?[\p{{L}}\p{{N}}])  # a sign, a negation, the dashes of a flag
         |\((?=[{_CURRENCY}]?[\p{{N}}][\p{{N}}.,]*+\))         # the bracket of an accounting negative
       )
    )?
    (?:(?<![\w])[{_CURRENCY}#№§]?\.(?=\p{{N}}) | [{_CURRENCY}#№§](?=\p{{N}}))?
    (?:{UNSPACED}\p{{M}}*+
      |(?:[[\p{{L}}\p{{N}}\p{{M}}_]--{UNSPACED}]
         |(?<=[\p{{L}}\p{{M}}])[\u200c\u200d](?=[\p{{L}}\p{{M}}])        # joiners inside a word
         |(?<=\p{{N}})[.,:/'\-–](?=\p{{N}})                    # separators between digits
         |(?<=\w)'(?=\p{{L}})                                  # apostrophe inside a word
       )++
       (?:(?<=\p{{N}})[%‰°′″'"{_CURRENCY}]++)?
    )
    |!(?==)
    |[[\p{{S}}\p{{Co}}\p{{Cn}}\p{{Cs}}\p{{M}}#%&@/\\‰‱§†‡\u200d\U000E0020-\U000E007F]--[|`´¨]]++
    """,
    regex.VERBOSE | regex.VERSION1,
)


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text.lower()).replace("’", "'")


def words(text: str) -> list[str]:
    """The words of a text, in order, normalised."""
    return [word for piece in text.split() for word in _words_of_piece(piece)]


def _words_of_piece(piece: str) -> list[str]:
    found: list[str] = _WORD.findall(_normal(without_invisible(piece)))
    return found


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where each of ``words(text)`` stands: (start, end) in characters of ``text``, end exclusive.

    Normalising can change lengths, so a piece whose length it changes is located as a whole:
    each of its words gets the span of the piece.
    """
    spans: list[tuple[int, int]] = []
    for piece in regex.finditer(r"\S+", text):
        places = visible_positions(piece[0])
        normal = _normal(without_invisible(piece[0]))
        for word in _WORD.finditer(normal):
            if len(normal) == len(places):
                start, end = places[word.start()], places[word.end() - 1] + 1
                spans.append((piece.start() + start, piece.start() + end))
            else:
                spans.append(piece.span())
    return spans


class Vocabulary:
    """Numbers words in the order they are first seen, and turns texts into rows of numbers.

    Texts are cut at white space and each distinct piece is taken apart once: most pieces of real text
    are seen before, so the cost is that of ``str.split``. Not safe to share between threads while it grows.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._pieces = _Pieces(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def encode(self, texts: Iterable[str]) -> Ragged:
        """The words of each text as numbers: one row a text, int64."""
        number = self._pieces.__getitem__
        flat_numbers, counts = array("q"), array("q")
        for text in texts:
            pieces = text.split()
            counts.append(len(pieces))
            flat_numbers.extend(map(number, pieces))
        flat = np.array(flat_numbers, dtype=np.int64)
        lengths, starts, values = self._pieces.tables()
        piece_lengths = lengths[flat]
        ends = offsets_of(piece_lengths)
        return Ragged(
            values[ranges(starts[flat], piece_lengths)], ends[offsets_of(np.array(counts, dtype=np.int64))]
        )

    def words(self) -> list[str]:
        """Every word seen; the position is its number."""
        return list(self._numbers)


class _Pieces(dict[str, int]):
    """White-space separated piece -> its number; takes a piece apart when it is first asked for."""

    def __init__(self, numbers: dict[str, int]) -> None:
        super().__init__()
        self._words = numbers
        self._lengths: list[int] = []
        self._values: list[int] = []

    def __missing__(self, piece: str) -> int:
        numbers = self._words
        found = [numbers.setdefault(word, len(numbers)) for word in _words_of_piece(piece)]
        self._values.extend(found)
        self._lengths.append(len(found))
        number = self[piece] = len(self._lengths) - 1
        return number

    def tables(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Words a piece, the place of its first word, and the words of all pieces one after another."""
        lengths = np.asarray(self._lengths, dtype=np.int64)
        return lengths, offsets_of(lengths)[:-1], np.asarray(self._values, dtype=np.int64)
