"""From arms to rows: measures, differences to the reference, and the declared family of tests."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from chunkfilter.evaluate.arms import REFERENCE, Arm
from chunkfilter.evaluate.bench import Bench, Settings
from chunkfilter.evaluate.comparison import Difference, FamilyTest, Row
from chunkfilter.evaluate.differences import Sample, describe, pairs_of, resample
from chunkfilter.evaluate.measures import (
    HEADLINES,
    Index,
    Measures,
    at_budget,
    credited,
    mean_measures,
    measure,
)
from chunkfilter.evaluate.statistics.bootstrap import ONE_SIDED
from chunkfilter.evaluate.statistics.holm import holm
from chunkfilter.evaluate.statistics.verdict import Verdict

#: The policy whose tests on the primary measures were declared before looking.
DECLARED_POLICY = "coverage"

#: Measures that are 1 or 0 a question and that no removal can raise.
LOSSES = frozenset(("sentence_survival", "own_survival"))

_BYTES_A_NUMBER = 4


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """An arm and what was measured on it.

    Args:
        arm: the arm.
        draws: its measures, one a draw.
        mean: their mean over the draws, question by question.
        index: what the first draw leaves to search in.
    """

    arm: Arm
    draws: tuple[Measures, ...]
    mean: Measures
    index: Index


def measure_arm(bench: Bench, arm: Arm) -> Trial:
    """Rank and measure every draw of an arm."""
    copies = bench.copies if arm.merges_copies else None
    indexes = [Index(kept, bench.ranking.over(kept, copies), arm.credit) for kept in arm.draws]
    draws = tuple(measure(bench, index) for index in indexes)
    return Trial(arm, draws, mean_measures(draws), indexes[0])


def opposite(bench: Bench, trial: Trial, other: Trial) -> Measures:
    """The measures of another arm as they stand against a trial: under the same credit."""
    if "document" not in bench.settings.measures or not len(trial.arm.credit):
        return other.mean
    return other.mean | credited(bench, replace(other.index, credit=trial.arm.credit))


def delta_measure(settings: Settings) -> str:
    """The measure that verdicts are about: recall at the middle budget."""
    return at_budget(settings.budgets[len(settings.budgets) // 2])


def tested_measures(settings: Settings) -> tuple[str, ...]:
    """Measures with intervals."""
    return (
        "recall",
        *map(at_budget, settings.budgets),
        "sentence_survival",
        "own_survival",
        "evidence_recall",
        *(f"{name}@{settings.k}" for group in settings.measures for name in HEADLINES[group]),
    )


def make_rows(
    bench: Bench, trials: Sequence[Trial], reference: Trial, plain: Trial, sample: Sample
) -> tuple[list[Row], tuple[FamilyTest, ...]]:
    """A row a trial, and the tests of the declared family.

    Args:
        bench: what everything was measured on.
        trials: the arms of the table.
        reference: what differences compare with.
        plain: no filter.
        sample: what differences are taken over.
    """
    names = tested_measures(bench.settings)
    pairs = [
        pairs_of(trial.draws, opposite(bench, trial, other), names)
        for trial in trials
        for other in (reference, plain)
    ]
    flat = [(name, pair) for found in pairs for name, pair in found.items()]
    resampled = resample([pair for _, pair in flat], sample)
    described = iter(
        describe(pair, resampled[:, column], sample, name in LOSSES)
        for column, (name, pair) in enumerate(flat)
    )
    rows = []
    for trial in trials:
        to_reference = {name: next(described) for name in names}
        to_plain = {name: next(described) for name in names}
        rows.append(_row(bench, trial, to_reference, to_plain))
    return rows, _family(rows, (delta_measure(bench.settings), "sentence_survival"))


def _row(
    bench: Bench, trial: Trial, to_reference: dict[str, Difference], to_plain: dict[str, Difference]
) -> Row:
    total, draws = len(bench.chunks), trial.arm.draws
    kept = float(np.mean([mask.sum() for mask in draws]))
    recalls = [float(draw["recall"].mean()) for draw in trial.draws]
    return Row(
        policy=trial.arm.name,
        kind=trial.arm.kind,
        kept=round(kept),
        kept_characters=round(float(np.mean([bench.characters[mask].sum() for mask in draws]))),
        reduction=100 * (1 - kept / total),
        rates={name: float(values.mean()) for name, values in trial.mean.items()},
        differences=to_reference,
        to_plain=to_plain,
        delta_measure=delta_measure(bench.settings),
        reference=REFERENCE,
        index_bytes=round(kept * bench.vectors.shape[1] * _BYTES_A_NUMBER),
        tokens_to_embed=round(float(np.mean([bench.token_counts[mask].sum() for mask in draws]))),
        filter_seconds=trial.arm.seconds,
        draws=len(draws),
        seed_deviation=float(np.std(recalls, ddof=1)) if len(recalls) > 1 else None,
        warnings=trial.arm.warnings,
    )


def _family(rows: Sequence[Row], primary: tuple[str, str]) -> tuple[FamilyTest, ...]:
    tests = [(row, name) for row in rows if row.policy == DECLARED_POLICY for name in primary]
    adjusted = holm([row.differences[name].p_margin for row, name in tests])
    return tuple(
        FamilyTest(
            row.policy, name, row.differences[name].p_margin, value, _verdict(row.differences[name], value)
        )
        for (row, name), value in zip(tests, adjusted, strict=True)
    )


def _verdict(difference: Difference, adjusted: float) -> Verdict:
    """The verdict that the whole family's error allows."""
    if difference.verdict == "non-inferior" and adjusted > 1 - ONE_SIDED:
        return "inconclusive"
    return difference.verdict
