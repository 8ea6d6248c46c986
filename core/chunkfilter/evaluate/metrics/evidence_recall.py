"""Recall of the reference's wording."""

from chunkfilter.evaluate.metrics import Values
from chunkfilter.evaluate.metrics.overlap import overlap, whole_rows
from chunkfilter.evaluate.metrics.recall import recall
from chunkfilter.text.ragged import IntArray, Ragged


def evidence_recall(top: IntArray, chunks: Ragged, references: Ragged, size: int) -> Values:
    r"""The share of the reference's word 5-grams that stand in the retrieved chunks.

    With G(t) the set of runs of five words of a text t:

    .. math:: E_k = \Bigl| G(e) \cap \bigcup_{c \in R_k} G(c) \Bigr| \,/\, |G(e)|

    A reference shorter than five words is one run. 1 where the reference has no word. Unlike token recall, it
    has no chance level: common words retrieved by accident count for nothing.

    Args:
        top: retrieved chunks, -1 for none, shape (q, k).
        chunks: the reference runs that each chunk holds, n rows.
        references: distinct runs of each question's references, q rows.
        size: one more than the largest number of a run.

    Returns:
        Shape (q,), from 0 to 1.
    """
    return recall(overlap(chunks.values, *whole_rows(top, chunks), references, size))
