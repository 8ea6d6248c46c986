"""What ``compare`` returns: rows of a table, each with its differences and their intervals."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chunkfilter.evaluate.statistics import Difference, Verdict

#: The ``corpus`` of a row that is the mean over the corpora, each counting the same.
MACRO = "macro mean"

_BUDGET = "budget_recall@"


@dataclass(frozen=True, slots=True)
class Row:
    """One variant.

    Args:
        policy: the policy, in its canonical form, or what else the variant is.
        kind: ``policy``, ``baseline``, or the name under which it was put beside the policy before it.
        kept: chunks kept; the mean of several draws, rounded.
        kept_characters: their characters, likewise.
        reduction: chunks removed, in percent.
        rates: mean of each measure, by name, from 0 to 1.
        differences: to the baseline, by measure.
        differences_to_no_filter: to no filter at all, likewise.
        delta_measure: the measure that ``delta_recall`` and ``verdict`` are about.
        baseline: the name of what the differences compare with.
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
    differences_to_no_filter: Mapping[str, Difference]
    delta_measure: str
    baseline: str
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
    def evidence_retention(self) -> float:
        """Share of the questions whose reference sentences are all still whole in a kept chunk."""
        return self.rates["evidence_retention"]

    @property
    def source_retention(self) -> float:
        """Likewise, in a kept chunk of the reference's own source."""
        return self.rates["source_retention"]

    @property
    def evidence_recall(self) -> float:
        """Share of the reference's word 5-grams in the top k."""
        return self.rates["evidence_recall"]

    @property
    def delta_recall(self) -> float:
        """Difference of ``delta_measure`` to the baseline."""
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
            **_plain_rates(self.rates),
            "delta_recall": self.delta_recall,
            "delta_low": self.delta_low,
            "delta_high": self.delta_high,
            "delta_measure": self.delta_measure,
            "baseline": self.baseline,
            "verdict": self.verdict,
            "differences": _plain(self.differences),
            "differences_to_no_filter": _plain(self.differences_to_no_filter),
            "index_bytes": self.index_bytes,
            "tokens_to_embed": self.tokens_to_embed,
            "filter_seconds": self.filter_seconds,
            **seeds,
        }


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """One variant on the questions of one corpus, or the mean over the corpora, each counting the same.

    Args:
        corpus: its name, or ``MACRO``.
        policy: as in :class:`Row`.
        questions: number of questions.
        chunks: chunks of the corpus.
        kept: chunks kept.
        rates: mean of each measure.
        differences: to the baseline, by measure.
    """

    corpus: str
    policy: str
    questions: int
    chunks: int
    kept: int
    rates: Mapping[str, float]
    differences: Mapping[str, Difference]

    def as_dict(self) -> dict[str, Any]:
        """The row as plain JSON types."""
        plain = {name: getattr(self, name) for name in ("corpus", "policy", "questions", "chunks", "kept")}
        return {**plain, **_plain_rates(self.rates), "differences": _plain(self.differences)}


@dataclass(frozen=True, slots=True)
class FamilyTest:
    """One test of the declared family: the default policy on a primary measure.

    Args:
        policy: the policy.
        measure: the measure.
        p_value: of "the loss is at least the margin".
        adjusted: p-value after Holm's correction over the family.
        verdict: as the interval says, but ``non-inferior`` only if the adjusted value is at most 0.025.
    """

    policy: str
    measure: str
    p_value: float
    adjusted: float
    verdict: Verdict

    def as_dict(self) -> dict[str, Any]:
        """The test as plain JSON types."""
        return {name: getattr(self, name) for name in FamilyTest.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Policies side by side on the same chunks and questions.

    Args:
        chunks: number of chunks.
        blank: chunks without visible text among them.
        questions: number of questions.
        rows: one a policy, in the order given, each followed by what was put beside it.
        baseline: the row that differences compare with.
        corpora: rows per corpus and their macro mean; empty where there is one corpus.
        family: the tests that were declared before looking; everything else is exploratory.
        with_evidence: questions with at least one reference sentence that is whole in some chunk: what
            retention is about.
        k: chunks retrieved.
        margin: largest loss that verdicts accept.
        intervals: what the intervals were resampled over, and what they hold for.
        embedder: the model.
    """

    chunks: int
    blank: int
    questions: int
    rows: tuple[Row, ...]
    baseline: Row
    corpora: tuple[CorpusRow, ...] = ()
    family: tuple[FamilyTest, ...] = ()
    with_evidence: int = 0
    k: int = 5
    margin: float = 0.01
    intervals: str = ""
    embedder: str = ""

    def __str__(self) -> str:
        """The table that the command line prints."""
        from chunkfilter.evaluate.report import comparison_text  # the report is about this class

        return comparison_text(self)

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain JSON types; ``rows`` as the command line prints them."""
        lists = {
            name: [one.as_dict() for one in getattr(self, name)] for name in ("rows", "corpora", "family")
        }
        plain = {name: getattr(self, name) for name in Comparison.__dataclass_fields__}
        return {**plain, **lists, "baseline": self.baseline.as_dict()}


def _by_budget(rates: Mapping[str, float]) -> dict[int, float]:
    return {int(name.removeprefix(_BUDGET)): rate for name, rate in rates.items() if name.startswith(_BUDGET)}


def _plain_rates(rates: Mapping[str, float]) -> dict[str, Any]:
    """Measures by name, recall at budgets under one name of their own."""
    others = {name: rate for name, rate in rates.items() if not name.startswith(_BUDGET)}
    return {**others, "budget_recall": {str(budget): rate for budget, rate in _by_budget(rates).items()}}


def _plain(differences: Mapping[str, Difference]) -> dict[str, dict[str, Any]]:
    return {name: one.as_dict() for name, one in differences.items()}
