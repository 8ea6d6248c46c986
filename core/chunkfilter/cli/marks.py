"""Marks around parts of a foreign text that the text itself cannot hold."""

from collections.abc import Iterable

OPEN, CLOSE = "⟦", "⟧"
_ESCAPED = str.maketrans({mark: f"\\u{ord(mark):04x}" for mark in (OPEN, CLOSE)})


def marked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    r"""The text with ``⟦ ⟧`` around each part; parts that overlap are marked as one.

    Args:
        text: any text; a mark of its own appears as ``\u27e6`` or ``\u27e7``.
        spans: (start, end) in characters, end exclusive, in any order.
    """
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    parts, reached = [], 0
    for start, end in joined:
        parts += [_own(text[reached:start]), OPEN, _own(text[start:end]), CLOSE]
        reached = end
    return "".join([*parts, _own(text[reached:])])


def _own(text: str) -> str:
    return text.translate(_ESCAPED)
