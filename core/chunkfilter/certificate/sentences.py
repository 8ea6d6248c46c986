"""Sentences of one text, character by character: the rules of ``chunkfilter.text.sentences`` read again.

Shared with the filters are the lists of terminators, closers and abbreviations, and the words.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

import regex

from chunkfilter.text.sentences import ABBREVIATIONS, CLOSERS, TERMINATORS, TERMINATORS_WITHOUT_SPACE
from chunkfilter.text.words import LINE_BREAK, words

#: Kinds of characters, as the library behind the words knows them: its Unicode is newer than Python's.
_LETTER, _DIGIT, _WORD_CHARACTER = map(regex.compile, (r"\p{L}", r"\p{N}", r"\w"))
_MOST_DIGITS = 3
_MOST_NUMERALS = 5


@dataclass(frozen=True, slots=True)
class Cut:
    """A text cut into sentences.

    Args:
        words: all words.
        sentences: (start, end) of each in the words, end exclusive, none of them empty.
        opened: a terminator or line break stands before the first word.
        closed: a sentence ends after the last word.
        lower: the first word begins with a lower-case letter.
    """

    words: tuple[str, ...]
    sentences: tuple[tuple[int, int], ...]
    opened: bool
    closed: bool
    lower: bool


def cut(text: str) -> Cut:
    """Cut a text into sentences."""
    found: list[str] = []
    inside: set[int] = set()
    after: set[int] = set()
    lower = False
    mixed_case = has_upper_case(text)
    shapes = [_shape(piece) for piece in _pieces(text)]
    for shape, following in zip(shapes, [*shapes[1:], _shape("")], strict=False):
        if shape.words and not found:
            lower = shape.lower
        inside.update(len(found) + count for count in shape.inside)
        found.extend(shape.words)
        if shape.line_break or (shape.may_end and not (following.lower and mixed_case)):
            after.add(len(found))
    starts = sorted(({0} | inside | after) - {len(found)})
    sentences = tuple(zip(starts, [*starts[1:], len(found)], strict=False))
    return Cut(tuple(found), sentences, 0 in after, len(found) in after, lower)


def has_upper_case(text: str) -> bool:
    """Whether a text has an upper-case letter; where it has none, a lower-case one says nothing."""
    return any(one.lower() != one for one in text)


def _pieces(text: str) -> Iterator[str]:
    """What stands between white space, and ``LINE_BREAK`` for each line that ends."""
    for place, line in enumerate(text.splitlines()):
        if place:
            yield LINE_BREAK
        yield from line.split()


@dataclass(frozen=True, slots=True)
class _Shape:
    words: tuple[str, ...]
    inside: tuple[int, ...]
    line_break: bool
    may_end: bool
    lower: bool


@lru_cache(maxsize=1 << 17)
def _shape(piece: str) -> _Shape:
    found = tuple(words(piece))
    inside = tuple(_ends_inside(piece, len(found)))
    return _Shape(found, inside, piece == LINE_BREAK, may_end(piece), starts_lower(piece))


def _ends_inside(piece: str, total: int) -> list[int]:
    """After how many words a sentence ends inside a piece, behind terminators that need no space."""
    parts, start, place = [""], 0, 0
    while place < len(piece):
        if piece[place] in TERMINATORS_WITHOUT_SPACE:
            while place < len(piece) and piece[place] in TERMINATORS_WITHOUT_SPACE + CLOSERS:
                place += 1
            parts.append(piece[start:place])
            start = place
        else:
            place += 1
    if len(parts) == 1:
        return []
    counts = list(accumulate(len(words(part)) for part in [*parts, piece[start:]]))
    return [count for count in counts if 0 < count < total] if counts[-1] == total else []


def may_end(piece: str) -> bool:
    """Whether a sentence may end after a piece: a terminator that is not an abbreviation's."""
    core = piece.rstrip(CLOSERS)
    if not core or core[-1] not in TERMINATORS + TERMINATORS_WITHOUT_SPACE:
        return False
    return core[-1] != "." or not _goes_on(core[:-1])


def ends_at_once(piece: str) -> bool:
    """Whether a piece ends with a terminator that needs no space behind it."""
    return piece.rstrip(CLOSERS)[-1:] in tuple(TERMINATORS_WITHOUT_SPACE)


def _goes_on(core: str) -> bool:
    """Whether what stands before a full stop is an initial or several, an enumerator or an abbreviation."""
    while core and not _WORD_CHARACTER.match(core[0]):
        core = core[1:]
    if not core:
        return False
    if all(len(part) == 1 and _LETTER.match(part) for part in core.split(".")):
        return True
    if all(map(_DIGIT.match, core)):
        return len(core) <= _MOST_DIGITS
    if set(core.lower()) <= set("ivx"):
        return len(core) <= _MOST_NUMERALS
    return all(map(_LETTER.match, core)) and core.lower() in ABBREVIATIONS


def starts_lower(piece: str) -> bool:
    """Whether the first letter or digit of a piece is a lower-case letter."""
    first = next((one for one in piece if _LETTER.match(one) or _DIGIT.match(one)), "")
    return first.islower()
