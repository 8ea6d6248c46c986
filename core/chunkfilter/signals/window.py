"""How many tokens of a text an embedder sees: its visible head."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from chunkfilter.errors import VectorError
from chunkfilter.signals.embedders import Windowed
from chunkfilter.text.normalise import WORD, tokens
from chunkfilter.text.ragged import IntArray, offsets_of

Window = int | Literal["auto", "none"]

#: What an unknown embedder is taken to read, in words; models with 256 word pieces read about that much.
WORDS = 190
#: Quarters of a word that a character of a script without spaces takes of a window: about one word piece.
_CHARACTER = 3


def window_name(window: Window, embedder: object) -> str:
    """How a window is reported: ``none``, ``embedder`` or ``N words``."""
    if window == "auto":
        return "embedder" if isinstance(embedder, Windowed) else f"{WORDS} words"
    return f"{window} words" if isinstance(window, int) else window


def visible_tokens(
    texts: Sequence[str], offsets: IntArray, words: IntArray, window: Window, embedder: object
) -> IntArray | None:
    """Number of tokens of each text that the embedder sees, shape (n,); ``None`` if it sees all of all texts.

    Args:
        texts: n texts.
        offsets: shape (n + 1,), of their tokens.
        words: shape (total + 1,): quarters of a word that the tokens before each place count.
        window: of the policy.
        embedder: tells its window if the policy's is ``auto`` and it can.

    Raises:
        VectorError: the embedder does not tell one end a text.
    """
    if window == "none":
        return None
    if window == "auto" and isinstance(embedder, Windowed):
        return _seen_by(embedder, texts, np.diff(offsets))
    most = window if isinstance(window, int) else WORDS
    lengths = np.diff(offsets)
    if int(lengths.max(initial=0)) <= most:
        return None
    spent = offsets_of(np.where(np.diff(words) == WORD, WORD, _CHARACTER))
    last = np.searchsorted(spent, spent[offsets[:-1]] + most * WORD, side="right") - 1
    seen: IntArray = np.minimum(last - offsets[:-1], lengths)
    return seen


def _seen_by(embedder: Windowed, texts: Sequence[str], lengths: IntArray) -> IntArray | None:
    ends = np.asarray(embedder.visible_ends(texts))
    if ends.shape != (len(texts),):
        raise VectorError(
            f"embedder {type(embedder).__name__}: visible_ends returned shape {ends.shape} for "
            f"{len(texts)} texts; expected one end a text"
        )
    cut = [row for row, text in enumerate(texts) if ends[row] < len(text.rstrip())]
    if not cut:
        return None
    seen = lengths.copy()
    for row in cut:
        seen[row] = shared_start(tokens(texts[row][: int(ends[row])]), tokens(texts[row]))
    return seen


def shared_start(head: Sequence[str], whole: Sequence[str]) -> int:
    """Tokens that two texts begin with in common: the last one of a head may be cut in two."""
    return next(
        (place for place, (one, other) in enumerate(zip(head, whole, strict=False)) if one != other),
        min(len(head), len(whole)),
    )
