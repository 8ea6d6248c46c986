"""What an interval says about a margin."""

from typing import Literal

from chunkfilter.evaluate.statistics.bootstrap import Interval

Verdict = Literal["non-inferior", "inferior", "inconclusive"]


def verdict(interval: Interval, margin: float) -> Verdict:
    r"""Whether a loss of more than the margin is ruled out, shown, or neither.

    *Non-inferior*: the one-sided 97.5 % lower bound of the difference is above :math:`-\mathrm{margin}`.
    *Inferior*: the one-sided 97.5 % upper bound is below it.

    Source: Piaggio et al., "Reporting of Noninferiority and Equivalence Randomized Trials", JAMA 308 (2012).

    Args:
        interval: of the mean difference, filtered minus reference.
        margin: the largest loss that is still acceptable, at least 0.
    """
    if interval.low > -margin:
        return "non-inferior"
    return "inferior" if interval.high < -margin else "inconclusive"
