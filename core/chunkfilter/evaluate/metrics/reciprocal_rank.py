"""How far down the first hit stands."""

import numpy as np

from chunkfilter.evaluate.metrics import Values
from chunkfilter.text.ragged import IntArray


def reciprocal_rank(ranks: IntArray, k: int) -> Values:
    r"""One over the rank of the first hit, 0 where none of the first k is one; its mean is MRR at k.

    Args:
        ranks: rank of the first hit, from 1, 0 for none, shape (q,).
        k: chunks that count.

    Returns:
        Shape (q,), from 0 to 1.
    """
    counts = (ranks > 0) & (ranks <= k)
    return np.where(counts, 1 / np.maximum(ranks, 1), 0.0)
