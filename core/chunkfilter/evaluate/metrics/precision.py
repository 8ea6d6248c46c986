"""Token precision."""

import numpy as np

from chunkfilter.evaluate.metrics import Values
from chunkfilter.evaluate.metrics.overlap import Overlap


def precision(sizes: Overlap) -> Values:
    r"""The share of the retrieved tokens that belong to the reference.

    .. math:: \mathrm{Precision} = |T_e \cap T_r| / |T_r|

    0 where no token was retrieved.

    Source: section 3.6 of "Reducing Redundancy in Retrieval-Augmented Generation through Chunk Filtering".

    Returns:
        Shape (q,), from 0 to 1.
    """
    return sizes.hits / np.maximum(sizes.retrieved, 1)
