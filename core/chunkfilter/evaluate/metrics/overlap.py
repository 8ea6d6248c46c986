"""Sizes of sets that several metrics are made of: what was retrieved, wanted, and both."""

from dataclasses import dataclass

import numpy as np

from chunkfilter.evaluate.metrics import Numbers
from chunkfilter.text.ragged import IntArray, Ragged, ranges

#: Marks held at once: 2 MB, so that they stay in a near cache.
_MARKS = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    r"""Per question, with T_r the retrieved tokens and T_e those of the reference.

    Args:
        hits: :math:`|T_e \cap T_r|`, shape (q,).
        retrieved: :math:`|T_r|`, shape (q,).
        wanted: :math:`|T_e|`, shape (q,).
    """

    hits: IntArray
    retrieved: IntArray
    wanted: IntArray


def whole_rows(chosen: IntArray, rows: Ragged) -> tuple[IntArray, IntArray]:
    """Starts and lengths of the chosen rows in ``rows.values``; places without a choice have length 0.

    Args:
        chosen: shape (q, k), row numbers, -1 for none.
        rows: n rows.
    """
    if not len(rows):
        return np.zeros_like(chosen), np.zeros_like(chosen)
    return rows.offsets[:-1][chosen], np.where(chosen < 0, 0, rows.lengths[chosen])


def overlap(values: Numbers, starts: IntArray, lengths: IntArray, references: Ragged, size: int) -> Overlap:
    """Compare the union of some slices of tokens with the reference, question by question.

    Args:
        values: shape (total,), tokens from 0 to ``size - 1``.
        starts: shape (q, k): where each retrieved slice begins in ``values``.
        lengths: shape (q, k): how long it is.
        references: the distinct tokens of each question's reference, q rows.
        size: one more than the largest token.
    """
    count = len(references)
    hits, retrieved = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    block = max(_MARKS // max(size, 1), 1)
    for first in range(0, count, block):
        rows = slice(first, min(first + block, count))
        marks = np.zeros((rows.stop - first, size), dtype=np.bool_)
        owners = np.repeat(np.arange(len(marks)), lengths[rows].sum(axis=1))
        marks[owners, values[ranges(starts[rows].ravel(), lengths[rows].ravel())]] = True
        retrieved[rows] = [np.count_nonzero(row) for row in marks]  # ten times as fast as with axis=1
        wanted = slice(references.offsets[first], references.offsets[rows.stop])
        owners = np.repeat(np.arange(len(marks)), references.lengths[rows])
        found = marks[owners, references.values[wanted]]
        hits[rows] = np.bincount(owners[found], minlength=len(marks))
    return Overlap(hits, retrieved, references.lengths)
