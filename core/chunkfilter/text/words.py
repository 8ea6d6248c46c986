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
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import numpy as np
import regex
from numpy.typing import DTypeLike, NDArray

from chunkfilter.text.characters import visible_positions, without_invisible
from chunkfilter.text.growing import Growing
from chunkfilter.text.piece_cache import PieceCache
from chunkfilter.text.ragged import AnyIntArray, IntArray, Ragged, offsets_of, ranges

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


#: Putting a run of combining marks into canonical order takes time that grows with its square; no script
#: stacks this many, so longer runs are put in order part by part.
_MARKS_IN_ORDER = 64
_MARK_FLOOD = regex.compile(rf"\p{{M}}{{{_MARKS_IN_ORDER + 1},}}+")
_PART_OF_FLOOD = regex.compile(rf".{{1,{_MARKS_IN_ORDER}}}", regex.DOTALL)


def _normal(text: str) -> str:
    lowered = text.lower()
    if len(lowered) > _MARKS_IN_ORDER and not lowered.isascii() and _MARK_FLOOD.search(lowered):
        lowered = "".join(unicodedata.normalize("NFC", part[0]) for part in _PART_OF_FLOOD.finditer(lowered))
    else:
        lowered = unicodedata.normalize("NFC", lowered)
    return lowered.replace("’", "'")


def words(text: str) -> list[str]:
    """The words of a text, in order, normalised."""
    return [word for piece in text.split() for word in _words_of_piece(piece)]


def _words_of_piece(piece: str) -> list[str]:
    if piece.isascii() and (bare := piece.rstrip(".,;:")).isalnum():
        word = bare.lower()
        return [piece if word == piece else word]  # one text in memory, not two
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


#: A word of a script with spaces, in the units of ``word_weight``.
QUARTERS = 4
_UNSPACED_CHARACTER = regex.compile(UNSPACED)
_EAST_ASIAN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")


def word_weight(word: str) -> int:
    """Quarters of a word that one of ``words`` counts: 4, but fewer where every character is one.

    2 for a character of Chinese or Japanese, 1 for one of Thai, Lao, Khmer, Burmese or Tibetan: their words
    have about two and four of them.
    """
    if word.isascii() or not _UNSPACED_CHARACTER.match(word):
        return QUARTERS
    return 2 if _EAST_ASIAN.match(word) else 1


#: The piece that stands for a line break; no word is made of it.
LINE_BREAK = "\0"
_BETWEEN_LINES = f" {LINE_BREAK} "
#: Texts whose pieces are numbered together, at first and at most.
_FIRST_TEXTS, _TEXTS = 16, 256
#: Texts whose pieces are held at once where only words are asked for.
_ENCODED_TEXTS = 1 << 15
#: Pieces whose words are gathered at once, so that what is in between stays in a near cache.
_BLOCK = 1 << 16


class Vocabulary:
    """Numbers words in the order they are first seen, and turns texts into rows of numbers.

    Texts are cut at white space and each distinct piece is taken apart once: most pieces of real text
    are seen before, so the cost is that of ``str.split``. Not safe to share between threads while it grows.

    Args:
        words_of_piece: the words of a piece of text without white space; other words than this module's
            for other purposes.
    """

    def __init__(self, words_of_piece: Callable[[str], list[str]] | None = None) -> None:
        self._numbers: dict[str, int] = {}
        self._words_of_piece = words_of_piece or _words_of_piece
        self._number_pieces()

    def __len__(self) -> int:
        return len(self._numbers)

    def encode(self, texts: Iterable[str], kind: DTypeLike = np.int64) -> Ragged:
        """The words of each text as numbers: one row a text."""
        remaining, values, lengths = iter(texts), Growing[Any](np.dtype(kind)), [np.empty(0, np.int64)]
        while part := list(islice(remaining, _ENCODED_TEXTS)):
            rows = self.words_of(self.pieces(part, line_breaks=False), kind)
            values.add(rows.values)
            lengths.append(rows.lengths)
        return Ragged(values.whole(), offsets_of(np.concatenate(lengths)))

    def pieces(self, texts: Iterable[str], *, line_breaks: bool = True) -> Ragged:
        """The white-space separated pieces of each text as numbers of their own, int32.

        Args:
            texts: n texts.
            line_breaks: keep them as the piece ``LINE_BREAK``, which holds no word.
        """
        number = self._pieces.__getitem__
        values = Growing(np.int32)
        counts: list[int] = []
        remaining, size = iter(texts), _FIRST_TEXTS
        while block := list(islice(remaining, size)):
            size = min(2 * size, _TEXTS)  # the first ones hold most that is new
            if not line_breaks and (found := self._cache.pieces(block)):
                values.add(found[0])
                counts += found[1].tolist()
                continue
            numbers: list[int] = []  # a list takes them in twice as fast as an array does
            for text in block:
                pieces = (_BETWEEN_LINES.join(text.splitlines()) if line_breaks else text).split()
                counts.append(len(pieces))
                numbers += map(number, pieces)
            values.add(np.array(numbers, dtype=np.int32))
        return Ragged(values.whole(), offsets_of(counts))

    def words_of(self, pieces: Ragged, kind: DTypeLike = np.int64) -> Ragged:
        """The words of texts whose pieces are known.

        Args:
            pieces: of n texts, from this vocabulary.
            kind: of the numbers; int32 where nothing is reckoned with them.

        Returns:
            One row a text.
        """
        lengths, starts, known = self._pieces.tables()
        known = known.astype(kind, copy=False)
        blocks = range(0, len(pieces.values), _BLOCK)
        total = sum(int(lengths[pieces.values[first : first + _BLOCK]].sum()) for first in blocks)
        values: AnyIntArray = np.empty(total, dtype=kind)
        offsets, done = np.zeros(len(pieces) + 1, dtype=np.int64), 0
        for first in blocks:
            part = pieces.values[first : first + _BLOCK]
            ends = offsets_of(lengths[part])
            values[done : done + ends[-1]] = known[ranges(starts[part], lengths[part])]
            ending = slice(*np.searchsorted(pieces.offsets, (first, first + len(part)), side="right"))
            offsets[ending] = done + ends[pieces.offsets[ending] - first]
            done += int(ends[-1])
        return Ragged(values, offsets)

    def piece_texts(self) -> list[str]:
        """Every piece seen; the position is its number."""
        return list(self._pieces)

    def piece_lengths(self) -> IntArray:
        """Number of words of every piece, shape (pieces,)."""
        return self._pieces.tables()[0]

    def _number_pieces(self) -> None:
        self._pieces = _Pieces(self._numbers, self._words_of_piece)
        self._cache = PieceCache(self._pieces)

    def forget_pieces(self) -> None:
        """Let go of the pieces, not of the words: rows of pieces mean nothing from here on."""
        self._number_pieces()

    def weights(self) -> IntArray:
        """``word_weight`` of every word seen, shape (words,)."""
        return np.fromiter(map(word_weight, self._numbers), dtype=np.int64, count=len(self._numbers))

    def words(self) -> list[str]:
        """Every word seen; the position is its number."""
        return list(self._numbers)


class _Pieces(dict[str, int]):
    """White-space separated piece -> its number; takes a piece apart when it is first asked for."""

    def __init__(self, numbers: dict[str, int], words_of_piece: Callable[[str], list[str]]) -> None:
        super().__init__()
        self._words = numbers
        self._words_of_piece = words_of_piece
        self._lengths = array("i")
        self._values = array("i")

    def __missing__(self, piece: str) -> int:
        numbers = self._words
        found = self._words_of_piece(piece)
        for word in found:  # the plainest loop: for most batches this is what reading costs
            word_number = numbers.get(word)
            if word_number is None:
                word_number = numbers[word] = len(numbers)
            self._values.append(word_number)
        number = self[piece] = len(self._lengths)
        self._lengths.append(len(found))
        return number

    def tables(self) -> tuple[IntArray, IntArray, NDArray[np.int32]]:
        """Words a piece, the place of its first word, and the words of all pieces one after another."""
        lengths = np.array(self._lengths, dtype=np.int64)
        return lengths, offsets_of(lengths)[:-1], np.array(self._values, dtype=np.int32)
