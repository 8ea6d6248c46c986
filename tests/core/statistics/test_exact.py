"""Exact tests and bounds, against scipy or by hand."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from chunkfilter.evaluate.statistics.binomial import at_most, upper_share
from chunkfilter.evaluate.statistics.bootstrap import Interval
from chunkfilter.evaluate.statistics.holm import holm
from chunkfilter.evaluate.statistics.sign_flip import MOST_CHANGED, sign_flip
from chunkfilter.evaluate.statistics.verdict import FEWEST_UNITS, verdict


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), max_size=9))
def test_sign_flip_counts_every_pattern(values: list[float]) -> None:
    changed = [value for value in values if value]
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, changed, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(changed))
    ]
    expected = np.mean([total >= abs(sum(changed)) - 1e-12 for total in sums])
    assert sign_flip(np.array(values)) == pytest.approx(expected)


def test_sign_flip_leaves_many_changes_to_the_bootstrap() -> None:
    assert sign_flip(np.ones(MOST_CHANGED)) == 2 ** (1 - MOST_CHANGED)
    assert sign_flip(np.ones(MOST_CHANGED + 1)) is None


@pytest.mark.parametrize(
    ("count", "total"), [(0, 472), (1, 472), (2, 472), (9, 10), (30, 200), (5000, 10570)]
)
def test_upper_share_is_clopper_and_pearsons(count: int, total: int) -> None:
    assert upper_share(count, total) == pytest.approx(stats.beta.ppf(0.975, count + 1, total - count))
    assert at_most(count, total, 0.1) == pytest.approx(stats.binom.cdf(count, total, 0.1))


def test_upper_share_of_nothing_is_everything() -> None:
    assert upper_share(0, 0) == upper_share(5, 5) == 1.0


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []
    assert holm([0.6, 0.9]) == [1.0, 1.0]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-0.009, 0.02, "non-inferior"),
        (-0.009, -0.001, "non-inferior"),
        (-0.02, 0.0, "inconclusive"),
        (-0.01, 0.0, "inconclusive"),
        (-0.05, -0.011, "inferior"),
    ],
)
def test_verdicts_at_a_margin_of_one_point(low: float, high: float, expected: str) -> None:
    assert verdict(Interval(low, high), 0.01, 100) == expected


def test_few_questions_carry_no_verdict() -> None:
    assert verdict(Interval(0.0, 0.0), 0.01, FEWEST_UNITS - 1) == "inconclusive"
