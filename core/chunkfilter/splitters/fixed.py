"""``fixed:SIZE:OVERLAP``: windows of SIZE cl100k tokens, each OVERLAP tokens into the one before."""

import numpy as np

from chunkfilter.chunk import Span
from chunkfilter.signals.embedders import Embedder
from chunkfilter.splitters.spec import Spec, Splitter, SplitterKind
from chunkfilter.splitters.tokens import cl100k, token_ends
from chunkfilter.text.ragged import IntArray


def window_spans(ends: IntArray, size: int, overlap: int) -> list[Span]:
    """Spans of windows over the tokens of a text.

    Args:
        ends: for each of t tokens, one past its last character, ascending.
        size: tokens a window.
        overlap: tokens that a window shares with the one before, smaller than ``size``.

    Returns:
        Spans in characters. The last window may be shorter. Windows that add no character to the one before
        (tokens that are parts of one character) are left out.
    """
    if not len(ends):
        return []
    total = len(ends)
    bounds = np.concatenate([[0], ends])
    first = np.arange(0, max(total - overlap, 1), size - overlap)
    starts, stops = bounds[first], bounds[np.minimum(first + size, total)]
    adds = np.diff(stops, prepend=0) > 0
    return list(zip(starts[adds].tolist(), stops[adds].tolist(), strict=True))


def _read(spec: Spec, embedder: Embedder | None) -> Splitter:  # noqa: ARG001  # windows need no vectors
    size, overlap = spec.size_and_overlap(smallest=1)
    cl100k()  # a missing table is reported before the first text

    def split_fixed(text: str, /) -> list[tuple[Span, ...]]:
        return [(span,) for span in window_spans(token_ends(text), size, overlap)]

    return split_fixed


FIXED = SplitterKind("fixed:SIZE:OVERLAP", _read)
