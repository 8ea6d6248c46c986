"""The runs of tokens that two texts have in common, as characters of both."""

from dataclasses import dataclass
from difflib import SequenceMatcher

import regex

from chunkfilter.chunk import Span
from chunkfilter.text.normalise import UNSPACED, normalise

#: Shorter runs are chance.
SHORTEST = 5
_PIECE = regex.compile(rf"{UNSPACED}\p{{M}}*+|(?:(?!{UNSPACED})\S)++")


@dataclass(frozen=True, slots=True)
class SharedRun:
    """Tokens that are one after another in both texts.

    Args:
        removed: (start, end) in the first text, in characters, end exclusive.
        kept: (start, end) in the second.
        tokens: how many.
    """

    removed: Span
    kept: Span
    tokens: int


def shared_runs(removed_text: str, kept_text: str) -> list[SharedRun]:
    """The longest runs that two texts share in one order: ``SHORTEST`` tokens or more, or the whole first.

    Args:
        removed_text: the text whose tokens are looked for.
        kept_text: the text they are looked for in.
    """
    ours, theirs = _pieces(removed_text), _pieces(kept_text)
    one, other = ([piece for piece, _ in pieces] for pieces in (ours, theirs))
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return [
        SharedRun(
            (ours[start][1][0], ours[start + size - 1][1][1]),
            (theirs[there][1][0], theirs[there + size - 1][1][1]),
            size,
        )
        for start, there, size in matcher.get_matching_blocks()
        if size >= min(SHORTEST, max(len(ours), 1))
    ]


def _pieces(text: str) -> list[tuple[str, Span]]:
    return [(normalise(found[0]), found.span()) for found in _PIECE.finditer(text)]
