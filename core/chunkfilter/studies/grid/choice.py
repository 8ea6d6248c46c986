"""The best setting of each splitter, chosen on one fold and reported on the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunkfilter.evaluate.metrics import Measures
from chunkfilter.evaluate.sample import Sample
from chunkfilter.evaluate.sets import Values
from chunkfilter.evaluate.statistics import Difference, Pair
from chunkfilter.evaluate.variants import BASELINE
from chunkfilter.studies.grid.cost import Cost
from chunkfilter.studies.grid.outcome import GridRow
from chunkfilter.studies.grid.setting import Measured, joined

#: What was measured on both folds, by setting and policy.
Table = Mapping[tuple[str, str], tuple[Measured, Measured]]


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """A splitter under a policy.

    Args:
        splitter: its name.
        policy: the policy.
        settings: reported on the first fold, and on the second.
        tried: settings it was chosen from.
        parts: what was measured with them there.
    """

    splitter: str
    policy: str
    settings: tuple[str, str]
    tried: int
    parts: tuple[Measured, Measured]

    @property
    def values(self) -> Measures:
        """Measures of all questions, the first fold's first."""
        return joined(self.parts)

    def merged(self, table: Table) -> Measures:
        """Measures of these settings without a filter, exact copies merged at query time."""
        first, second = self.settings
        return joined((table[first, BASELINE][0], table[second, BASELINE][1]))


def mean_f1(values: Measures, measure: str, depths: Sequence[int]) -> Values:
    """Mean over the depths, one value a question, shape (q,)."""
    mean: Values = np.mean([values[f"{measure}_f1@{depth}"] for depth in depths], axis=0)
    return mean


def choose(
    table: Table, settings: Mapping[str, Sequence[str]], policy: str, measure: str, depths: Sequence[int]
) -> list[Chosen]:
    """For each splitter the setting with the largest mean F1 on the other fold; of equals the first.

    Args:
        table: what was measured.
        settings: of each splitter.
        policy: the policy.
        measure: ``evidence`` or ``document``.
        depths: numbers of chunks to average over.
    """

    def best_on(fold: int, specs: Sequence[str]) -> str:
        return max(specs, key=lambda spec: mean_f1(table[spec, policy][fold].values, measure, depths).mean())

    chosen = []
    for splitter, specs in settings.items():
        first, second = best_on(1, specs), best_on(0, specs)
        parts = (table[first, policy][0], table[second, policy][1])
        chosen.append(Chosen(splitter, policy, (first, second), len(specs), parts))
    return chosen


def grid_rows(
    chosen: Sequence[Chosen],
    table: Table,
    embedder: str,
    measure: str,
    depths: Sequence[int],
    sample: Sample,
) -> list[GridRow]:
    """Rows with their differences; the first splitter and the first policy are what others compare with.

    Args:
        chosen: every splitter under every policy.
        table: what they were chosen from.
        embedder: the model.
        measure: what decides.
        depths: numbers of chunks to average over.
        sample: what differences are taken over.
    """
    values = {(one.splitter, one.policy): mean_f1(one.values, measure, depths) for one in chosen}
    merged = {(one.splitter, one.policy): mean_f1(one.merged(table), measure, depths) for one in chosen}
    pairs = _pairs(values, merged)
    differences = sample.differences(list(pairs.values()))
    found: dict[tuple[str, str, str], Difference] = dict(zip(pairs, differences, strict=True))
    return [
        GridRow(
            embedder=embedder,
            splitter=one.splitter,
            policy=one.policy,
            settings=one.settings,
            tried=one.tried,
            chunks=sum(part.chunks for part in one.parts),
            kept=sum(part.kept for part in one.parts),
            mean_f1=float(values[one.splitter, one.policy].mean()),
            rates={name: float(column.mean()) for name, column in one.values.items()},
            to_first=found.get((one.splitter, one.policy, "first")),
            to_unfiltered=found.get((one.splitter, one.policy, "plain")),
            to_merged=found[one.splitter, one.policy, "merged"],
            cost=sum((part.cost for part in one.parts), Cost()),
        )
        for one in chosen
    ]


def _pairs(
    values: Mapping[tuple[str, str], Values], merged: Mapping[tuple[str, str], Values]
) -> dict[tuple[str, str, str], Pair]:
    """What each row is compared with, by splitter, policy and kind of comparison."""
    first, plain = next(iter(values))
    pairs: dict[tuple[str, str, str], Pair] = {}
    for (splitter, policy), mean in values.items():
        if splitter != first:
            pairs[splitter, policy, "first"] = (mean, values[first, policy])
        if policy != plain:
            pairs[splitter, policy, "plain"] = (mean, values[splitter, plain])
        pairs[splitter, policy, "merged"] = (mean, merged[splitter, policy])
    return pairs
