"""Places in a text, without the white space around them."""

import re

from chunkfilter.chunk import Span

_VISIBLE = re.compile(r"\S")


def next_visible(text: str, start: int, end: int) -> int:
    """The first place from ``start`` on that holds no white space, ``end`` if there is none."""
    found = _VISIBLE.search(text, start, end)
    return found.start() if found else end


def trimmed(text: str, start: int, end: int) -> Span:
    """The part of ``text[start:end]`` without white space at its edges; empty where there is nothing else."""
    start = next_visible(text, start, end)
    return start, start + len(text[start:end].rstrip())
