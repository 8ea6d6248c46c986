"""The runs of words that a text has in common with its keepers, and where they lead.

For each word of the text it is found, in linear time, how far back the words up to it stand together in a
keeper. Of all common runs these are enough: one inside another leads no further, unless the inner one touches
the keeper's beginning or end, so those that do are found apart.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from chunkfilter.text.words import QUARTERS, word_weight

#: Words a run must have; a text with fewer is one run.
RUN = 5


class Keeper(NamedTuple):
    """Words of a keeper.

    Args:
        words: those that count.
        whole: the keeper ends after them.
    """

    words: Sequence[str]
    whole: bool


class _Kind(NamedTuple):
    """What runs of one kind touch in their keeper."""

    at_start: bool
    at_end: bool


class CommonRuns:
    """The runs of a text in keepers: of each kind those that are not inside another.

    Args:
        text: words.
        keepers: what they may stand in.
    """

    def __init__(self, text: Sequence[str], keepers: Iterable[Keeper]) -> None:
        self._length = len(text)
        self._weights = [0, *accumulate(map(word_weight, text))]
        found: dict[_Kind, list[tuple[int, int]]] = {}
        for keeper in keepers:
            for kind, runs in _runs(text, keeper):
                found.setdefault(kind, []).extend(filter(self._counts, runs))
        self._runs = {kind: _outermost(runs) for kind, runs in found.items()}

    def _counts(self, run: tuple[int, int]) -> bool:
        start, end = run
        whole = start == 0 and end == self._length
        return end > start and (whole or self._weights[end] - self._weights[start] >= RUN * QUARTERS)

    def weight(self, start: int, stop: int) -> int:
        """Quarters of a word that the words of a part count."""
        return self._weights[stop] - self._weights[start]

    def lead(self, start: int, stop: int) -> bool:
        """Whether runs lead from ``start`` to ``stop``, meeting where a keeper begins or ends."""
        anywhere = at_end = start
        while anywhere < stop:
            before = anywhere, at_end
            for kind, (starts, ends) in self._runs.items():
                place = bisect_right(starts, anywhere if kind.at_start else at_end) - 1
                if place >= 0:
                    anywhere = max(anywhere, ends[place])
                    at_end = max(at_end, ends[place]) if kind.at_end else at_end
            if before == (anywhere, at_end):
                return False
        return True

    def covered(self) -> int:
        """Number of words that lie in a run."""
        count = reached = 0
        for start, end in sorted(run for runs in self._runs.values() for run in zip(*runs, strict=True)):
            count += max(end - max(start, reached), 0)
            reached = max(reached, end)
        return count


def _runs(text: Sequence[str], keeper: Keeper) -> Iterable[tuple[_Kind, list[tuple[int, int]]]]:
    """The longest common runs, as (start, end) in the text."""
    back = _words_back(text, keeper.words)
    yield _Kind(False, False), [(end - length, end) for end, length in enumerate(back, start=1)]
    ahead = _words_ahead(text, keeper.words)
    yield _Kind(True, False), [(start, start + length) for start, length in enumerate(ahead)]
    if keeper.whole:
        size, count = len(keeper.words), len(text)
        back = _words_ahead(text[::-1], keeper.words[::-1])[::-1]
        yield _Kind(False, True), [(end - length, end) for end, length in enumerate(back, start=1)]
        all_of_it = [start for start, length in enumerate(ahead) if length == size <= count]
        yield _Kind(True, True), [(start, start + size) for start in all_of_it]


def _outermost(runs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Starts and ends of the runs that lie in no other, both ascending."""
    outermost: list[tuple[int, int]] = []
    for start, end in sorted(runs, key=lambda run: (run[0], -run[1])):
        if not outermost or end > outermost[-1][1]:
            outermost.append((start, end))
    return [start for start, _ in outermost], [end for _, end in outermost]


def _words_ahead(text: Sequence[str], other: Sequence[str]) -> list[int]:
    """For each word of a text, how many from it on are those that another begins with.

    The Z function of both (Gusfield, "Algorithms on Strings, Trees, and Sequences", 1997, 1.4).
    """
    joined = [*other, None, *text]  # None is no word
    lengths = [0] * len(joined)
    left = right = 0
    for place in range(1, len(joined)):
        length = min(lengths[place - left], right - place) if place < right else 0
        while place + length < len(joined) and joined[length] == joined[place + length]:
            length += 1
        lengths[place] = length
        if place + length > right:
            left, right = place, place + length
    return lengths[len(other) + 1 :]


def _words_back(text: Sequence[str], other: Sequence[str]) -> list[int]:
    """For each word of a text, how many up to it stand together in another, anywhere."""
    following, shorter, longest = _suffix_automaton(other)
    lengths = []
    state = length = 0
    for word in text:
        while state and word not in following[state]:
            state = shorter[state]
            length = longest[state]
        if word in following[state]:
            state = following[state][word]
            length += 1
        lengths.append(length)
    return lengths


def _suffix_automaton(words: Sequence[str]) -> tuple[list[dict[str, int]], list[int], list[int]]:
    """The smallest automaton that reads every run of words of a text.

    Blumer et al., "The smallest automaton recognizing the subwords of a text", 1985. State 0 has read none.

    Returns:
        For each state where each word leads, the state of the longest ending of its runs that stands in more
        places, and the length of its longest run.
    """
    following, shorter, longest = [dict[str, int]()], [-1], [0]
    last = 0
    for word in words:
        state = _state(following, shorter, longest, {}, 0, longest[last] + 1)
        place, last = last, state
        while place >= 0 and word not in following[place]:
            following[place][word] = state
            place = shorter[place]
        if place < 0:
            continue
        target = following[place][word]
        if longest[target] != longest[place] + 1:
            copy = _state(
                following, shorter, longest, following[target].copy(), shorter[target], longest[place] + 1
            )
            shorter[target] = copy
            while place >= 0 and following[place].get(word) == target:
                following[place][word] = copy
                place = shorter[place]
            target = copy
        shorter[state] = target
    return following, shorter, longest


def _state(
    following: list[dict[str, int]],
    shorter: list[int],
    longest: list[int],
    leading: dict[str, int],
    ending: int,
    length: int,
) -> int:
    """Add a state; its number."""
    following.append(leading)
    shorter.append(ending)
    longest.append(length)
    return len(longest) - 1
