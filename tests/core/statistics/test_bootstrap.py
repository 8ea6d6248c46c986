"""Intervals cover a known difference about as often as they say."""

import numpy as np
import pytest
from scipy import stats

from chunkfilter.evaluate.statistics.bootstrap import percentile_interval, resampled_means, t_quantile

#: Simulated comparisons: with 200 of them a true 95 % is seen as 90 to 99 %.
RUNS = 200


def differences(generator: np.random.Generator, count: int) -> np.ndarray:
    """Most questions unchanged, some better, more of them worse; the mean is -0.025."""
    changed = generator.random(count) < 0.2
    return np.where(
        changed, generator.choice([-1, -0.5, -0.25, 0.3, 0.5], count, p=[0.1, 0.2, 0.3, 0.25, 0.15]), 0.0
    )


KNOWN = 0.2 * (-0.1 - 0.1 - 0.075 + 0.075 + 0.075)


def test_over_questions() -> None:
    covered = 0
    for seed in range(RUNS):
        values = differences(np.random.default_rng(seed), 150)
        interval = percentile_interval(resampled_means(values[:, None], None, seed, 1000)[:, 0], 150)
        covered += interval.low <= KNOWN <= interval.high
    assert 0.90 <= covered / RUNS <= 0.99


def test_over_documents_whose_questions_go_together() -> None:
    covered = narrow = 0
    for seed in range(RUNS):
        generator = np.random.default_rng(1000 + seed)
        documents = np.repeat(np.arange(30), generator.integers(5, 30, 30))
        values = differences(generator, len(documents)) + generator.normal(0, 0.15, 30)[documents]
        for units, count in ((documents, 30), (None, len(values))):
            interval = percentile_interval(resampled_means(values[:, None], units, seed, 1000)[:, 0], count)
            hit = interval.low <= KNOWN <= interval.high
            covered, narrow = (covered + hit, narrow) if count == 30 else (covered, narrow + hit)
    assert 0.90 <= covered / RUNS <= 0.99
    assert narrow < covered  # questions of one document are not independent


def test_the_same_seed_gives_the_same_interval() -> None:
    values = differences(np.random.default_rng(1), 60)[:, None]
    assert resampled_means(values, None, 5, 200).tolist() == resampled_means(values, None, 5, 200).tolist()
    assert resampled_means(values, None, 5, 200).tolist() != resampled_means(values, None, 6, 200).tolist()


def test_every_column_sees_the_same_draws() -> None:
    values = differences(np.random.default_rng(1), 60)
    means = resampled_means(np.stack([values, -values], axis=1), None, 0, 100)
    assert means[:, 0] == pytest.approx(-means[:, 1])


def test_a_single_unit_says_nothing() -> None:
    interval = percentile_interval(np.zeros(100), 1)
    assert (interval.low, interval.high) == (-1.0, 1.0)


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 19, 47, 471])
def test_t_quantiles_are_those_of_scipy(degrees: int) -> None:
    assert t_quantile(0.975, degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-9)
