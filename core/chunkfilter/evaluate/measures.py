"""Every measure of an arm: the table that names them and says what they are computed from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from chunkfilter.errors import InputError
from chunkfilter.evaluate.arguments import several
from chunkfilter.evaluate.bench import Bench, BoolArray
from chunkfilter.evaluate.metrics import Values
from chunkfilter.evaluate.metrics.budget_recall import budget_recall
from chunkfilter.evaluate.metrics.evidence_recall import evidence_recall
from chunkfilter.evaluate.metrics.f1 import f1
from chunkfilter.evaluate.metrics.hit_rate import first_ranks, hit_rate
from chunkfilter.evaluate.metrics.iou import iou
from chunkfilter.evaluate.metrics.ndcg import ndcg
from chunkfilter.evaluate.metrics.overlap import Overlap, overlap, whole_rows
from chunkfilter.evaluate.metrics.precision import precision
from chunkfilter.evaluate.metrics.recall import recall
from chunkfilter.evaluate.metrics.reciprocal_rank import reciprocal_rank
from chunkfilter.evaluate.metrics.survival import survival
from chunkfilter.text.ragged import IntArray, Ragged


def no_credit() -> IntArray:
    """No keeper counts for anything but itself."""
    return np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """What an arm leaves to search in, and what a search then finds.

    Args:
        kept: chunks that are there, shape (n,).
        ranked: chunks found for each question, best first, -1 after the last, shape (q, depth).
        credit: pairs of a keeper and a removed chunk that it may count for in measures of documents,
            shape (m, 2).
    """

    kept: BoolArray
    ranked: IntArray
    credit: IntArray = field(default_factory=no_credit)


Measures = dict[str, Values]

#: What the names of measures that give keepers credit have behind them.
CREDITED = "_credited"


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


def _documents(bench: Bench, index: Index) -> Measures:
    table = bench.documents
    plain = _sets("document", "", bench, index, table.counting_for(no_credit()), table.relevant, table.size)
    return plain | credited(bench, index)


def credited(bench: Bench, index: Index) -> Measures:
    """The measures of documents in which keepers count for what they replaced."""
    table = bench.documents
    counting = table.counting_for(index.credit)
    return _sets("document", CREDITED, bench, index, counting, table.relevant, table.size)


def _sentences(bench: Bench, index: Index) -> Measures:
    table = bench.sentences
    return _sets("evidence", "", bench, index, table.chunks, table.references, table.size)


def _sets(
    name: str, kind: str, bench: Bench, index: Index, chunks: Ragged, wanted: Ragged, size: int
) -> Measures:
    """Precision, recall and F1 at every cut, of what the chunks stand for."""
    measures: Measures = {}
    for cut in bench.settings.cuts:
        found = overlap(chunks.values, *whole_rows(index.ranked[:, :cut], chunks), wanted, size)
        measures |= {
            f"{name}_precision{kind}@{cut}": precision(found),
            f"{name}_recall{kind}@{cut}": recall(found),
            f"{name}_f1{kind}@{cut}": f1(found),
        }
    return measures


def _hits(bench: Bench, index: Index) -> Measures:
    measures: Measures = {}
    for kind, holding in bench.fact_holders.items():
        ranks = first_ranks(index.ranked[:, : bench.settings.deepest], holding, len(bench.chunks))
        for cut in bench.settings.cuts:
            measures |= {
                f"hit_rate{kind}@{cut}": hit_rate(ranks, cut),
                f"mrr{kind}@{cut}": reciprocal_rank(ranks, cut),
            }
    return measures


def _ndcg(bench: Bench, index: Index) -> Measures:
    table = bench.documents
    found = np.where(index.ranked < 0, -1, table.of_chunks[index.ranked])
    return {
        f"ndcg@{cut}": ndcg(found[:, :cut], table.relevant, table.grades, table.size, cut)
        for cut in bench.settings.cuts
    }


Group = Callable[[Bench, Index], Measures]

#: Groups of measures that are taken always. A new metric gets a file in ``metrics`` and a line here or below.
ALWAYS: tuple[Group, ...] = (
    _coverage,
    _oracle,
    _budgets,
    _survival,
    _evidence,
)

#: Groups that are taken when they are asked for by name, at every cut of the settings.
OPTIONAL: dict[str, Group] = {
    "document": _documents,
    "evidence": _sentences,
    "hit-rate": _hits,
    "ndcg": _ndcg,
}

#: The measures of each optional group, without their cut, that get intervals and a column.
HEADLINES: dict[str, tuple[str, ...]] = {
    "document": ("document_f1", f"document_f1{CREDITED}"),
    "evidence": ("evidence_f1",),
    "hit-rate": ("hit_rate", "mrr"),
    "ndcg": ("ndcg",),
}


def measure(bench: Bench, index: Index) -> Measures:
    """Every measure, one value a question, each of shape (q,) and from 0 to 1."""
    return _all_of((*ALWAYS, *(OPTIONAL[name] for name in bench.settings.measures)), bench, index)


def measure_only(bench: Bench, index: Index) -> Measures:
    """The optional measures of the settings, without the usual ones."""
    return _all_of([OPTIONAL[name] for name in bench.settings.measures], bench, index)


def _all_of(groups: Sequence[Group], bench: Bench, index: Index) -> Measures:
    return {name: values for group in groups for name, values in group(bench, index).items()}


def checked_measures(names: Sequence[str]) -> tuple[str, ...]:
    """The names of optional groups without repetition.

    Raises:
        InputError: an unknown one.
    """
    if not set(several("measures", names, f"some of {', '.join(OPTIONAL)}")) <= set(OPTIONAL):
        raise InputError(f"measures: got {names!r}; expected some of {', '.join(OPTIONAL)}")
    return tuple(dict.fromkeys(names))


def mean_measures(parts: Sequence[Measures]) -> Measures:
    """The mean over several draws, question by question."""
    return {name: np.mean([part[name] for part in parts], axis=0) for name in parts[0]}


def named(measure_name: str, kind: str) -> str:
    """The name of a measure on a kind of token: ``word`` has no prefix."""
    return measure_name if kind == "word" else f"{kind}_{measure_name}"


def at_budget(budget: int) -> str:
    """The name of recall at a budget."""
    return f"budget_recall@{budget}"
