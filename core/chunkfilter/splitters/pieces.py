"""Pieces of a text on their way to chunks: cut from it, rewritten, or gathered from other pieces."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from chunkfilter.chunk import Span
from chunkfilter.splitters.spec import Spec, Splitter

#: What lies between the pieces of a chunk that was gathered from several places.
GAP = "\n"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text.

    Args:
        text: what it says; the text at its spans, joined by ``GAP``, unless it was rewritten.
        spans: where it comes from.
        rewritten: whether its words are other ones than those at its spans.
    """

    text: str
    spans: tuple[Span, ...]
    rewritten: bool = False

    def part(self, low: int, high: int) -> "Piece":
        """The characters from ``low`` to ``high``, of a piece that was rewritten or has one span.

        A part of a piece that was cut has its own span, a part of one that was rewritten has all spans.
        """
        start = self.spans[0][0]
        spans = self.spans if self.rewritten else ((start + low, start + high),)
        return Piece(self.text[low:high], spans, self.rewritten)


Cutter = Callable[[str], list[Piece]]


@dataclass(frozen=True, slots=True)
class RewriterKind:
    """A first stage that says the text in other words.

    Args:
        form: how its spec is written.
        read: makes it from a spec and the caller's propositionizer.
    """

    form: str
    read: Callable[[Spec, Any], Cutter]


def cut_by(splitter: Splitter) -> Cutter:
    """The pieces that a splitter cuts a text into."""
    return lambda text: [cut_piece(text, spans) for spans in splitter(text)]


def cut_piece(text: str, spans: tuple[Span, ...]) -> Piece:
    """The piece of a text at the given places."""
    return Piece(GAP.join(text[start:end] for start, end in spans), spans)


def regroup(first: Cutter, second: Splitter) -> Cutter:
    """Cut by ``first``, join its pieces by ``GAP`` and cut what that gives by ``second``.

    Each chunk has the spans of everything in it, in reading order; what overlapping pieces share is said
    once.
    """

    def cut(text: str) -> list[Piece]:
        pieces = [piece for whole in first(text) for piece in _places(text, whole)]
        starts = list(accumulate((len(piece.text) + len(GAP) for piece in pieces), initial=0))
        joined = GAP.join(piece.text for piece in pieces)
        regrouped = []
        for spans in second(joined):
            parts = [part for span in spans for part in _parts(pieces, starts, span)]
            if parts:
                regrouped.append(_gathered(text, parts))
        return regrouped

    return cut


def _places(text: str, piece: Piece) -> list[Piece]:
    """A piece that was cut as one piece for each of its spans; a rewritten one as it is."""
    return [piece] if piece.rewritten else [cut_piece(text, (span,)) for span in piece.spans]


def _parts(pieces: list[Piece], starts: list[int], span: Span) -> Iterator[Piece]:
    """What lies in a span of the joined pieces, piece by piece."""
    first = max(bisect_right(starts, span[0]) - 1, 0)
    for place in range(first, min(bisect_left(starts, span[1]), len(pieces))):
        low = max(span[0] - starts[place], 0)
        high = min(span[1] - starts[place], len(pieces[place].text))
        if low < high:
            yield pieces[place].part(low, high)


def _gathered(text: str, parts: list[Piece]) -> Piece:
    """The parts as one piece, in reading order."""
    parts = sorted(parts, key=lambda part: part.spans[0])
    spans = sorted({span for part in parts for span in part.spans})
    if any(part.rewritten for part in parts):
        return Piece(GAP.join(part.text for part in parts), tuple(spans), rewritten=True)
    merged = [spans[0]]
    for start, end in spans[1:]:
        if start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return cut_piece(text, tuple(merged))
