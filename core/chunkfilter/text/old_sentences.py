"""Where sentences begin and end, by rules that look at two neighbouring pieces of text and nothing else.

A piece is what stands between white space. A sentence ends

- at a line break;
- after a piece that ends with a terminator, closing quotes and brackets allowed, unless the next piece
  begins with a lower-case letter ("e.g. this") or the piece is an abbreviation, an initial or an enumerator
  ("No.", "J.", "3."); where a text has no upper-case letter at all, a lower-case one says nothing;
- after a terminator of a script that puts no space behind it (``。``, ``！``, danda, shad, ...), also inside
  a piece.

Two neighbours decide, so a sentence ends at the same place in every chunk that holds both; only at the edges
of a chunk something may be unknown (:class:`Sentences`). Merging two sentences is safe (more must stand
together), so in doubt there is no end.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
import regex
from numpy.typing import NDArray

from chunkfilter.text.ragged import AnyIntArray, IntArray, Ragged, offsets_of, ranges, row_blocks
from chunkfilter.text.words import LINE_BREAK, Vocabulary, words

BoolArray = NDArray[np.bool_]

#: End a sentence where white space follows.
TERMINATORS = ".!?…‽؟۔⸮．"
#: End a sentence wherever they stand.
TERMINATORS_WITHOUT_SPACE = "。！？｡‼⁇⁈⁉।॥။។៕༎།።"
CLOSERS = "\"'”’»›)]}」』）】〉》*_`"
#: Written with a full stop in the middle of a sentence; an initial or several ("J.", "e.g.") need no entry.
_ABBREVIATED = (
    "al approx art arts bzw ca cf ch chap co corp dept dr ed eds eq eqs etc fig figs ff gen gov hon inc "
    "incl jr ltd max min mr mrs ms mt no nos nr op para paras pp prof ref refs reg rev sec sect sr st vol "
    "vols vs usw vgl "
)
ABBREVIATIONS = frozenset(_ABBREVIATED.split())

#: Pieces whose answers are remembered.
_REMEMBERED = 1 << 16
#: Pieces whose sentences are looked for at once.
_BLOCK = 1 << 20
_CLOSING = regex.escape(CLOSERS)
_ENDS = regex.compile(rf"[{TERMINATORS}{TERMINATORS_WITHOUT_SPACE}][{_CLOSING}]*+$")
_GOES_ON = regex.compile(
    rf"\W*+(?:(?:\p{{L}}\.)+|\p{{N}}{{1,3}}\.|[ivx]{{1,5}}\.|(?P<word>\p{{L}}+)\.)[{_CLOSING}]*+", regex.I
)
_ENDS_INSIDE = regex.compile(rf"[{TERMINATORS_WITHOUT_SPACE}]++[{TERMINATORS_WITHOUT_SPACE}{_CLOSING}]*+")
_ENDS_WITHOUT_SPACE = regex.compile(rf"[{TERMINATORS_WITHOUT_SPACE}][{_CLOSING}]*+$")
_FIRST_LETTER_OR_DIGIT = regex.compile(r"[\p{L}\p{N}]")


@lru_cache(maxsize=_REMEMBERED)
def ends_sentence(piece: str) -> bool:
    """Whether a sentence may end after a piece: a terminator that is not an abbreviation's."""
    if piece[-1:].isalnum() or not _ENDS.search(piece):
        return False
    goes_on = _GOES_ON.fullmatch(piece)
    return not goes_on or bool(goes_on["word"] and goes_on["word"].lower() not in ABBREVIATIONS)


def ends_without_space(piece: str) -> bool:
    """Whether a sentence ends after a piece whatever follows, also without white space."""
    return _ENDS_WITHOUT_SPACE.search(piece) is not None


@lru_cache(maxsize=_REMEMBERED)
def begins_lower(piece: str) -> bool:
    """Whether the first letter or digit of a piece is a lower-case letter."""
    if piece[:1].isascii() and piece[:1].isalnum():
        return piece[0].islower()
    first = _FIRST_LETTER_OR_DIGIT.search(piece)
    return first is not None and first[0].islower()


def is_lower_case(text: str) -> bool:
    """Whether a text has no upper-case letter, like texts that somebody lower-cased."""
    return text.lower() == text


def ends_inside(piece: str) -> list[int]:
    """After how many of its words a sentence ends inside a piece, ascending, without its last word."""
    if piece.isascii():
        return []
    ends = [match.end() for match in _ENDS_INSIDE.finditer(piece)]
    if not ends or ends == [len(piece)]:
        return []
    cuts = [0, *ends, len(piece)]
    counts = np.cumsum([len(words(piece[start:end])) for start, end in pairwise(cuts)])
    total = len(words(piece))
    return [int(count) for count in counts[:-1] if 0 < count < total] if counts[-1] == total else []


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The sentences of n texts, those without words left out.

    Args:
        starts: shape (s,): place of the first word of each, in the flat words of all texts, ascending.
        ends: shape (s,): one past its last word.
        first: shape (n + 1,): sentences of text i are ``first[i]`` to ``first[i + 1]``.
        opened: shape (n,): a terminator or line break stands before the first word of the text.
        closed: shape (n,): a sentence ends after the last word of the text.
        lower: shape (n,): the first word of the text begins with a lower-case letter.
    """

    starts: IntArray
    ends: IntArray
    first: IntArray
    opened: BoolArray
    closed: BoolArray
    lower: BoolArray


class _Shapes:
    """What the rules ask of each distinct piece, as arrays over the pieces of a vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        texts = vocabulary.piece_texts()
        count = len(texts)
        self.breaks = np.fromiter((text == LINE_BREAK for text in texts), np.bool_, count)
        self.ends = np.fromiter(map(ends_sentence, texts), np.bool_, count)
        self.lower = np.fromiter(map(begins_lower, texts), np.bool_, count)
        self.upper = np.fromiter((not is_lower_case(text) for text in texts), np.bool_, count)
        self.lengths = vocabulary.piece_lengths()
        inside = {number: found for number, text in enumerate(texts) if (found := ends_inside(text))}
        counts = np.zeros(count, dtype=np.int64)
        counts[list(inside)] = [len(found) for found in inside.values()]
        flat = [place for found in inside.values() for place in found]
        self.inside = Ragged(np.array(flat, dtype=np.int64), offsets_of(counts))


def find_sentences(pieces: Ragged, vocabulary: Vocabulary, word_offsets: IntArray) -> Sentences:
    """Cut texts into sentences.

    Args:
        pieces: the pieces of n texts, from ``vocabulary.pieces``.
        vocabulary: what numbered them.
        word_offsets: shape (n + 1,): offsets of the words of each text.
    """
    shapes = _Shapes(vocabulary)
    parts, count = list[Sentences](), 0
    for rows in row_blocks(pieces.offsets, _BLOCK):
        words_before = word_offsets[rows.start]
        offsets = word_offsets[rows.start : rows.stop + 1] - words_before
        part = _sentences_of(pieces.part(rows), shapes, offsets)
        parts.append(
            replace(
                part,
                starts=part.starts + words_before,
                ends=part.ends + words_before,
                first=part.first + count,
            )
        )
        count += len(part.starts)
    return Sentences(
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.ends for part in parts]),
        np.concatenate([np.zeros(1, dtype=np.int64), *(part.first[1:] for part in parts)]),
        np.concatenate([part.opened for part in parts]),
        np.concatenate([part.closed for part in parts]),
        np.concatenate([part.lower for part in parts]),
    )


def _sentences_of(pieces: Ragged, shapes: _Shapes, word_offsets: IntArray) -> Sentences:
    flat = pieces.values
    piece_ends = np.cumsum(shapes.lengths[flat])
    text_starts, text_ends = word_offsets[:-1], word_offsets[1:]
    breaks = _ends_after(flat, pieces.offsets, shapes)
    text_of_break = np.searchsorted(pieces.offsets, np.flatnonzero(breaks), side="right") - 1
    places = piece_ends[breaks]
    opened = np.zeros(len(pieces), dtype=np.bool_)
    closed = np.zeros(len(pieces), dtype=np.bool_)
    opened[text_of_break[places == text_starts[text_of_break]]] = True
    closed[text_of_break[places == text_ends[text_of_break]]] = True
    filled = text_starts < text_ends
    starts = np.unique(
        np.concatenate([places, _places_inside(flat, piece_ends, shapes), text_starts[filled]])
    )
    total = int(word_offsets[-1])
    starts = starts[starts < total].astype(np.int64)
    return Sentences(
        starts,
        np.append(starts[1:], total)[: len(starts)],
        np.searchsorted(starts, word_offsets),
        opened,
        closed,
        _lower_at(text_starts, filled, flat, piece_ends, shapes),
    )


def _ends_after(flat: AnyIntArray, offsets: IntArray, shapes: _Shapes) -> BoolArray:
    """Whether a sentence ends after each piece; what follows the last piece of a text is not known."""
    ends = shapes.ends[flat]
    if len(flat):
        next_lower = np.append(shapes.lower[flat[1:]], False)
        next_lower[offsets[1:][offsets[1:] > 0] - 1] = False
        ends &= ~(next_lower & _in_mixed_case(flat, offsets, shapes))
    return ends | shapes.breaks[flat]


def _in_mixed_case(flat: AnyIntArray, offsets: IntArray, shapes: _Shapes) -> BoolArray:
    """Whether each piece stands in a text that has an upper-case letter."""
    upper = offsets_of(shapes.upper[flat].astype(np.int64))
    mixed: BoolArray = np.repeat(upper[offsets[1:]] > upper[offsets[:-1]], np.diff(offsets))
    return mixed


def _places_inside(flat: AnyIntArray, piece_ends: IntArray, shapes: _Shapes) -> IntArray:
    counts = shapes.inside.lengths[flat]
    several = np.flatnonzero(counts)
    numbers = flat[several]
    inside = shapes.inside.values[ranges(shapes.inside.offsets[numbers], counts[several])]
    starts: IntArray = np.repeat(piece_ends[several] - shapes.lengths[numbers], counts[several])
    return starts + inside.astype(np.int64)


def _lower_at(
    text_starts: IntArray, filled: BoolArray, flat: AnyIntArray, piece_ends: IntArray, shapes: _Shapes
) -> BoolArray:
    """Whether the piece that holds the first word of each text begins with a lower-case letter."""
    lower = np.zeros(len(text_starts), dtype=np.bool_)
    holding = np.searchsorted(piece_ends, text_starts[filled], side="right")
    lower[filled] = shapes.lower[flat[holding]]
    return lower
