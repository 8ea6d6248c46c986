"""The paired bootstrap over questions or documents."""

import functools
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from chunkfilter.text.ragged import IntArray

Reals = NDArray[np.float64]

#: Resamples of every interval.
RESAMPLES = 10_000
#: Level of each of the two one-sided bounds.
ONE_SIDED = 0.975

#: Weights held at once: 80 MB.
_WEIGHTS = 10_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """Two one-sided bounds of a mean.

    Args:
        low: lower bound at ``ONE_SIDED``.
        high: upper bound at ``ONE_SIDED``.
    """

    low: float
    high: float


def resampled_means(values: Reals, units: IntArray | None, seed: int, resamples: int = RESAMPLES) -> Reals:
    r"""Means of columns over resampled questions, or over resampled documents with all their questions.

    With :math:`w_u` how often unit u was drawn, :math:`S_u` the sum over its questions and :math:`n_u` their
    number, a resample's mean is :math:`\sum_u w_u S_u / \sum_u w_u n_u`. Every column sees the same draws.

    Args:
        values: shape (q, m), one row a question; paired differences, for a paired bootstrap.
        units: the unit of each question, shape (q,), from 0; ``None`` if every question is its own.
        seed: of the draws.
        resamples: number of resamples.

    Returns:
        Shape (resamples, m).
    """
    sums, sizes = values, np.ones(len(values))
    if units is not None:
        count = int(units.max(initial=-1)) + 1
        sizes = np.bincount(units, minlength=count).astype(np.float64)
        sums = np.zeros((count, values.shape[1]))
        np.add.at(sums, units, values)
    generator = np.random.default_rng(seed)
    count = len(sizes)
    means = np.empty((resamples, values.shape[1]))
    block = max(_WEIGHTS // max(count, 1), 1)
    for first in range(0, resamples, block):
        rows = min(block, resamples - first)
        drawn = generator.integers(0, count, (rows, count)) + np.arange(rows)[:, None] * count
        weights = np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count).astype(np.float64)
        means[first : first + rows] = (weights @ sums) / (weights @ sizes)[:, None]
    return means


def percentile_interval(means: Reals, units: int) -> Interval:
    r"""The expanded percentile interval of resampled means.

    The plain percentile interval is too narrow for few units, by the factor :math:`\sqrt{(n-1)/n}` and by
    normal in place of t quantiles. So its level is widened to

    .. math:: \alpha' = \Phi\bigl(-\sqrt{n/(n-1)}\; t_{0.975,\,n-1}\bigr)

    Source: Hesterberg, "What Teachers Should Know about the Bootstrap", The American Statistician 69 (2015).

    Args:
        means: one column of :func:`resampled_means`, shape (resamples,).
        units: number of units that were resampled.

    Returns:
        -1 and 1, the bounds of any difference of rates, where there are fewer than two units.
    """
    if units < 2:
        return Interval(-1.0, 1.0)
    tail = NormalDist().cdf(-((units / (units - 1)) ** 0.5) * t_quantile(ONE_SIDED, units - 1))
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))


@functools.cache
def t_quantile(level: float, degrees: int) -> float:
    r"""A quantile of Student's t, found by bisection of its distribution function.

    For integer degrees the distribution is the finite sum of Abramowitz and Stegun, "Handbook of Mathematical
    Functions" (1964), 26.7.3 and 26.7.4.

    Args:
        level: from 0.5 to 1, exclusive.
        degrees: degrees of freedom, at least 1.
    """
    if degrees > 1000:
        return NormalDist().inv_cdf(level)
    low, high = 0.0, 1e6
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _central_t(middle, degrees) < 2 * level - 1 else (low, middle)
    return (low + high) / 2


def _central_t(value: float, degrees: int) -> float:
    """Probability that a t variable lies between -value and value."""
    angle = float(np.arctan2(value, degrees**0.5))
    sine, cosine = float(np.sin(angle)), float(np.cos(angle))
    odd = degrees % 2
    term = cosine if odd else 1.0
    total = 0.0
    for step in range(1 + odd, degrees, 2):
        total += term
        term *= cosine**2 * step / (step + 1)
    return 2 / np.pi * (angle + sine * total) if odd else sine * total
