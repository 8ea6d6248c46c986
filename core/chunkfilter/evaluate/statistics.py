"""How sure a difference is: the paired bootstrap, exact tests of shares and signs, Holm, verdicts."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import floor, log, log1p
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from chunkfilter.text.ragged import IntArray

Reals = NDArray[np.float64]
Verdict = Literal["non-inferior", "inferior", "inconclusive"]
#: One measure of two variants: the first's values, shape (q,) or (draws, q), and the second's, shape (q,).
Pair = tuple[Reals, Reals]

#: Resamples of every interval.
RESAMPLES = 10_000
#: Level of each of the two one-sided bounds.
ONE_SIDED = 0.975
#: Fewest questions or documents that a verdict can rest on: a resample of fewer rarely holds what is rare.
FEWEST_UNITS = 20
#: Most questions that may have changed in an exact sign-flip test: 2^20 sign patterns are looked at.
MOST_CHANGED = 20

#: Weights held at once: 80 MB.
_WEIGHTS = 10_000_000
#: Differences this small come from rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Difference:
    """A paired difference of one measure, one variant minus another.

    Args:
        mean: mean over the questions.
        low: one-sided 97.5 % lower bound.
        high: one-sided 97.5 % upper bound.
        verdict: ``non-inferior``, ``inferior`` or ``inconclusive``, at the comparison's margin.
        better: questions with a larger value.
        worse: questions with a smaller one.
        equal: the others.
        smallest_margin: the smallest margin at which the difference would be non-inferior.
        p_margin: p-value of "the loss is at least the margin".
        p_changed: exact two-sided p-value of "no difference", ``None`` where many questions changed.
    """

    mean: float
    low: float
    high: float
    verdict: Verdict
    better: int
    worse: int
    equal: int
    smallest_margin: float
    p_margin: float
    p_changed: float | None

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return asdict(self)


def paired_difference(
    scores_a: Reals,
    scores_b: Reals,
    clusters: IntArray | None = None,
    *,
    margin: float = 0.01,
    seed: int = 0,
    losses: bool = False,
) -> Difference:
    """The mean difference of two variants on the same questions, with its interval and verdict.

    Args:
        scores_a: values of the first, shape (q,), or (draws, q) where it is random.
        scores_b: values of the second, shape (q,).
        clusters: what is resampled as one, numbered from 0, shape (q,); ``None`` for single questions.
        margin: the largest loss that the verdict accepts.
        seed: of the resamples.
        losses: see :func:`described`.
    """
    pair = (scores_a, scores_b)
    resampled = resampled_differences([pair], clusters, seed)[:, 0]
    units = len(scores_b) if clusters is None else int(clusters.max(initial=-1)) + 1
    return described(pair, resampled, units, margin, losses=losses)


def resampled_differences(pairs: Sequence[Pair], clusters: IntArray | None, seed: int) -> Reals:
    """Means of each pair's difference over resampled questions or clusters, and over resampled draws.

    Returns:
        Shape (resamples, len(pairs)); every pair sees the same questions.
    """
    if not pairs:
        return np.empty((0, 0))
    columns = [_differences(pair) for pair in pairs]
    means = resampled_means(np.concatenate(columns, axis=1), clusters, seed)
    generator = np.random.default_rng((seed, 1))
    parts, first = [], 0
    for column in columns:
        draws = column.shape[1]
        block = means[:, first : first + draws]
        first += draws
        if draws > 1:
            block = np.take_along_axis(block, generator.integers(0, draws, block.shape), axis=1)
        parts.append(block.mean(axis=1))
    return np.stack(parts, axis=1)


def described(pair: Pair, resampled: Reals, units: int, margin: float, *, losses: bool = False) -> Difference:
    """The difference of a pair, from its column of :func:`resampled_differences`.

    Args:
        pair: the values of both.
        resampled: shape (resamples,).
        units: number of questions or clusters that were resampled.
        margin: the largest loss that the verdict accepts.
        losses: the measure is 1 or 0 and can only fall; the exact bound of the share of losses then widens
            an interval that would say nothing can be lost because nothing was.
    """
    every = _differences(pair)
    differences = every.mean(axis=1)
    low, high = percentile_interval(resampled, units)
    worse, better = (int(np.count_nonzero(side)) for side in (differences < 0, differences > 0))
    p_margin = float((1 + np.count_nonzero(resampled <= -margin)) / (1 + len(resampled)))
    if losses:
        low = min(low, -upper_share(worse, len(differences)))
        p_margin = max(p_margin, float(stats.binom.cdf(worse, len(differences), margin)))
    return Difference(
        mean=float(differences.mean()),
        low=low,
        high=high,
        verdict=verdict(low, high, margin, units),
        better=better,
        worse=worse,
        equal=len(differences) - better - worse,
        smallest_margin=max(0.0, -low),
        p_margin=p_margin,
        p_changed=sign_flip(differences) if every.shape[1] == 1 else None,
    )


def _differences(pair: Pair) -> Reals:
    """Shape (q, draws)."""
    exact = np.atleast_2d(pair[0]).T - pair[1][:, None]
    return np.where(np.abs(exact) < _ROUNDING, 0.0, exact)


def resampled_means(values: Reals, units: IntArray | None, seed: int, resamples: int = RESAMPLES) -> Reals:
    r"""Means of columns over resampled questions, or over resampled documents with all their questions.

    With :math:`w_u` how often unit u was drawn, :math:`S_u` the sum over its questions and :math:`n_u` their
    number, a resample's mean is :math:`\sum_u w_u S_u / \sum_u w_u n_u`. Every column sees the same draws.

    Args:
        values: shape (q, m), one row a question; paired differences, for a paired bootstrap.
        units: the unit of each question, shape (q,), from 0; ``None`` if every question is its own.
        seed: of the draws.
        resamples: rows of what is returned, shape (resamples, m).
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


def percentile_interval(means: Reals, units: int) -> tuple[float, float]:
    r"""The expanded percentile interval of resampled means: bounds at ``ONE_SIDED`` each.

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
        return -1.0, 1.0
    tail = stats.norm.cdf(-((units / (units - 1)) ** 0.5) * stats.t.ppf(ONE_SIDED, units - 1))
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def upper_share(count: int, total: int) -> float:
    r"""The largest share under which so few cases are not yet unlikely (Clopper and Pearson).

    The p with :math:`\Pr(X \leq x \mid n, p) = 1 - 0.975`, X binomial. With no case among n this is about
    3.7 / n: where a sample shows no loss at all a bootstrap would say 0.

    Source: Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the
    binomial", Biometrika 26 (1934).

    Args:
        count: cases seen, x.
        total: observations, n; without any the share is 1.
    """
    return 1.0 if count >= total else float(stats.beta.ppf(ONE_SIDED, count + 1, total - count))


def enough_without_loss(share: float) -> int:
    """With how many observations, none of them a case, :func:`upper_share` is below a share in (0, 1)."""
    return floor(log(1 - ONE_SIDED) / log1p(-share)) + 1


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


def holm(p_values: Sequence[float]) -> list[float]:
    r"""Adjusted p-values: a hypothesis is rejected at level a if its adjusted value is at most a.

    With :math:`p_{(1)} \leq \dots \leq p_{(m)}`,

    .. math:: \tilde p_{(i)} = \min\bigl(1, \max_{j \leq i} (m - j + 1)\, p_{(j)}\bigr)

    The chance of one false rejection in the family is then at most a, whatever the tests have in common.

    Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6 (1979).

    Returns:
        The m values in the order given.
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, position in enumerate(sorted(range(len(p_values)), key=lambda one: p_values[one])):
        largest = max(largest, (len(p_values) - rank) * p_values[position])
        adjusted[position] = min(largest, 1.0)
    return adjusted


def verdict(low: float, high: float, margin: float, units: int) -> Verdict:
    r"""Whether a loss of more than the margin is ruled out, shown, or neither.

    *Non-inferior*: the one-sided 97.5 % lower bound of the difference is above :math:`-\mathrm{margin}`.
    *Inferior*: the one-sided 97.5 % upper bound is below it. *Inconclusive*: neither, or fewer than
    ``FEWEST_UNITS`` questions or documents.

    Source: Piaggio et al., "Reporting of Noninferiority and Equivalence Randomized Trials", JAMA 308 (2012).

    Args:
        low: lower bound of the mean difference, filtered minus baseline.
        high: its upper bound.
        margin: the largest loss that is still acceptable, at least 0.
        units: number of questions or documents that were resampled.
    """
    if units < FEWEST_UNITS:
        return "inconclusive"
    if low > -margin:
        return "non-inferior"
    return "inferior" if high < -margin else "inconclusive"
