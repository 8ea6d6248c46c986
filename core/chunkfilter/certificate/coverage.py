"""Re-derives ``coverage`` and ``coverage@t``: sentence by sentence, run by run, for the keepers alone."""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from chunkfilter.certificate.evidence import Evidence, Run
from chunkfilter.certificate.sentences import Cut, cut
from chunkfilter.certificate.surroundings import Surroundings
from chunkfilter.certificate.window import visible_words
from chunkfilter.policy import Term
from chunkfilter.text.words import QUARTERS, word_weight

MAX_KEEPERS = 3
#: Words a run must have; a text with fewer is one run.
RUN = 5

Words = tuple[str, ...]


class _Piece(NamedTuple):
    """Words that a chunk has in common with a keeper: where in the chunk, and what they touch there."""

    start: int
    end: int
    at_start: bool
    at_end: bool


class _Needed(NamedTuple):
    """Words that a keeper must hold as a sentence, or that must lie in runs, or where either will do.

    A few words that no terminator ends are no sentence for certain: they must lie in runs in any case.
    """

    start: int
    stop: int
    sentence: bool
    part: bool
    closed: bool


def coverage_check(run: Run) -> Callable[[Term, Evidence], float]:
    """Prepare a check: 1 for ``coverage``, the share of words for ``coverage@t``, NaN if it does not hold."""
    texts = _Texts(run)

    def score(term: Term, evidence: Evidence) -> float:
        place, keepers = evidence.place, evidence.keeper_places
        if not 1 <= len(keepers) <= MAX_KEEPERS:
            return math.nan
        if term.lossy and not run.policy.guarded:
            return texts.share(place, keepers, float(term.value or 1.0))
        return 1.0 if texts.covered(place, keepers) else math.nan

    return score


def copy_check(run: Run) -> Callable[[Term, Evidence], float]:
    """Prepare the check of a copy that ``coverage`` removed: as much of its keeper is seen as of itself."""
    texts = _Texts(run)

    def score(term: Term, evidence: Evidence) -> float:
        del term
        enough = all(
            texts.visible(keeper) >= texts.visible(evidence.place) for keeper in evidence.keeper_places
        )
        return 1.0 if enough else math.nan

    return score


class _Texts:
    """The texts of one run, each taken apart when it is first asked for."""

    def __init__(self, run: Run) -> None:
        self._chunks = run.chunks
        self._surroundings = Surroundings(run.chunks, run.new)
        self._visible_of = visible_words(run)
        self._cuts: dict[int, Cut] = {}

    def cut(self, place: int) -> Cut:
        """One text cut into sentences."""
        if place not in self._cuts:
            self._cuts[place] = cut(self._chunks[place].text)
        return self._cuts[place]

    def visible(self, place: int) -> int:
        """How many words of a text are seen."""
        return self._visible_of(place, self.cut(place).words)

    def covered(self, place: int, keepers: tuple[int, ...]) -> bool:
        """Whether keepers alone cover a chunk: all of it, and what is seen of it by what is seen of them."""
        words = self.cut(place).words
        if not words:
            return False
        lengths = {keeper: len(self.cut(keeper).words) for keeper in keepers}
        whole = self._layer_covered(place, len(words), lengths)
        seen = self.visible(place)
        heads = {keeper: self.visible(keeper) for keeper in keepers}
        return whole and (not seen or self._layer_covered(place, seen, heads))

    def _layer_covered(self, place: int, end: int, ends: dict[int, int]) -> bool:
        """Whether the words of a chunk up to ``end`` are covered by those of keepers up to their ends."""
        text = self.cut(place).words[:end]
        given = [set(self._given(keeper, stop)) for keeper, stop in ends.items()]
        pieces = [piece for keeper, stop in ends.items() for piece in self._common(text, keeper, stop)]
        for needed in self._needed(place, end):
            start, stop = needed.start, needed.stop
            whole = needed.sentence and any((text[start:stop], needed.closed) in one for one in given)
            sure = needed.closed or _weight(text[start:stop]) >= RUN * QUARTERS
            if not (whole and sure) and not ((whole or needed.part) and _joined(pieces, start, stop)):
                return False
        return True

    def _needed(self, place: int, end: int) -> Iterator[_Needed]:
        """The sentences up to a word and the parts of such."""
        known = self.cut(place)
        before, after = self._surroundings.signs(place)
        for start, stop in known.sentences:
            if start < end:
                open_end = stop == len(known.words) and not known.closed
                cut_off = (start == 0 and False in before) or (open_end and False in after)
                begins = start > 0 or known.opened or not known.lower or self._chunks[place].start == 0
                looks_whole = begins and stop <= end
                yield _Needed(start, min(stop, end), looks_whole, cut_off or not looks_whole, not open_end)

    def _given(self, place: int, end: int) -> Iterator[tuple[Words, bool]]:
        """The sentences that stand before a word as their own, and the words that end open with the chunk."""
        known = self.cut(place)
        before, after = self._surroundings.signs(place)
        for start, stop in known.sentences:
            whole = start > 0 or known.opened or not known.lower or True in before
            if stop <= end and whole:
                yield known.words[start:stop], False
                if stop < len(known.words) or known.closed or True in after:
                    yield known.words[start:stop], True

    def _common(self, text: Words, keeper: int, end: int) -> Iterator[_Piece]:
        """All longest runs of words that stand both in a text and in a keeper up to a word."""
        other, total = self.cut(keeper).words[:end], len(self.cut(keeper).words)
        size = min(len(text), RUN)
        places: dict[Words, list[int]] = {}
        for there in range(len(other) - size + 1):
            places.setdefault(other[there : there + size], []).append(there)
        for start in range(len(text) - size + 1):
            for there in places.get(text[start : start + size], ()):
                if start and there and text[start - 1] == other[there - 1]:
                    continue
                length, most = size, min(len(text) - start, len(other) - there)
                while length < most and text[start + length] == other[there + length]:
                    length += 1
                if length == len(text) or _weight(text[start : start + length]) >= RUN * QUARTERS:
                    yield _Piece(start, start + length, there == 0, there + length == total)

    def share(self, place: int, keepers: tuple[int, ...], least: float) -> float:
        """The share of a chunk's words in runs in the keepers, NaN if it or that of the head is too small."""
        words, seen = self.cut(place).words, self.visible(place)
        whole = self._share(words, {keeper: len(self.cut(keeper).words) for keeper in keepers})
        head = (
            self._share(words[:seen], {keeper: self.visible(keeper) for keeper in keepers}) if seen else 1.0
        )
        return whole if min(whole, head) >= least - 1e-9 else math.nan

    def _share(self, text: Words, ends: dict[int, int]) -> float:
        if not text:
            return math.nan
        covered = {
            word
            for keeper, end in ends.items()
            for piece in self._common(text, keeper, end)
            for word in range(piece.start, piece.end)
        }
        return len(covered) / len(text)


def _weight(words: Words) -> int:
    return sum(map(word_weight, words))


def _joined(pieces: Iterable[_Piece], start: int, stop: int) -> bool:
    """Whether pieces lead from ``start`` to ``stop``, meeting where a keeper begins or ends."""
    left = [piece for piece in pieces if piece.start < stop and piece.end > start]
    anywhere = at_end = start
    while anywhere < stop:
        usable = [piece for piece in left if piece.start <= (anywhere if piece.at_start else at_end)]
        if not usable:
            return False
        left = [piece for piece in left if piece not in usable]
        anywhere = max([anywhere, *(piece.end for piece in usable)])
        at_end = max([at_end, *(piece.end for piece in usable if piece.at_end)])
    return True
