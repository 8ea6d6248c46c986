"""One keeper or two where a sentence stands in very many chunks, as a notice on every page does."""

from collections.abc import Sequence

import numpy as np

from chunkfilter.filters.batch import BoolArray
from chunkfilter.filters.coverage.preference import Preference
from chunkfilter.text.ragged import IntArray

#: Ascending rows; together they are the rows that answer one need, some of them perhaps twice.
Answers = tuple[IntArray, ...]

#: Rows that one search for a pair looks at before it gives up.
_MOST_LOOKED_AT = 1 << 20


def one_or_two_of_many(
    asked: Sequence[Answers], stays: BoolArray, most: int, preference: Preference
) -> tuple[int, ...] | None:
    """What :func:`~chunkfilter.filters.coverage.cover.one_or_two` finds, without a pass over the long lists.

    Only the rows of the shortest list are looked at one by one; the others are asked by binary search.

    Args:
        asked: the rows that answer each need, staying or not.
        stays: shape (n,): rows that may be named.
        most: no pair is looked for if it is 1.
        preference: the rows with the smallest values are taken.
    """
    counts = [sum(int(np.count_nonzero(stays[rows])) for rows in answers) for answers in asked]
    if not all(counts):
        return None
    needs = [asked[place] for place in sorted(range(len(asked)), key=counts.__getitem__)]
    rarest = _staying(needs[0], stays)
    held = np.stack([_holds(answers, rarest) for answers in needs])
    in_all = rarest[held.all(axis=0)]
    if len(in_all):
        return (preference.best(in_all),)
    if most == 1:
        return None
    looked_at = 0
    for column in sorted(range(len(rarest)), key=lambda place: preference(int(rarest[place]))):
        left = [answers for answers, holds in zip(needs, held[:, column], strict=True) if not holds]
        others = _staying(min(left, key=lambda answers: sum(map(len, answers))), stays)
        looked_at += len(others)
        if looked_at > _MOST_LOOKED_AT:
            return None
        others = others[np.logical_and.reduce([_holds(answers, others) for answers in left])]
        if len(others):
            one, other = int(rarest[column]), preference.best(others)
            return (one, other) if one < other else (other, one)
    return None


def _staying(answers: Answers, stays: BoolArray) -> IntArray:
    rows = answers[0] if len(answers) == 1 else np.concatenate(answers)
    return rows[stays[rows]]


def _holds(answers: Answers, rows: IntArray) -> BoolArray:
    """Whether each row is among the answers."""
    found = np.zeros(len(rows), dtype=np.bool_)
    for part in answers:
        if len(part):
            places = np.minimum(np.searchsorted(part, rows), len(part) - 1)
            found |= part[places] == rows
    return found
