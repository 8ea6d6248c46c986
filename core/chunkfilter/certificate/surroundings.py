"""What other chunks of a run say about the text before and after one: its source, put together again."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from chunkfilter.certificate.sentences import ends_at_once, has_upper_case, may_end, starts_lower
from chunkfilter.chunk import Chunk

#: Characters that two chunks without spans must share, end with beginning, to be taken for neighbours.
OVERLAP = 80
_TRIES = 8
_NEAR = 80
_Place = tuple[int, int, int]


class Surroundings:
    """Places chunks in their sources, by span or by the text they share with the one before.

    Args:
        chunks: new chunks, then stored ones.
        new: number of new ones; stored chunks were read first.
    """

    def __init__(self, chunks: Sequence[Chunk], new: int) -> None:
        self._chunks = chunks
        self._documents: list[list[_Place]] = []
        self._home: dict[int, int] = {}
        reading = [*range(new, len(chunks)), *range(new)]
        named = [place for place in reading if self._names_its_place(chunks[place])]
        self._place_by_span(named)
        self._place_by_overlap([place for place in reading if place not in self._home])
        self._spans = {place: (start, end) for known in self._documents for start, end, place in known}
        self._longest = [max(end - start for start, end, _ in known) for known in self._documents]
        for known in self._documents:
            known.sort()

    @staticmethod
    def _names_its_place(chunk: Chunk) -> bool:
        if chunk.source is None or len(chunk.spans) != 1:
            return False
        start, end = chunk.spans[0]
        return end - start == len(chunk.text)

    def _place_by_span(self, reading: list[int]) -> None:
        numbers: dict[str | None, int] = {}
        for place in reading:
            source = self._chunks[place].source
            if source not in numbers:
                numbers[source] = len(self._documents)
                self._documents.append([])
            self._home[place] = numbers[source]
            self._documents[numbers[source]].append((*self._chunks[place].spans[0], place))

    def _place_by_overlap(self, reading: list[int]) -> None:
        previous, start = -1, 0
        for place in reading:
            text = self._chunks[place].text
            shift = -1
            if previous >= 0 and self._chunks[previous].source == self._chunks[place].source:
                shift = _longest_overlap(self._chunks[previous].text, text)
            if shift < 0:
                self._documents.append([])
                start = 0
            else:
                start += shift
            self._home[place] = len(self._documents) - 1
            self._documents[-1].append((start, start + len(text), place))
            previous = place

    def signs(self, place: int) -> tuple[set[bool], set[bool]]:
        """What neighbours say: does a sentence end just before a chunk, and at its end?"""
        chunk = self._chunks[place]
        starts = {True} if chunk.start == 0 else set[bool]()
        ends: set[bool] = set()
        text = chunk.text
        for shift, other in self._neighbours(place):
            mixed = has_upper_case(text + other)
            if shift < 0:
                starts.update(sentence_ends_between(other[:-shift], text, mixed))
            if shift + len(other) > len(text):
                ends.update(sentence_ends_between(text, other[len(text) - shift :], mixed))
        return starts, ends

    def _neighbours(self, place: int) -> Iterator[tuple[int, str]]:
        """Chunks that touch or overlap one and agree with it there: (start relative to it, text)."""
        number = self._home[place]
        known, (start, end) = self._documents[number], self._spans[place]
        first = bisect_left(known, (start - self._longest[number], -1, -1))
        last = bisect_left(known, (end + 1, -1, -1))
        for other_start, other_end, other in known[first:last]:
            if other == place or other_end < start or other_start > end:
                continue
            low, high = max(start, other_start), min(end, other_end)
            own, text = self._chunks[place].text, self._chunks[other].text
            if own[low - start : high - start] == text[low - other_start : high - other_start]:
                yield other_start - start, text


def _longest_overlap(before: str, after: str) -> int:
    """Where the second text begins in the first, if the first ends with its beginning; else -1."""
    start = -1
    for _ in range(_TRIES if len(after) >= OVERLAP else 0):
        start = before.find(after[:OVERLAP], start + 1)
        if start < 0 or after.startswith(before[start:]):
            return start
    return -1


def sentence_ends_between(before: str, after: str, mixed_case: bool) -> set[bool]:
    """Whether a sentence ends where two texts meet, as a set of one; empty where one side is blank."""
    before, after = before[-_NEAR:], after[:_NEAR]
    pieces, following = before.split(), after.split()
    if not pieces or not following:
        return set()
    gap = before[len(before.rstrip()) :] + after[: len(after) - len(after.lstrip())]
    if gap.splitlines() not in ([], [gap]):
        return {True}
    piece = pieces[-1]
    if may_end(following[0]) and not any(character.isalnum() for character in following[0]):
        piece += following.pop(0)
    elif not gap:
        return {ends_at_once(piece)}
    goes_on = mixed_case and bool(following) and starts_lower(following[0])
    return {may_end(piece) and not goes_on}
