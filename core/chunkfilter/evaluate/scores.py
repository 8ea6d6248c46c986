"""One table of scores, measure by variant by question, from which all rows and differences are taken."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from chunkfilter.evaluate.collection import Collection
from chunkfilter.evaluate.found import Found
from chunkfilter.evaluate.metrics import ALWAYS, Measures, measure, measure_credited
from chunkfilter.evaluate.statistics import Pair, Reals
from chunkfilter.evaluate.variants import Variant, baseline, unfiltered


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What every variant scores on every question.

    Args:
        measures: m names.
        variants: v variants; the last two are the baseline and no filter.
        values: shape (m, r, q): a row for each draw of each variant, in order, and more rows for the baseline
            and no filter under the credit of variants that have one.
        draws: rows of each variant.
        baselines: the row that each variant compares with.
        unfiltered: the row of no filter that each variant compares with.
    """

    measures: tuple[str, ...]
    variants: tuple[Variant, ...]
    values: NDArray[np.float64]
    draws: tuple[slice, ...]
    baselines: tuple[int, ...]
    unfiltered: tuple[int, ...]

    def of(self, variant: int, name: str) -> Reals:
        """A measure of a variant, shape (draws, q)."""
        values: Reals = self.values[self.measures.index(name), self.draws[variant]]
        return values

    def rates(self, variant: int, questions: NDArray[np.int64] | slice = slice(None)) -> dict[str, float]:
        """Mean of each measure of a variant, over its draws and some questions."""
        means = self.values[:, self.draws[variant]].mean(axis=1)[:, questions].mean(axis=1)
        return dict(zip(self.measures, means.tolist(), strict=True))

    def to_baseline(self, variant: int, names: Sequence[str]) -> list[Pair]:
        """Measures of a variant beside those of the baseline."""
        return self._beside(variant, self.baselines[variant], names)

    def to_unfiltered(self, variant: int, names: Sequence[str]) -> list[Pair]:
        """Measures of a variant beside those of no filter."""
        return self._beside(variant, self.unfiltered[variant], names)

    def _beside(self, variant: int, row: int, names: Sequence[str]) -> list[Pair]:
        places = [self.measures.index(name) for name in names]
        return [(self.values[place, self.draws[variant]], self.values[place, row]) for place in places]


def found_by(data: Collection, variant: Variant) -> list[Found]:
    """What a search finds in each draw of a variant."""
    copies = data.copies if variant.merges_copies else None
    return [Found(kept, data.ranking.over(kept, copies), variant.credit) for kept in variant.draws]


@dataclass(frozen=True, slots=True, eq=False)
class Unfiltered:
    """The baseline and no filter, measured: what every variant is compared with.

    Args:
        variants: both.
        found: what a search finds in each.
        measures: what each scores.
    """

    variants: tuple[Variant, Variant]
    found: tuple[Found, Found]
    measures: tuple[Measures, Measures]

    @classmethod
    def of(cls, data: Collection) -> "Unfiltered":
        """Measure both."""
        merged, plain = baseline(data), unfiltered(data)
        found = found_by(data, merged)[0], found_by(data, plain)[0]
        measures = measure(data, found[0], _groups(data)), measure(data, found[1], _groups(data))
        return cls((merged, plain), found, measures)


def score(data: Collection, variants: Sequence[Variant], compared_with: Unfiltered | None = None) -> Scores:
    """Rank and measure variants, the baseline and no filter.

    A variant with credit is compared with a baseline that gets the same credit, so that it gains nothing by
    it.

    Args:
        data: chunks and questions.
        variants: what is measured.
        compared_with: the baseline and no filter, where they are measured already.
    """
    others = compared_with or Unfiltered.of(data)
    rows, draws = list[Measures](), list[slice]()
    for variant in variants:
        measured = [measure(data, found, _groups(data)) for found in found_by(data, variant)]
        draws.append(slice(len(rows), len(rows) + len(measured)))
        rows += measured
    draws += [slice(len(rows), len(rows) + 1), slice(len(rows) + 1, len(rows) + 2)]
    rows += others.measures
    every = (*variants, *others.variants)
    beside: list[tuple[int, ...]] = []
    for found, measures, place in zip(others.found, others.measures, draws[-2:], strict=True):
        compared = []
        for variant in every:
            compared.append(place.start)
            if "document" in data.settings.measures and len(variant.credit):
                compared[-1] = len(rows)
                rows.append(measures | measure_credited(data, replace(found, credit=variant.credit)))
        beside.append(tuple(compared))
    names = tuple(rows[0])
    values = np.array([[one[name] for one in rows] for name in names])
    return Scores(names, every, values, tuple(draws), beside[0], beside[1])


def _groups(data: Collection) -> tuple[str, ...]:
    return (*ALWAYS, *data.settings.measures)
