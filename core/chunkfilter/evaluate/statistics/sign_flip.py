"""The exact sign-flip test of a paired difference."""

import numpy as np

from chunkfilter.evaluate.statistics.bootstrap import Reals

#: Most questions that may have changed: 2^20 sign patterns are looked at.
MOST_CHANGED = 20
#: Sums this close are equal but for rounding.
_ROUNDING = 1e-12


def sign_flip(differences: Reals) -> float | None:
    r"""Two-sided p-value of "no difference", exact.

    If a filter changed nothing on the whole, each question's difference could as well have had the other
    sign. With m differences that are not 0,

    .. math:: p = 2^{-m}\, \#\bigl\{\epsilon \in \{-1, 1\}^m : |\textstyle\sum_i \epsilon_i d_i| \geq |\sum_i
    d_i|\bigr\}

    Source: Fisher, "The Design of Experiments" (1935), section 21.

    Args:
        differences: one a question, shape (q,).

    Returns:
        1 where nothing changed; ``None`` where more than ``MOST_CHANGED`` questions did: the bootstrap is the
        better tool there.
    """
    changed = differences[differences != 0]
    if len(changed) > MOST_CHANGED:
        return None
    sums = np.zeros(1)
    for difference in changed:
        sums = np.concatenate([sums + difference, sums - difference])
    return float(np.mean(np.abs(sums) >= abs(changed.sum()) - _ROUNDING))
