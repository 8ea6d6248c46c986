"""Token recall."""

import numpy as np

from chunkfilter.evaluate.metrics import Values
from chunkfilter.evaluate.metrics.overlap import Overlap


def recall(sizes: Overlap) -> Values:
    r"""The share of the reference's tokens that were retrieved.

    .. math:: \mathrm{Recall} = |T_e \cap T_r| / |T_e|

    1 where the reference has no token: nothing is missing.

    Source: section 3.6 of "Reducing Redundancy in Retrieval-Augmented Generation through Chunk Filtering".

    Returns:
        Shape (q,), from 0 to 1.
    """
    return np.where(sizes.wanted > 0, sizes.hits / np.maximum(sizes.wanted, 1), 1.0)
