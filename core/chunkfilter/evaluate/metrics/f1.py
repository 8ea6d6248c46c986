"""Harmonic mean of precision and recall."""

import numpy as np

from chunkfilter.evaluate.metrics import Values
from chunkfilter.evaluate.metrics.overlap import Overlap


def f1(sizes: Overlap) -> Values:
    r"""The harmonic mean of precision and recall of a set.

    .. math:: F_1 = 2\,|T_e \cap T_r| / (|T_e| + |T_r|)

    1 where nothing was wanted and nothing retrieved.

    Source: appendix D of Qu, Tu and Bao, "Is Semantic Chunking Worth the Computational Cost?" (2024).

    Returns:
        Shape (q,), from 0 to 1.
    """
    together = sizes.wanted + sizes.retrieved
    return np.where(together > 0, 2 * sizes.hits / np.maximum(together, 1), 1.0)
