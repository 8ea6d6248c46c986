"""Checks a removal by ``coverage`` again: sentence by sentence, in plain Python, from the texts of the chunks
it names.

It shares with the filter how a chunk is read (its sentences and edges, :mod:`chunkfilter.text.reading`) and
nothing else. Each line can be checked by hand: a sentence is in the list of a kept chunk's sentences, a piece
is in its text.
"""

import logging
import math
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import NamedTuple

from chunkfilter.policy import Term
from chunkfilter.rules.rule import Certify, Run
from chunkfilter.signals.embedders import Windowed
from chunkfilter.text.normalise import WORD, token_weight, tokens, tokens_of_normal
from chunkfilter.text.reading import Reading, read
from chunkfilter.text.sentences import terminator, without_full_stop

logger = logging.getLogger("chunkfilter")

#: Most representatives that a removal may name.
MOST = 3


class _Need(NamedTuple):
    """What a kept chunk must contain.

    Args:
        text: a sentence, or a piece with the sentence beside it.
        kind: ``sentence``, ``after`` (behind another sentence), ``led`` (led in by it), ``behind`` (behind a
            sentence that ends with a terminator) or ``piece``.
        other: that sentence or terminator.
        open: no terminator shows that the sentence ends: a full stop more makes no difference.
        start: tokens of the chunk before it.
    """

    text: str
    kind: str
    other: str
    open: bool
    start: int


def certify(run: Run) -> Certify:
    """Prepare the check: 1 if the rule holds, else NaN."""
    reading_order = [*range(run.new, len(run.chunks)), *range(run.new)]
    readings = list(read(run.chunks, reading_order))
    visible = visible_count(run)

    def score(_term: Term, removed: int, representatives: tuple[int, ...]) -> float:
        if not 1 <= len(representatives) <= MOST or not readings[removed].texts:
            return math.nan
        seen = visible(removed)
        limits = {place: visible(place) for place in representatives}
        for need in needs(readings[removed]):
            if not any(
                meets(readings[place], need, limit if need.start < seen else None)
                for place, limit in limits.items()
            ):
                return math.nan
        return 1.0

    return score


def needs(reading: Reading) -> Iterator[_Need]:
    """What must be contained in kept chunks for a chunk to be covered."""
    texts = reading.texts
    starts = _token_starts(reading)
    low = int(reading.start_cut or reading.headless)
    high = len(texts) - int(reading.end_cut)
    if reading.headless and low < high:
        yield _Need(texts[low], "behind", texts[0], _open(reading, low), starts[low])
    if high - low == 1:
        yield _Need(texts[low], "sentence", "", _open(reading, low), starts[low])
    for place in range(low, high):
        lead = reading.leads[place]
        if place > low:
            yield _Need(texts[place], "after", texts[place - 1], _open(reading, place), starts[place - 1])
        if lead >= 0 and lead != place - 1:
            yield _Need(texts[place], "led", texts[lead], _open(reading, place), starts[lead])
    for first, last in _pieces(reading):
        yield _Need(" ".join(texts[first:last]), "piece", "", open=False, start=starts[first])
    if low >= high and not any(_pieces(reading)):
        yield _Need("", "nothing", "", open=False, start=0)  # a lone terminator: only a copy covers it


def _pieces(reading: Reading) -> Iterator[tuple[int, int]]:
    """Each piece with the sentence beside it, as a slice of the sentences."""
    count = len(reading.texts)
    if reading.start_cut:
        yield 0, min(2, count)
    if reading.end_cut and not (reading.start_cut and count <= 2):
        beside = max(count - 2, int(reading.headless), 0)
        yield min(beside, count - 1), count


def _open(reading: Reading, place: int) -> bool:
    return place == len(reading.texts) - 1 and reading.open


def meets(reading: Reading, need: _Need, limit: float | None) -> bool:
    """Whether a kept chunk, or its first ``limit`` tokens, contains what is needed."""
    starts = _token_starts(reading)
    if need.kind == "piece":
        return _holds_piece(reading, need.text, limit)
    return any(
        (limit is None or starts[place + 1] <= limit)
        and _given(reading, place)
        and _equal(reading, place, need)
        and _beside(reading, place, need)
        for place in range(len(reading.texts))
    )


def _given(reading: Reading, place: int) -> bool:
    """Whether a sentence is given to others: it is whole."""
    at_start = place == 0 and not reading.start_given
    at_end = place == len(reading.texts) - 1 and not reading.end_given
    return not at_start and not at_end


def _equal(reading: Reading, place: int, need: _Need) -> bool:
    text = reading.given()[place]
    return text == need.text or (need.open and without_full_stop(text) == without_full_stop(need.text))


def _beside(reading: Reading, place: int, need: _Need) -> bool:
    before, lead = place - 1, reading.leads[place]
    if need.kind == "behind":
        return before >= 0 and terminator(reading.texts[before]) == need.other
    if need.kind in ("after", "led"):
        return any(
            other >= 0 and reading.texts[other] == need.other and _given(reading, other)
            for other in (before, lead)
        )
    return need.kind == "sentence"


def _holds_piece(reading: Reading, piece: str, limit: float | None) -> bool:
    wanted, text = tokens_of_normal(piece), tokens_of_normal(" ".join(reading.texts))[: _whole(limit)]
    return f" {' '.join(wanted)} " in f" {' '.join(text)} "


def _whole(limit: float | None) -> int | None:
    return None if limit is None or math.isinf(limit) else int(limit)


def _token_starts(reading: Reading) -> list[int]:
    """How many tokens are before each sentence, and in all."""
    return [0, *accumulate(len(tokens_of_normal(text)) for text in reading.texts)]


#: What an unknown embedder is taken to read, in words, and what a character of a script without spaces takes
#: of it.
_UNKNOWN_WORDS, _CHARACTER = 190, 0.75


def visible_count(run: Run) -> Callable[[int], float]:
    """A function from the position of a chunk to how many of its tokens an embedder sees.

    If the run took its embedder's window and that embedder is not given, only whole texts are checked, and a
    warning says so.
    """
    window, embedder, texts = run.policy.window, run.signals.get("embedder"), run.texts
    if window == "none":
        return lambda _place: math.inf
    if window == "auto" and run.window == "embedder":
        if not isinstance(embedder, Windowed):
            logger.warning("coverage: the window was not checked, that needs the embedder of the run")
            return lambda _place: math.inf
        ends = [int(end) for end in embedder.visible_ends(texts)]
        return lambda place: _in_common(tokens(texts[place][: ends[place]]), tokens(texts[place]))
    most = window if isinstance(window, int) else _UNKNOWN_WORDS
    return lambda place: _first(tokens(texts[place]), most)


def _in_common(head: list[str], whole: list[str]) -> int:
    """Tokens that two texts begin with in common: the last one of a head may be cut in two."""
    same = [one == other for one, other in zip(head, whole, strict=False)]
    return same.index(False) if False in same else len(same)


def _first(found: list[str], window: int) -> float:
    room = float(window)
    for count, token in enumerate(found):
        room -= 1 if token_weight(token) == WORD else _CHARACTER
        if room < 0:
            return count
    return math.inf
