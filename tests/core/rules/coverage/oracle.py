"""Section 3 of the design in plain Python, for texts of plain words.

Sentences begin with a capital, go on in lower case and end with a terminator or at a blank line; lines that
begin with ``- `` are list items. What is cut is not guessed from texts: the documents are known.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

MOST, LEAST_WORDS = 3, 5
#: What is known of an edge.
NOTHING, WHOLE, CUT = "nothing", "whole", "cut"

_BOUNDARY = re.compile(r"(?<=[.?!])\s+(?![a-z])|\n\s*\n|\n(?=- )")


def _enough(texts: Sequence[str]) -> bool:
    return len(" ".join(texts).split()) >= LEAST_WORDS


@dataclass(frozen=True)
class Piece:
    """A chunk: its text, what neighbours show of its edges, a terminator that its splitter cut off.

    ``alone``: it names no source.
    """

    text: str
    start: str = NOTHING
    end: str = NOTHING
    closing: str = ""
    alone: bool = False

    @property
    def headless(self) -> bool:
        return self.sentences[:1] in (["."], ["?"], ["!"])

    @property
    def sentences(self) -> list[str]:
        text = re.sub(r"^\s*([.?!])(?=\s|$)", r"\1\n\n", self.text)  # it ends a sentence that stands before
        parts = [" ".join(part.split()) for part in _BOUNDARY.split(text)]
        found = [part for part in parts if part]
        mark = self.closing if self.closing in "?!" else ""  # a question is none without its mark
        return [*found[:-1], found[-1] + mark] if found else []

    @property
    def open(self) -> bool:
        """The text does not show that its last sentence ends."""
        return not self.sentences or self.sentences[-1][-1] not in ".?!"

    @property
    def cut_start(self) -> bool:
        return self.start == CUT and not self.headless and _enough(self.sentences[:2])

    @property
    def cut_end(self) -> bool:
        beside = max(len(self.sentences) - 2, int(self.headless))
        return self.end == CUT and _enough(self.sentences[beside:])

    def given(self, place: int) -> str:
        """A sentence as others may have it."""
        last = place == len(self.sentences) - 1 and self.closing == "."
        return self.sentences[place] + "." * last

    def lead(self, place: int) -> int | None:
        """The sentence that leads a list item in."""
        if not self.sentences[place].startswith("- "):
            return None
        while place >= 0 and self.sentences[place].startswith("- "):
            place -= 1
        return place if place >= 0 else None

    def gives(self, place: int) -> bool:
        """Whether a sentence is whole beyond doubt."""
        if place == 0:
            lower = self.sentences[0].removeprefix("- ")[:1].islower()
            plain = self.alone and self.start == NOTHING and not lower
            if self.headless or not (self.start == WHOLE or plain):
                return False
        plain = self.alone and self.end == NOTHING and not self.open
        return place < len(self.sentences) - 1 or self.end == WHOLE or plain

    def words_before(self, place: int) -> int:
        return len(" ".join(self.sentences[:place]).split())


@dataclass(frozen=True)
class Need:
    """A sentence with one beside it (``other``), alone, or a ``piece`` of text, that begins at a word."""

    text: str
    begins: int
    kind: str
    other: str = ""
    open: bool = False


def needs(piece: Piece) -> list[Need] | None:
    """What kept chunks must contain; ``None`` if nothing but a copy will do."""
    texts, count = piece.sentences, len(piece.sentences)
    first = 1 if piece.cut_start or piece.headless else 0
    last = count - 1 if piece.cut_end else count
    whole = range(first, last)
    found = []
    for place in whole:
        is_open = place == count - 1 and piece.open
        if place > first:
            found.append(
                Need(texts[place], piece.words_before(place - 1), "beside", texts[place - 1], is_open)
            )
        lead = piece.lead(place)
        if lead is not None and lead != place - 1:
            found.append(Need(texts[place], piece.words_before(lead), "beside", texts[lead], is_open))
        if len(whole) == 1:
            found.append(Need(texts[place], piece.words_before(place), "sentence", "", is_open))
        if place == 1 and piece.headless:
            found.append(Need(texts[1], piece.words_before(1), "behind", texts[0], is_open))
    if piece.cut_start:
        found.append(Need(" ".join(texts[:2]), 0, "piece"))
    if piece.cut_end and not (piece.cut_start and count <= 2):
        begin = min(max(count - 2, int(piece.headless)), count - 1)
        found.append(Need(" ".join(texts[begin:]), piece.words_before(begin), "piece"))
    return found or None


def meets(kept: Piece, need: Need, window: int | None) -> bool:
    """Whether a kept chunk contains what is needed, among the words that an embedder sees of it."""
    if need.kind == "piece":
        words = " ".join(kept.sentences).split()[:window]
        return f" {need.text} " in f" {' '.join(words)} "
    for place in range(len(kept.sentences)):
        text = kept.given(place)
        same = text == need.text or (need.open and text.removesuffix(".") == need.text.removesuffix("."))
        if not same or not kept.gives(place):
            continue
        if window is not None and kept.words_before(place + 1) > window:
            continue
        beside = [other for other in (place - 1, kept.lead(place)) if other is not None and other >= 0]
        if need.kind == "sentence":
            return True
        if need.kind == "behind" and place and kept.sentences[place - 1].endswith(need.other):
            return True
        if need.kind == "beside" and any(
            kept.sentences[other] == need.other and kept.gives(other) for other in beside
        ):
            return True
    return False


def is_copy(one: Piece, other: Piece) -> bool:
    return one.text.split() == other.text.split()


def covers(kept: Sequence[Piece], removed: Piece, window: int | None) -> bool:
    """Whether some kept chunks, at most three, contain all of another one."""
    wanted = needs(removed)
    if not 1 <= len(kept) <= MOST or wanted is None:
        return False
    return all(any(meets(one, need, _seen(need, window)) for one in kept) for need in wanted)


def _seen(need: Need, window: int | None) -> int | None:
    """What begins beyond the window may be met anywhere."""
    return window if window is not None and need.begins < window else None


def coverable(kept: Sequence[Piece], piece: Piece, window: int | None) -> bool:
    """Whether any three of some chunks cover one, or one of them is its copy."""
    if any(is_copy(one, piece) for one in kept):
        return True
    wanted = needs(piece)
    if wanted is None:
        return False
    met = [{need for need in wanted if meets(one, need, _seen(need, window))} for one in kept]
    useful = [one for one in met if one]
    return any(
        set().union(*chosen) >= set(wanted)
        for most in range(1, MOST + 1)
        for chosen in combinations(useful, most)
    )
