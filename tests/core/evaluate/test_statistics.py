"""Intervals cover a known difference as often as they say; exact tests agree with scipy or plain counting."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from chunkfilter.evaluate.statistics import (
    FEWEST_UNITS,
    MOST_CHANGED,
    enough_without_loss,
    holm,
    paired_difference,
    percentile_interval,
    resampled_means,
    sign_flip,
    upper_share,
    verdict,
)

#: Simulated comparisons: with 200 of them a true 95 % is seen as 90 to 99 %.
RUNS = 200


def differences(generator: np.random.Generator, count: int) -> np.ndarray:
    """Most questions unchanged, some better, more of them worse; the mean is -0.025."""
    changed = generator.random(count) < 0.2
    return np.where(
        changed, generator.choice([-1, -0.5, -0.25, 0.3, 0.5], count, p=[0.1, 0.2, 0.3, 0.25, 0.15]), 0.0
    )


KNOWN = 0.2 * (-0.1 - 0.1 - 0.075 + 0.075 + 0.075)


def covers(values: np.ndarray, units: np.ndarray | None, count: int, seed: int) -> bool:
    low, high = percentile_interval(resampled_means(values[:, None], units, seed, 1000)[:, 0], count)
    return low <= KNOWN <= high


def test_intervals_over_questions_cover_what_they_say() -> None:
    covered = sum(
        covers(differences(np.random.default_rng(seed), 150), None, 150, seed) for seed in range(RUNS)
    )
    assert 0.90 <= covered / RUNS <= 0.99


def test_questions_of_one_document_go_together() -> None:
    covered = narrow = 0
    for seed in range(RUNS):
        generator = np.random.default_rng(1000 + seed)
        documents = np.repeat(np.arange(30), generator.integers(5, 30, 30))
        values = differences(generator, len(documents)) + generator.normal(0, 0.15, 30)[documents]
        covered += covers(values, documents, 30, seed)
        narrow += covers(values, None, len(values), seed)
    assert 0.90 <= covered / RUNS <= 0.99
    assert narrow < covered  # as if they were independent


def test_every_column_sees_the_same_draws_of_a_seed() -> None:
    values = differences(np.random.default_rng(1), 60)
    means = resampled_means(np.stack([values, -values], axis=1), None, 5, 100)
    assert means[:, 0] == pytest.approx(-means[:, 1])
    assert means.tolist() == resampled_means(np.stack([values, -values], axis=1), None, 5, 100).tolist()
    assert means[:, 0] != pytest.approx(resampled_means(values[:, None], None, 6, 100)[:, 0])


def test_a_single_unit_says_nothing() -> None:
    assert percentile_interval(np.zeros(100), 1) == (-1.0, 1.0)


SCORES = st.lists(st.tuples(*[st.sampled_from([0.0, 0.25, 0.5, 1.0])] * 2), min_size=1, max_size=40)


@given(SCORES, st.floats(0, 0.5))
def test_a_paired_difference_hangs_together(pairs: list[tuple[float, float]], margin: float) -> None:
    ours, theirs = (np.array(column) for column in zip(*pairs, strict=True))
    found = paired_difference(ours, theirs, margin=margin)
    assert found.mean == pytest.approx((ours - theirs).mean())
    assert found.better + found.worse + found.equal == len(pairs)
    assert found.low <= found.high
    assert found.smallest_margin == max(0.0, -found.low)
    assert found.verdict == verdict(found.low, found.high, margin, len(pairs))
    assert 0 < found.p_margin <= 1
    same = paired_difference(np.tile(ours, (3, 1)), theirs, margin=margin)  # three equal draws
    assert (same.mean, same.low, same.high) == pytest.approx((found.mean, found.low, found.high))
    assert same.p_changed is None


def test_no_loss_seen_is_no_proof_of_none() -> None:
    ones = np.ones(100)
    assert paired_difference(ones, ones).low == 0.0
    found = paired_difference(ones, ones, losses=True)
    assert (found.low, found.verdict) == (pytest.approx(-(1 - 0.025 ** (1 / 100))), "inconclusive")


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
    exact = stats.binomtest(count, total, alternative="less").proportion_ci(0.975, "exact").high
    assert upper_share(count, total) == pytest.approx(exact)


def test_upper_share_of_nothing_is_everything() -> None:
    assert upper_share(0, 0) == upper_share(5, 5) == 1.0


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01, 0.001])
def test_with_one_observation_fewer_a_loss_is_not_ruled_out(share: float) -> None:
    needed = enough_without_loss(share)
    assert upper_share(0, needed) < share <= upper_share(0, needed - 1)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []
    assert holm([0.6, 0.9]) == [1.0, 1.0]


@pytest.mark.parametrize(
    ("low", "high", "units", "expected"),
    [
        (-0.009, 0.02, 100, "non-inferior"),
        (-0.009, -0.001, 100, "non-inferior"),
        (-0.02, 0.0, 100, "inconclusive"),
        (-0.01, 0.0, 100, "inconclusive"),
        (-0.05, -0.011, 100, "inferior"),
        (0.0, 0.0, FEWEST_UNITS - 1, "inconclusive"),
    ],
)
def test_verdicts_at_a_margin_of_one_point(low: float, high: float, units: int, expected: str) -> None:
    assert verdict(low, high, 0.01, units) == expected
