"""Intersection over union."""

import numpy as np

from chunkfilter.evaluate.metrics import Values
from chunkfilter.evaluate.metrics.overlap import Overlap


def iou(sizes: Overlap) -> Values:
    r"""Intersection over union (Jaccard) of the retrieved tokens and those of the reference.

    .. math:: \mathrm{IoU} = |T_e \cap T_r| / |T_e \cup T_r|

    1 where both are empty.

    Source: section 3.6 of "Reducing Redundancy in Retrieval-Augmented Generation through Chunk Filtering".

    Returns:
        Shape (q,), from 0 to 1.
    """
    union = sizes.retrieved + sizes.wanted - sizes.hits
    return np.where(union > 0, sizes.hits / np.maximum(union, 1), 1.0)
