"""One arm of a comparison: its measures, and their differences to what it is compared with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chunkfilter.evaluate.measures import at_budget
from chunkfilter.evaluate.statistics.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Difference:
    """A paired difference of one measure, this arm minus another.

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


@dataclass(frozen=True, slots=True)
class Row:
    """One arm.

    Args:
        policy: the policy, in its canonical form, or what else the arm is.
        kind: ``policy``, ``reference``, or the name under which it was put beside the policy before it.
        kept: chunks kept; the mean of several draws, rounded.
        kept_characters: their characters, likewise.
        reduction: chunks that go, in percent.
        rates: mean of each measure, by name, from 0 to 1.
        differences: to the reference, by measure.
        to_plain: to no filter at all, likewise.
        delta_measure: the measure that ``delta_recall`` and ``verdict`` are about.
        reference: what the differences compare with.
        index_bytes: the kept vectors as 32-bit floats.
        tokens_to_embed: ``word`` tokens of the kept chunks.
        filter_seconds: wall time of the filter.
        draws: number of seeds the row is a mean of; 1 for what is not random.
        seed_deviation: standard deviation of ``recall`` over the draws, ``None`` for one draw.
        warnings: what the filter had to say.
    """

    policy: str
    kind: str
    kept: int
    kept_characters: int
    reduction: float
    rates: Mapping[str, float]
    differences: Mapping[str, Difference]
    to_plain: Mapping[str, Difference]
    delta_measure: str
    reference: str
    index_bytes: int
    tokens_to_embed: int
    filter_seconds: float
    draws: int = 1
    seed_deviation: float | None = None
    warnings: tuple[str, ...] = ()

    @property
    def precision(self) -> float:
        """Token precision at k, ``word`` tokens."""
        return self.rates["precision"]

    @property
    def recall(self) -> float:
        """Token recall at k, ``word`` tokens."""
        return self.rates["recall"]

    @property
    def iou(self) -> float:
        """Intersection over union at k, ``word`` tokens."""
        return self.rates["iou"]

    @property
    def oracle_recall(self) -> float:
        """Recall of the greedy oracle, ``word`` tokens."""
        return self.rates["oracle_recall"]

    @property
    def oracle_precision(self) -> float:
        """Precision of the greedy oracle, ``word`` tokens."""
        return self.rates["oracle_precision"]

    @property
    def budget_recall(self) -> dict[int, float]:
        """Recall by number of tokens paid for."""
        return _by_budget(self.rates)

    @property
    def sentence_survival(self) -> float:
        """Share of the questions whose reference sentences all still stand whole in a kept chunk."""
        return self.rates["sentence_survival"]

    @property
    def own_survival(self) -> float:
        """The same, in a kept chunk of the reference's own source."""
        return self.rates["own_survival"]

    @property
    def evidence_recall(self) -> float:
        """Share of the reference's word 5-grams in the top k."""
        return self.rates["evidence_recall"]

    @property
    def delta_recall(self) -> float:
        """Difference of ``delta_measure`` to the reference."""
        return self.differences[self.delta_measure].mean

    @property
    def delta_low(self) -> float:
        """One-sided 97.5 % lower bound of ``delta_recall``."""
        return self.differences[self.delta_measure].low

    @property
    def delta_high(self) -> float:
        """One-sided 97.5 % upper bound of ``delta_recall``."""
        return self.differences[self.delta_measure].high

    @property
    def verdict(self) -> Verdict:
        """What the interval of ``delta_recall`` says about the margin."""
        return self.differences[self.delta_measure].verdict

    def as_dict(self) -> dict[str, Any]:
        """The row as plain JSON types."""
        seeds = {"draws": self.draws, "seed_deviation": self.seed_deviation} if self.draws > 1 else {}
        return {
            "policy": self.policy,
            "kind": self.kind,
            "kept": self.kept,
            "kept_characters": self.kept_characters,
            "reduction": self.reduction,
            **plain_rates(self.rates),
            "delta_recall": self.delta_recall,
            "delta_low": self.delta_low,
            "delta_high": self.delta_high,
            "delta_measure": self.delta_measure,
            "reference": self.reference,
            "verdict": self.verdict,
            "differences": plain_differences(self.differences),
            "differences_to_no_filter": plain_differences(self.to_plain),
            "index_bytes": self.index_bytes,
            "tokens_to_embed": self.tokens_to_embed,
            "filter_seconds": self.filter_seconds,
            **seeds,
        }


def _by_budget(rates: Mapping[str, float]) -> dict[int, float]:
    prefix = at_budget(0)[:-1]
    return {int(name.removeprefix(prefix)): rate for name, rate in rates.items() if name.startswith(prefix)}


def plain_rates(rates: Mapping[str, float]) -> dict[str, Any]:
    """Measures by name, recall at budgets under one name of their own, as plain JSON types."""
    budgets = _by_budget(rates)
    others = {name: rate for name, rate in rates.items() if name not in map(at_budget, budgets)}
    return {**others, "budget_recall": {str(budget): rate for budget, rate in budgets.items()}}


def plain_differences(differences: Mapping[str, Difference]) -> dict[str, dict[str, Any]]:
    """Differences by measure as plain JSON types."""
    return {
        name: {field_name: getattr(one, field_name) for field_name in Difference.__dataclass_fields__}
        for name, one in differences.items()
    }
