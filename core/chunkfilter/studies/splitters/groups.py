"""How far apart two sentences of a document are, and chunks from groups of sentences."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from chunkfilter.chunk import Span
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.text.ragged import IntArray

#: Distances are whole numbers of this unit, so that ties are ties.
UNIT = 1e-6
_CELLS = 1 << 21


def distance_blocks(vectors: FloatArray, weight: float) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """Distances of all pairs, block by block, so that memory is bounded.

    d(a, b) = weight |a - b| / n + (1 - weight) (1 - max(cos(a, b), 0)), in units of ``UNIT``.

    Source: Qu, Tu and Bao, "Is Semantic Chunking Worth the Computational Cost?" (2024), equations 1 to 3.

    Args:
        vectors: n unit rows, shape (n, d); a NaN row has cosine 0 to every row.
        weight: from 0, meaning alone, to 1, place alone.

    Yields:
        ``first`` and the distances from rows ``first, first + 1, ...`` to rows ``first ... n - 1``, int32.
    """
    rows = np.nan_to_num(vectors)
    count = len(rows)
    places = np.arange(count, dtype=np.float32)
    size = max(_CELLS // max(count, 1), 1)
    for first in range(0, count, size):
        end = min(first + size, count)
        distances = rows[first:end] @ rows[first:].T
        np.clip(distances, 0.0, 1.0, out=distances)
        np.subtract(1.0, distances, out=distances)
        distances *= (1.0 - weight) / UNIT
        distances += np.abs(places[first:end, None] - places[None, first:]) * (weight / UNIT / count)
        yield first, np.rint(distances).astype(np.int32)


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
