"""What an embedder sees of each text of a run, counted again."""

import logging
from collections.abc import Callable, Sequence

import numpy as np

from chunkfilter.certificate.evidence import Run
from chunkfilter.signals.embedders import Windowed
from chunkfilter.text.words import QUARTERS, word_weight, words

logger = logging.getLogger("chunkfilter")

_UNKNOWN_WORDS = 190
_UNKNOWN_CHARACTERS = 256


def visible_words(run: Run) -> Callable[[int, Sequence[str]], int]:
    """A function from the position of a text and its words to how many of them are seen.

    If the run took its embedder's window and that embedder is not given, only whole texts are checked, and a
    warning says so.
    """
    window, embedder = run.policy.window, run.signals.embedder
    if window == "none":
        return lambda _place, found: len(found)
    if window != "auto":
        return lambda _place, found: _first(found, window)
    if run.window == "embedder" and not isinstance(embedder, Windowed):
        logger.warning("coverage: the window was not checked, that needs the embedder of the run")
        return lambda _place, found: len(found)
    if run.window == "embedder" and isinstance(embedder, Windowed):
        ends = np.asarray(embedder.visible_ends([chunk.text for chunk in run.chunks])).tolist()
        return lambda place, found: _shared(found, words(run.chunks[place].text[: ends[place]]))
    return lambda _place, found: _first(found, _UNKNOWN_WORDS)


def _first(found: Sequence[str], window: int) -> int:
    """Words that fit a window, where 256 characters of a script without spaces take the room of 190 words."""
    if len(found) <= window:
        return len(found)
    room = window * _UNKNOWN_CHARACTERS
    for count, word in enumerate(found):
        room -= _UNKNOWN_CHARACTERS if word_weight(word) == QUARTERS else _UNKNOWN_WORDS
        if room < 0:
            return count
    return len(found)


def _shared(whole: Sequence[str], head: Sequence[str]) -> int:
    """How many words two texts begin with in common: the last word of a head may be cut in two."""
    return next(
        (place for place, (one, other) in enumerate(zip(whole, head, strict=False)) if one != other),
        min(len(whole), len(head)),
    )
