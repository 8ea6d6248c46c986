r"""Every measure of what a search finds: the formulas, and the table that names them.

A metric is one line of ``METRICS`` and, where no formula here or in ``found.py`` serves, one more function.
All values lie between 0 and 1. P, R and IoU, on sets of tokens, are those of section 3.6 of "Reducing
Redundancy in Retrieval-Augmented Generation through Chunk Filtering".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkfilter.evaluate.arguments import several_of
from chunkfilter.evaluate.collection import Collection, Settings
from chunkfilter.evaluate.found import (
    Found,
    credited_documents,
    document_grades,
    either_hits,
    literal_hits,
    lost_anywhere,
    lost_in_source,
    oracle_tokens,
    paid_tokens,
    semantic_hits,
    top_documents,
    top_runs,
    top_sentences,
    top_tokens,
)
from chunkfilter.evaluate.sets import BoolArray, Overlap, Values
from chunkfilter.text.ragged import IntArray

#: One array of shape (q,) a measure.
Measures = dict[str, Values]


def precision(sizes: Overlap) -> Values:
    r"""The share of what was retrieved that was wanted; 0 where nothing was retrieved.

    .. math:: \mathrm{Precision} = |T_e \cap T_r| / |T_r|
    """
    return sizes.hits / np.maximum(sizes.retrieved, 1)


def recall(sizes: Overlap) -> Values:
    r"""The share of what was wanted that was retrieved; 1 where nothing was wanted: nothing is missing.

    .. math:: \mathrm{Recall} = |T_e \cap T_r| / |T_e|
    """
    return np.where(sizes.wanted > 0, sizes.hits / np.maximum(sizes.wanted, 1), 1.0)


def iou(sizes: Overlap) -> Values:
    r"""Intersection over union (Jaccard); 1 where both are empty.

    .. math:: \mathrm{IoU} = |T_e \cap T_r| / |T_e \cup T_r|
    """
    union = sizes.retrieved + sizes.wanted - sizes.hits
    return np.where(union > 0, sizes.hits / np.maximum(union, 1), 1.0)


def f1(sizes: Overlap) -> Values:
    r"""The harmonic mean of precision and recall; 1 where nothing was wanted and nothing retrieved.

    .. math:: F_1 = 2\,|T_e \cap T_r| / (|T_e| + |T_r|)

    Source: appendix D of Qu, Tu and Bao, "Is Semantic Chunking Worth the Computational Cost?" (2024).
    """
    together = sizes.wanted + sizes.retrieved
    return np.where(together > 0, 2 * sizes.hits / np.maximum(together, 1), 1.0)


def retained(lost: BoolArray) -> Values:
    """1 for a question that lost nothing, else 0."""
    return np.where(lost, 0.0, 1.0)


def hit(ranks: IntArray) -> Values:
    """1 where a hit was found, else 0, from the rank of the first one, 0 for none."""
    return (ranks > 0).astype(np.float64)


def reciprocal_rank(ranks: IntArray) -> Values:
    """One over the rank of the first hit, 0 where there is none; the mean is the MRR."""
    return np.where(ranks > 0, 1 / np.maximum(ranks, 1), 0.0)


def ndcg(grades: tuple[Values, Values]) -> Values:
    r"""Normalised discounted cumulative gain of the documents of the retrieved chunks.

    With g the grade of the document at place i, from 1, and :math:`g^\star` the k largest grades:

    .. math:: \mathrm{nDCG}_k = \sum_i \frac{g_i}{\log_2(i + 1)} \Big/
              \sum_i \frac{g^\star_i}{\log_2(i + 1)}

    1 where no document is relevant: nothing is missing.

    Source: Järvelin and Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques" (2002), with the
    discount of trec_eval.

    Args:
        grades: of the documents found and of the best there are, in order, shapes (q, a) and (q, b).
    """
    gained, ideal = ((rows / np.log2(np.arange(2, rows.shape[1] + 2))).sum(axis=1) for rows in grades)
    return np.where(ideal > 0, np.minimum(gained / np.where(ideal > 0, ideal, 1.0), 1.0), 1.0)


@dataclass(frozen=True, slots=True)
class Metric:
    """A measure, or several that differ in one number.

    Args:
        name: its name, without that number.
        formula: from what ``of`` gives to one value a question.
        of: what it is taken of.
        per: what there is one measure for: each of the settings' ``tokens``, ``budgets`` or ``cuts``; "" for
            one measure.
        group: ``retrieval`` needs the found chunks only, ``index`` also the kept ones; the others are taken
            when they are asked for by name.
        tested: it gets intervals; of ``tokens`` the words, of ``cuts`` the top k.
        head: of its column in tables, for optional ones.
    """

    name: str
    formula: Callable[[Any], Values]
    of: Callable[[Collection, Found, Any], Any]
    per: str = ""
    group: str = "retrieval"
    tested: bool = False
    head: str = ""

    def named(self, settings: Settings) -> dict[str, Any]:
        """Its measures by name, with the number or kind each is about."""
        if not self.per:
            return {self.name: None}
        if self.per == "tokens":
            return {self.name if kind == "word" else f"{kind}_{self.name}": kind for kind in settings.tokens}
        return {f"{self.name}@{number}": number for number in getattr(settings, self.per)}

    def tested_names(self, settings: Settings) -> list[str]:
        """Those of its measures that get intervals."""
        if not self.tested:
            return []
        only = {"tokens": "word", "cuts": settings.k}.get(self.per)
        return [name for name, at in self.named(settings).items() if only in (None, at)]


METRICS = (
    Metric("precision", precision, top_tokens, "tokens"),
    Metric("recall", recall, top_tokens, "tokens", tested=True),
    Metric("iou", iou, top_tokens, "tokens"),
    Metric("oracle_recall", recall, oracle_tokens, "tokens", "index"),
    Metric("oracle_precision", precision, oracle_tokens, "tokens", "index"),
    Metric("budget_recall", recall, paid_tokens, "budgets", tested=True),
    Metric("evidence_retention", retained, lost_anywhere, group="index", tested=True),
    Metric("source_retention", retained, lost_in_source, group="index", tested=True),
    Metric("evidence_recall", recall, top_runs, tested=True),
    Metric("document_precision", precision, top_documents, "cuts", "document"),
    Metric("document_recall", recall, top_documents, "cuts", "document"),
    Metric("document_f1", f1, top_documents, "cuts", "document", tested=True, head="doc F1"),
    Metric("document_precision_credited", precision, credited_documents, "cuts", "document"),
    Metric("document_recall_credited", recall, credited_documents, "cuts", "document"),
    Metric("document_f1_credited", f1, credited_documents, "cuts", "document", tested=True, head="credited"),
    Metric("evidence_precision", precision, top_sentences, "cuts", "evidence"),
    Metric("evidence_recall", recall, top_sentences, "cuts", "evidence"),
    Metric("evidence_f1", f1, top_sentences, "cuts", "evidence", tested=True, head="sent F1"),
    Metric("hit_rate", hit, literal_hits, "cuts", "hit-rate", tested=True, head="hit"),
    Metric("mrr", reciprocal_rank, literal_hits, "cuts", "hit-rate", tested=True, head="MRR"),
    Metric("hit_rate_either", hit, either_hits, "cuts", "hit-rate"),
    Metric("mrr_either", reciprocal_rank, either_hits, "cuts", "hit-rate"),
    Metric("hit_rate_semantic", hit, semantic_hits, "cuts", "hit-rate"),
    Metric("mrr_semantic", reciprocal_rank, semantic_hits, "cuts", "hit-rate"),
    Metric("ndcg", ndcg, document_grades, "cuts", "ndcg", tested=True, head="nDCG"),
)

#: Groups of measures that are taken always, and those taken when they are asked for.
ALWAYS = ("retrieval", "index")
OPTIONAL = tuple(dict.fromkeys(metric.group for metric in METRICS if metric.group not in ALWAYS))

#: Measures that are 1 or 0 a question and that no removal can raise.
LOSSES = frozenset(metric.name for metric in METRICS if metric.formula is retained)


def measure(data: Collection, found: Found, groups: Sequence[str] = ALWAYS) -> Measures:
    """The measures of some groups, one value a question, each of shape (q,)."""
    chosen = [metric for metric in METRICS if metric.group in groups]
    return _measured(data, found, chosen)


def measure_credited(data: Collection, found: Found) -> Measures:
    """The measures of documents in which representatives count for what they replaced."""
    return _measured(data, found, [metric for metric in METRICS if metric.of is credited_documents])


def _measured(data: Collection, found: Found, metrics: Sequence[Metric]) -> Measures:
    taken: dict[tuple[Any, Any], Any] = {}
    values: Measures = {}
    for metric in metrics:
        if metric.of is semantic_hits and data.embed is None:
            continue
        for name, at in metric.named(data.settings).items():
            if (metric.of, at) not in taken:
                taken[metric.of, at] = metric.of(data, found, at)
            values[name] = metric.formula(taken[metric.of, at])
    return values


def tested_measures(settings: Settings) -> tuple[str, ...]:
    """The measures that get intervals."""
    groups = (*ALWAYS, *settings.measures)
    return tuple(
        name for metric in METRICS if metric.group in groups for name in metric.tested_names(settings)
    )


def deciding_measure(settings: Settings) -> str:
    """The measure that verdicts are about: recall at the middle budget."""
    return f"budget_recall@{settings.middle_budget}"


def checked_measures(names: Sequence[str]) -> tuple[str, ...]:
    """The names of optional groups without repetition.

    Raises:
        InputError: an unknown one.
    """
    return several_of("measures", names, OPTIONAL)
