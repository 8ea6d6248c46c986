"""Whether a fact was found at all."""

import numpy as np

from chunkfilter.evaluate.metrics import Values
from chunkfilter.text.ragged import IntArray, Ragged


def hit_rate(ranks: IntArray, k: int) -> Values:
    r"""1 where one of the first k chunks holds a fact of the question, else 0.

    Args:
        ranks: of :func:`first_ranks`, shape (q,).
        k: chunks that count.

    Returns:
        1 or 0 a question, shape (q,).
    """
    return ((ranks > 0) & (ranks <= k)).astype(np.float64)


def first_ranks(ranked: IntArray, holding: Ragged, chunks: int) -> IntArray:
    """The rank of the first chunk that holds a fact, from 1, 0 where none does.

    Args:
        ranked: chunks found for each question, best first, -1 after the last, shape (q, depth).
        holding: the chunks that hold a fact of each question, q rows.
        chunks: number of chunks.
    """
    if not ranked.size:
        return np.zeros(len(ranked), dtype=np.int64)
    wanted = holding.rows * chunks + holding.values
    asked = np.arange(len(ranked))[:, None] * chunks + ranked
    holds = (ranked >= 0) & np.isin(asked, wanted)
    return np.where(holds.any(axis=1), holds.argmax(axis=1) + 1, 0)
