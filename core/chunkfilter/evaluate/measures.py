"""Every measure of an arm: the table that names them and says what they are computed from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from chunkfilter.evaluate.bench import Bench, BoolArray
from chunkfilter.evaluate.metrics import Values
from chunkfilter.evaluate.metrics.budget_recall import budget_recall
from chunkfilter.evaluate.metrics.evidence_recall import evidence_recall
from chunkfilter.evaluate.metrics.iou import iou
from chunkfilter.evaluate.metrics.overlap import Overlap, overlap, whole_rows
from chunkfilter.evaluate.metrics.precision import precision
from chunkfilter.evaluate.metrics.recall import recall
from chunkfilter.evaluate.metrics.survival import survival
from chunkfilter.text.ragged import IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """What an arm leaves to search in, and what a search then finds.

    Args:
        kept: chunks that are there, shape (n,).
        ranked: chunks found for each question, best first, -1 after the last, shape (q, depth).
    """

    kept: BoolArray
    ranked: IntArray


Measures = dict[str, Values]


def _coverage(bench: Bench, index: Index) -> Measures:
    top = index.ranked[:, : bench.settings.k]
    measures: Measures = {}
    for kind in bench.settings.tokens:
        found = _overlap(bench, kind, top)
        measures |= {
            named("precision", kind): precision(found),
            named("recall", kind): recall(found),
            named("iou", kind): iou(found),
        }
    return measures


def _oracle(bench: Bench, index: Index) -> Measures:
    measures: Measures = {}
    for kind in bench.settings.tokens:
        found = _overlap(bench, kind, bench.oracle(kind, index.kept))
        measures |= {
            named("oracle_recall", kind): recall(found),
            named("oracle_precision", kind): precision(found),
        }
    return measures


def _overlap(bench: Bench, kind: str, chosen: IntArray) -> Overlap:
    table = bench.tokens[kind]
    return overlap(table.chunks.values, *whole_rows(chosen, table.chunks), table.references, table.size)


def _budgets(bench: Bench, index: Index) -> Measures:
    table = bench.tokens["word"]
    return {
        at_budget(budget): budget_recall(index.ranked, table.sequences, table.references, table.size, budget)
        for budget in bench.settings.budgets
    }


def _survival(bench: Bench, index: Index) -> Measures:
    holders, count = bench.holders, len(bench.questions)
    return {
        "sentence_survival": survival(holders.everywhere, holders.questions, count, index.kept),
        "own_survival": survival(holders.own_source, holders.questions, count, index.kept),
    }


def _evidence(bench: Bench, index: Index) -> Measures:
    runs, top = bench.runs, index.ranked[:, : bench.settings.k]
    return {"evidence_recall": evidence_recall(top, runs.chunks, runs.references, runs.size)}


#: Every group of measures. A new metric gets a file in ``metrics`` and a line here.
MEASURES: tuple[Callable[[Bench, Index], Measures], ...] = (
    _coverage,
    _oracle,
    _budgets,
    _survival,
    _evidence,
)


def measure(bench: Bench, index: Index) -> Measures:
    """Every measure, one value a question, each of shape (q,) and from 0 to 1."""
    return {name: values for group in MEASURES for name, values in group(bench, index).items()}


def mean_measures(parts: Sequence[Measures]) -> Measures:
    """The mean over several draws, question by question."""
    return {name: np.mean([part[name] for part in parts], axis=0) for name in parts[0]}


def named(measure_name: str, kind: str) -> str:
    """The name of a measure on a kind of token: ``word`` has no prefix."""
    return measure_name if kind == "word" else f"{kind}_{measure_name}"


def at_budget(budget: int) -> str:
    """The name of recall at a budget."""
    return f"budget_recall@{budget}"
