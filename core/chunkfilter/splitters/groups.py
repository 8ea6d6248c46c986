"""From groups of sentences to the spans of chunks."""

from itertools import pairwise

import numpy as np

from chunkfilter.chunk import Span
from chunkfilter.text.ragged import IntArray


def run_spans(sentences: list[Span], bounds: list[tuple[int, int]]) -> list[tuple[Span, ...]]:
    """One chunk for each run ``(first, end)`` of sentences, end exclusive."""
    return [((sentences[first][0], sentences[end - 1][1]),) for first, end in bounds]


def group_spans(sentences: list[Span], labels: IntArray) -> list[tuple[Span, ...]]:
    """One chunk for each label: the sentences that carry it, neighbours as one span.

    Args:
        sentences: n spans, in order.
        labels: shape (n,): the group of each sentence.

    Returns:
        Chunks in the order of their first sentences; spans ascending.
    """
    groups: dict[int, list[Span]] = {}
    last_label = None
    for (start, end), label in zip(sentences, labels.tolist(), strict=True):
        spans = groups.setdefault(label, [])
        if label == last_label:
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
        last_label = label
    return [tuple(spans) for spans in groups.values()]


def runs_between(breaks: IntArray, count: int) -> list[tuple[int, int]]:
    """The runs ``(first, end)`` of ``count`` sentences that end after each of the places in ``breaks``."""
    if not count:
        return []
    bounds = np.unique(np.concatenate([[0], breaks + 1, [count]])).tolist()
    return list(pairwise(bounds))
