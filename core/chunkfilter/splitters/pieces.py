"""Pieces of a text on their way to chunks: cut from it, rewritten, or gathered from other pieces."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from chunkfilter.chunk import Span
from chunkfilter.splitters.spec import Splitter

#: What stands between the pieces of a chunk that was gathered from several places.
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


Cutter = Callable[[str], list[Piece]]


def cut_by(splitter: Splitter) -> Cutter:
    """The pieces that a splitter cuts a text into."""
    return lambda text: [cut_piece(text, spans) for spans in splitter(text)]


def cut_piece(text: str, spans: tuple[Span, ...]) -> Piece:
    """The piece of a text at the given places."""
    return Piece(GAP.join(text[start:end] for start, end in spans), spans)


def regroup(first: Cutter, second: Splitter) -> Cutter:
    """Cut by ``first``, join its pieces by ``GAP`` and cut what that gives by ``second``.

    Every piece keeps where it came from: a part of a piece that was cut has the span of that part, a part of
    one that was rewritten has all spans of the whole.
    """

    def cut(text: str) -> list[Piece]:
        pieces = first(text)
        starts = list(accumulate((len(piece.text) + len(GAP) for piece in pieces), initial=0))
        joined = GAP.join(piece.text for piece in pieces)
        regrouped = []
        for spans in second(joined):
            parts = [part for span in spans for part in _parts(text, pieces, starts, span)]
            if parts:
                regrouped.append(_gathered(text, parts))
        return regrouped

    return cut


def _parts(text: str, pieces: list[Piece], starts: list[int], span: Span) -> Iterator[Piece]:
    """What stands in a span of the joined pieces, piece by piece."""
    for piece, start in _touched(pieces, starts, span):
        low, high = max(span[0] - start, 0), min(span[1] - start, len(piece.text))
        if piece.rewritten:
            yield Piece(piece.text[low:high], piece.spans, rewritten=True)
        else:
            yield from (cut_piece(text, (part,)) for part in _spans_within(piece.spans, low, high))


def _touched(pieces: list[Piece], starts: list[int], span: Span) -> Iterator[tuple[Piece, int]]:
    low = max(bisect_right(starts, span[0]) - 1, 0)
    high = bisect_left(starts, span[1])
    for piece, start in zip(pieces[low:high], starts[low:high], strict=False):
        if span[0] - start < len(piece.text):
            yield piece, start


def _spans_within(spans: Iterable[Span], low: int, high: int) -> Iterator[Span]:
    """The places of ``text[low:high]`` of a piece that was cut from ``spans``."""
    passed = 0
    for start, end in spans:
        first, last = max(start + low - passed, start), min(start + high - passed, end)
        if first < last:
            yield first, last
        passed += end - start + len(GAP)


def _gathered(text: str, parts: list[Piece]) -> Piece:
    """The parts as one piece, in reading order; what overlapping parts share is said once."""
    parts = sorted(parts, key=lambda part: part.spans[0])
    spans = sorted({span for part in parts for span in part.spans})
    if any(part.rewritten for part in parts):
        return Piece(GAP.join(part.text for part in parts), tuple(spans), rewritten=True)
    return cut_piece(text, tuple(_without_overlap(spans)))


def _without_overlap(spans: list[Span]) -> Iterator[Span]:
    open_start, open_end = spans[0]
    for start, end in spans[1:]:
        if start < open_end:
            open_end = max(open_end, end)
        else:
            yield open_start, open_end
            open_start, open_end = start, end
    yield open_start, open_end
