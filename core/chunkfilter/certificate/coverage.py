"""Re-derives ``coverage`` and ``coverage@t``: sentence by sentence, run by run, for the keepers alone."""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from chunkfilter.certificate.common_runs import RUN, CommonRuns, Keeper
from chunkfilter.certificate.evidence import Evidence, Run
from chunkfilter.certificate.sentences import Cut, cut
from chunkfilter.certificate.surroundings import Surroundings
from chunkfilter.certificate.window import visible_words
from chunkfilter.policy import Term
from chunkfilter.text.words import QUARTERS

MAX_KEEPERS = 3

Words = tuple[str, ...]


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
        layers = self._layers(place, keepers)
        return all(self._layer_covered(place, end, ends) for end, ends in layers)

    def _layers(self, place: int, keepers: tuple[int, ...]) -> list[tuple[int, dict[int, int]]]:
        """How much of a chunk and of its keepers counts: all, and what is seen, where that is less."""
        whole = len(self.cut(place).words), {keeper: len(self.cut(keeper).words) for keeper in keepers}
        seen = self.visible(place), {keeper: self.visible(keeper) for keeper in keepers}
        return [whole, seen] if seen[0] and seen != whole else [whole]

    def _layer_covered(self, place: int, end: int, ends: dict[int, int]) -> bool:
        """Whether the words of a chunk up to ``end`` are covered by those of keepers up to their ends."""
        text = self.cut(place).words[:end]
        given = [set(self._given(keeper, stop)) for keeper, stop in ends.items()]
        runs = self._common(text, ends)
        for needed in self._needed(place, end):
            start, stop = needed.start, needed.stop
            whole = needed.sentence and any((text[start:stop], needed.closed) in one for one in given)
            sure = needed.closed or runs.weight(start, stop) >= RUN * QUARTERS
            if not (whole and sure) and not ((whole or needed.part) and runs.lead(start, stop)):
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

    def _common(self, text: Words, ends: dict[int, int]) -> CommonRuns:
        """The runs of words that stand both in a text and in keepers up to their ends."""
        known = {keeper: self.cut(keeper).words for keeper in ends}
        return CommonRuns(
            text, [Keeper(known[keeper][:end], end == len(known[keeper])) for keeper, end in ends.items()]
        )

    def share(self, place: int, keepers: tuple[int, ...], least: float) -> float:
        """The share of a chunk's words in runs in the keepers, NaN if it or that of the head is too small."""
        words = self.cut(place).words
        shares = [self._share(words[:end], ends) for end, ends in self._layers(place, keepers)]
        return shares[0] if min(shares) >= least - 1e-9 else math.nan

    def _share(self, text: Words, ends: dict[int, int]) -> float:
        return self._common(text, ends).covered() / len(text) if text else math.nan
