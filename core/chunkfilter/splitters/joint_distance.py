"""How far apart two sentences of a document are, in place and in meaning."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from chunkfilter.signals.embedders import FloatArray

#: Distances are whole numbers of this unit, so that ties are ties.
UNIT = 1e-6
_CELLS = 1 << 21


def distance_blocks(vectors: FloatArray, weight: float) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """Distances of all pairs, block by block: memory stays bounded.

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
