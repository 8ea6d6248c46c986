"""``paragraphs:SIZE``: a paragraph a chunk; one of more than SIZE characters is cut between sentences.

Paragraphs end at blank lines. Sentences of a long paragraph are joined while they fit; a sentence that is
longer itself is cut between words.
"""

import re

from chunkfilter.chunk import Span
from chunkfilter.signals.embedders import Embedder
from chunkfilter.splitters.characters import word_safe_spans
from chunkfilter.splitters.sentence_finders import between, marked_spans
from chunkfilter.splitters.spec import LARGEST_SIZE, Spec, Splitter, SplitterKind

BLANK_LINE = re.compile(r"\n\s*\n")


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


def _read(spec: Spec, embedder: Embedder | None) -> Splitter:  # noqa: ARG001  # paragraphs need no vectors
    size = spec.whole_number(0, 1, LARGEST_SIZE)

    def split_paragraphs(text: str, /) -> list[tuple[Span, ...]]:
        return [(span,) for span in paragraph_spans(text, size)]

    return split_paragraphs


PARAGRAPHS = SplitterKind("paragraphs:SIZE", _read)
