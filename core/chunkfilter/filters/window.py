"""How many words of each chunk an embedder sees: its visible head."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from chunkfilter.errors import VectorError
from chunkfilter.signals.embedders import Windowed
from chunkfilter.text.ragged import AnyIntArray, IntArray, Ragged, offsets_of
from chunkfilter.text.words import QUARTERS, Vocabulary

Window = int | Literal["auto", "none"]

#: What an unknown embedder is taken to read, in words; models with 256 word pieces read about that much.
WORDS = 190
#: The same in characters of scripts without spaces, each of which is a word of its own.
CHARACTERS = 256


def window_name(window: Window, embedder: object) -> str:
    """How a window is reported: ``none``, ``embedder`` or ``N words``."""
    if window == "auto":
        return "embedder" if isinstance(embedder, Windowed) else f"{WORDS} words"
    return f"{window} words" if isinstance(window, int) else window


def visible_words(
    texts: Sequence[str], words: Ragged, vocabulary: Vocabulary, window: Window, embedder: object
) -> IntArray:
    """Number of words of each text that the embedder sees, shape (n,).

    Args:
        texts: n texts.
        words: their words.
        vocabulary: what numbered the words.
        window: of the policy.
        embedder: tells its window if the policy's is ``auto`` and it can.

    Raises:
        VectorError: the embedder does not tell one end a text.
    """
    if window == "none":
        return words.lengths
    if isinstance(window, int):
        return _counted(words, vocabulary, window)
    if isinstance(embedder, Windowed):
        return _seen_by(embedder, texts, words, vocabulary)
    return _counted(words, vocabulary, WORDS)


def _counted(words: Ragged, vocabulary: Vocabulary, window: int) -> IntArray:
    """The first ``window`` words; a character of a script without spaces counts 190/256 of a word."""
    if int(words.lengths.max(initial=0)) <= window:
        return words.lengths
    costs = np.where(vocabulary.weights() == QUARTERS, CHARACTERS, WORDS)
    spent = offsets_of(costs[words.values])
    last = np.searchsorted(spent, spent[words.offsets[:-1]] + window * CHARACTERS, side="right") - 1
    visible: IntArray = np.minimum(last - words.offsets[:-1], words.lengths)
    return visible


def _seen_by(embedder: Windowed, texts: Sequence[str], words: Ragged, vocabulary: Vocabulary) -> IntArray:
    ends = np.asarray(embedder.visible_ends(texts))
    if ends.shape != (len(texts),):
        raise VectorError(
            f"embedder {type(embedder).__name__}: visible_ends returned shape {ends.shape} for "
            f"{len(texts)} texts; expected one end a text"
        )
    visible = words.lengths
    cut = [row for row, text in enumerate(texts) if ends[row] < len(text.rstrip())]
    heads = vocabulary.encode([texts[row][: int(ends[row])] for row in cut])
    for row, head in zip(cut, heads, strict=True):
        visible[row] = _shared_start(head, words[row])
    return visible


def _shared_start(head: AnyIntArray, whole: AnyIntArray) -> int:
    """Words at the start of both: the last word of a head may be cut in two."""
    length = min(len(head), len(whole))
    differing = np.flatnonzero(head[:length] != whole[:length])
    return int(differing[0]) if len(differing) else length
