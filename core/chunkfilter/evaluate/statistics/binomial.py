"""Exact statements about a share."""

from functools import lru_cache
from math import floor, log, log1p

import numpy as np
from numpy.typing import NDArray

from chunkfilter.evaluate.statistics.bootstrap import ONE_SIDED


def upper_share(count: int, total: int, level: float = ONE_SIDED) -> float:
    r"""The largest share under which so few cases are not yet unlikely (Clopper and Pearson).

    The p with :math:`\Pr(X \leq x \mid n, p) = 1 - \mathrm{level}`, X binomial. With no case among n this is
    about 3.7 / n: where a sample shows no loss at all a bootstrap would say 0.

    Source: Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the
    binomial", Biometrika 26 (1934).

    Args:
        count: cases seen, x.
        total: observations, n.
        level: of the one-sided bound.

    Returns:
        From 0 to 1; 1 without observations.
    """
    if count >= total:
        return 1.0
    low, high = count / total, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(count, total, middle) > 1 - level else (low, middle)
    return high


def enough_without_loss(share: float, level: float = ONE_SIDED) -> int:
    """With how many observations, none of them a case, :func:`upper_share` is below a share.

    Args:
        share: above 0 and below 1.
        level: of the one-sided bound.
    """
    return floor(log(1 - level) / log1p(-share)) + 1


def at_most(count: int, total: int, share: float) -> float:
    """Probability of at most ``count`` cases among ``total``, each with probability ``share``."""
    if share <= 0.0 or share >= 1.0:
        return float(share <= 0.0)
    cases = np.arange(count + 1)
    logs = _log_ways(total)[: count + 1] + cases * log(share) + (total - cases) * log1p(-share)
    return float(np.exp(logs).sum())


@lru_cache(maxsize=4)
def _log_ways(total: int) -> NDArray[np.float64]:
    """Logarithms of the binomial coefficients of ``total`` over 0, 1, ..., ``total``."""
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, total + 1)))])
    ways: NDArray[np.float64] = factorials[-1] - factorials - factorials[::-1]
    return ways
