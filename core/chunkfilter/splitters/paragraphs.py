"""``paragraphs:SIZE``: a paragraph a chunk; ``characters:SIZE``: as many whole words as fit.

Paragraphs end at blank lines. One of more than SIZE characters is cut between sentences, which are joined
while they fit; a sentence that is longer itself is cut between words, a word that is longer after SIZE
characters.
"""

import functools
import re
from collections.abc import Callable

from chunkfilter.chunk import Span
from chunkfilter.splitters.sentences import between, marked_spans
from chunkfilter.splitters.spec import Spec, plain_splitter
from chunkfilter.text.trim import next_visible, trimmed

BLANK_LINE = re.compile(r"\n\s*\n")


def word_safe_spans(text: str, size: int, start: int, end: int) -> list[Span]:
    """Spans of at most ``size`` characters that end between words.

    Args:
        text: any text.
        size: most characters of a span, at least 1. A longer word is cut after that many.
        start: first character of the part that is cut.
        end: one past its last.

    Returns:
        Spans in the text, without white space at their edges; nothing but white space lies between them.
    """
    spans: list[Span] = []
    place = next_visible(text, start, end)
    while place < end:
        stop = place + size
        if stop >= end:
            stop = end
        elif not text[stop].isspace():
            words = text[place:stop].rsplit(maxsplit=1)
            if len(words) == 2 and not text[stop - 1].isspace():
                stop = place + len(words[0])
        spans.append(trimmed(text, place, stop))
        place = next_visible(text, stop, end)
    return spans


def paragraph_spans(text: str, size: int) -> list[Span]:
    """Spans of paragraphs, long ones in parts of at most ``size`` characters."""
    spans: list[Span] = []
    for start, end in between(text, BLANK_LINE, 0, len(text)):
        if end - start <= size:
            spans.append((start, end))
        else:
            spans.extend(_packed(text, marked_spans(text, start, end), size))
    return spans


def _packed(text: str, sentences: list[Span], size: int) -> list[Span]:
    spans: list[Span] = []
    open_span: Span | None = None
    for start, end in sentences:
        if open_span and end - open_span[0] <= size:
            open_span = open_span[0], end
            continue
        if open_span:
            spans.append(open_span)
        open_span = (start, end) if end - start <= size else None
        if open_span is None:
            spans.extend(word_safe_spans(text, size, start, end))
    return [*spans, open_span] if open_span else spans


def _read_characters(spec: Spec) -> Callable[[str], list[Span]]:
    size = spec.size()
    return lambda text: word_safe_spans(text, size, 0, len(text))


def _read_paragraphs(spec: Spec) -> Callable[[str], list[Span]]:
    return functools.partial(paragraph_spans, size=spec.size())


CHARACTERS = plain_splitter("characters:SIZE", _read_characters)
PARAGRAPHS = plain_splitter("paragraphs:SIZE", _read_paragraphs)
