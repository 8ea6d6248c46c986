"""``characters:SIZE``: as many whole words as fit into SIZE characters; only a longer word is cut."""

from chunkfilter.chunk import Span
from chunkfilter.signals.embedders import Embedder
from chunkfilter.splitters.spec import LARGEST_SIZE, Spec, Splitter, SplitterKind
from chunkfilter.text.trim import next_visible, trimmed


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


def _read(spec: Spec, embedder: Embedder | None) -> Splitter:  # noqa: ARG001  # words need no vectors
    size = spec.whole_number(0, 1, LARGEST_SIZE)

    def split_characters(text: str, /) -> list[tuple[Span, ...]]:
        return [(span,) for span in word_safe_spans(text, size, 0, len(text))]

    return split_characters


CHARACTERS = SplitterKind("characters:SIZE", _read)
