"""Ranking quality where relevance comes in grades."""

import numpy as np
from numpy.typing import NDArray

from chunkfilter.evaluate.metrics import Values
from chunkfilter.text.ragged import IntArray, Ragged


def ndcg(found: IntArray, relevant: Ragged, grades: NDArray[np.float64], size: int, k: int) -> Values:
    r"""Normalised discounted cumulative gain of the documents of the retrieved chunks.

    A document stands at the place of its best ranked chunk; with g its grade and i its place among the
    distinct documents, from 1:

    .. math:: \mathrm{nDCG}_k = \sum_i \frac{g_i}{\log_2(i + 1)} \Big/
              \sum_i \frac{g^\star_i}{\log_2(i + 1)}

    where :math:`g^\star` are the k largest grades. 1 where no document is relevant: nothing is missing.

    Source: Järvelin and Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques" (2002), with the
    discount of trec_eval.

    Args:
        found: the document of each retrieved chunk, best first, -1 for none, shape (q, at most k).
        relevant: the relevant documents of each question, q rows.
        grades: grade of each of them, above 0, shape (len(relevant.values),).
        size: number of documents.
        k: chunks that count, so most documents that can be found.

    Returns:
        Shape (q,), from 0 to 1.
    """
    first = _first_places(found, size) & (found >= 0)
    gains = np.where(first, _grades(found, relevant, grades, size), 0.0)
    places = np.maximum(np.cumsum(first, axis=1), 1)
    gained = (gains / np.log2(places + 1)).sum(axis=1)
    deepest = min(k, int(relevant.lengths.max(initial=0)))
    best = np.zeros((len(found), deepest))
    for row in range(len(found)):
        own = np.sort(grades[relevant.offsets[row] : relevant.offsets[row + 1]])[::-1][:k]
        best[row, : len(own)] = own
    ideal = (best / np.log2(np.arange(2, deepest + 2))).sum(axis=1)
    return np.where(ideal > 0, np.minimum(gained / np.where(ideal > 0, ideal, 1.0), 1.0), 1.0)


def _first_places(found: IntArray, size: int) -> NDArray[np.bool_]:
    """Whether a document stands for the first time in its row."""
    codes = found + np.arange(len(found))[:, None] * (size + 1)
    first = np.zeros(found.size, dtype=np.bool_)
    first[np.unique(codes, return_index=True)[1]] = True
    return first.reshape(found.shape)


def _grades(found: IntArray, relevant: Ragged, grades: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """The grade of each document found for each question, 0 where it is not relevant."""
    known = relevant.rows * size + relevant.values
    if not len(known):
        return np.zeros(found.shape)
    order = np.argsort(known)
    asked = np.arange(len(found))[:, None] * size + found
    places = np.minimum(np.searchsorted(known[order], asked), len(known) - 1)
    matches: NDArray[np.float64] = np.where(known[order][places] == asked, grades[order][places], 0.0)
    return matches
