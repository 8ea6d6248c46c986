"""Recall for a fixed number of tokens paid for."""

import numpy as np

from chunkfilter.evaluate.metrics import Values
from chunkfilter.evaluate.metrics.overlap import overlap
from chunkfilter.evaluate.metrics.recall import recall
from chunkfilter.text.ragged import IntArray, Ragged


def budget_recall(ranked: IntArray, sequences: Ragged, references: Ragged, size: int, budget: int) -> Values:
    r"""The share of the reference's tokens in the first ``budget`` tokens of the ranked chunks.

    The chunks' texts are joined in the order of their rank and cut after b tokens, with c_1 c_2 ... the
    tokens of the ranked chunks in order:

    .. math:: R_b = \bigl| T_e \cap \{c_1, \dots, c_b\} \bigr| \,/\, |T_e|

    Every occurrence is paid for, also one of a token, or of a whole chunk, that came before; the last chunk
    is cut where the budget ends. Tokens are ``word`` tokens, not those of a language model. 1 where the
    reference has no token.

    Args:
        ranked: kept chunks, best first, -1 after the last, shape (q, d), deep enough to fill the budget.
        sequences: tokens of each chunk in order.
        references: distinct tokens of each question's reference.
        size: one more than the largest token.
        budget: number of tokens, at least 1.

    Returns:
        Shape (q,), from 0 to 1.
    """
    if not len(sequences):
        paid = np.zeros_like(ranked)
        return recall(overlap(sequences.values, paid, paid, references, size))
    lengths = np.where(ranked < 0, 0, sequences.lengths[ranked])
    before = np.cumsum(lengths, axis=1) - lengths
    paid = np.clip(budget - before, 0, lengths)
    return recall(overlap(sequences.values, sequences.offsets[:-1][ranked], paid, references, size))
