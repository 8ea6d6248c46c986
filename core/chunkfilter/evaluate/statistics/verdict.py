"""What an interval says about a margin."""

from typing import Literal

from chunkfilter.evaluate.statistics.bootstrap import Interval

Verdict = Literal["non-inferior", "inferior", "inconclusive"]


#: Fewest questions or documents that a verdict can rest on: a resample of fewer rarely holds what is rare.
FEWEST_UNITS = 20


def verdict(interval: Interval, margin: float, units: int) -> Verdict:
    r"""Whether a loss of more than the margin is ruled out, shown, or neither.

    *Non-inferior*: the one-sided 97.5 % lower bound of the difference is above :math:`-\mathrm{margin}`.
    *Inferior*: the one-sided 97.5 % upper bound is below it. *Inconclusive*: neither, or fewer than
    ``FEWEST_UNITS`` questions or documents.

    Source: Piaggio et al., "Reporting of Noninferiority and Equivalence Randomized Trials", JAMA 308 (2012).

    Args:
        interval: of the mean difference, filtered minus reference.
        margin: the largest loss that is still acceptable, at least 0.
        units: number of questions or documents that were resampled.
    """
    if units < FEWEST_UNITS:
        return "inconclusive"
    if interval.low > -margin:
        return "non-inferior"
    return "inferior" if interval.high < -margin else "inconclusive"
