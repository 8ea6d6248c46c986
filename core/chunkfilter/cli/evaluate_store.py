"""``chunkfilter evaluate STORE``: what a store holds, and with questions what its retrieval is worth."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chunkfilter.cli.arguments import add_policies_argument
from chunkfilter.cli.input import policies_of
from chunkfilter.cli.output import DONE, add_json_argument, quoted, say, say_json, shows_progress
from chunkfilter.errors import InputError
from chunkfilter.evaluate.datasets import load_questions
from chunkfilter.evaluate.report import comparison_table, legend
from chunkfilter.evaluate.stored import StoredComparison, evaluate_store
from chunkfilter.signals.embedders import load_embedder
from chunkfilter.stores import Health, Store, check_health, open_store
from chunkfilter.stores.health import CONFLICTS
from chunkfilter.text.inert import inert_line

#: Sources shown, and conflicts unless a number is given.
_SOURCES, _CONFLICTS = 20, 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("store", metavar="STORE", help="URL of the store, for example chroma:PATH#COLLECTION")
    parser.add_argument(
        "--questions", metavar="FILE", type=Path, help="measure retrieval; without it, report on the content"
    )
    add_policies_argument(parser, "none;exact;coverage")
    parser.add_argument(
        "--embedder", metavar="NAME", help="model of the stored vectors (default: what the store names)"
    )
    parser.add_argument("--query-prefix", metavar="TEXT", default="", help="put before each question")
    parser.add_argument("--passage-prefix", metavar="TEXT", default="", help="was put before each text")
    parser.add_argument(
        "--source-key",
        metavar="KEY",
        help="metadata key that names a row's document (default: the usual ones)",
    )
    parser.add_argument(
        "--conflicts",
        metavar="N",
        type=int,
        help=f"conflicts shown without --questions (default: {_CONFLICTS}, with --json {CONFLICTS})",
    )
    parser.add_argument("--k", type=int, default=5, help="chunks retrieved (default: %(default)s)")
    parser.add_argument(
        "--margin", type=float, default=0.01, help="largest recall loss that verdicts accept (default: 0.01)"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Report; nothing is written to the store."""
    store = open_store(arguments.store)
    try:
        report: Health | StoredComparison = (
            _health(arguments, store) if arguments.questions is None else _compared(arguments, store)
        )
    finally:
        store.close()
    if arguments.json:
        say_json(report.as_dict())
    elif isinstance(report, Health):
        say("\n".join(_health_lines(report)))
    else:
        say(_comparison_text(report))
    return DONE


def _health(arguments: argparse.Namespace, store: Store) -> Health:
    usual = CONFLICTS if arguments.json else _CONFLICTS
    conflicts = usual if arguments.conflicts is None else arguments.conflicts
    if conflicts < 0:
        raise InputError(f"--conflicts: got {conflicts}; expected a number from 0")
    return check_health(
        store,
        _embedder(arguments, store),
        arguments.source_key,
        conflicts=conflicts,
        show_progress=shows_progress(),
    )


def _embedder(arguments: argparse.Namespace, store: Store) -> Any:
    name = arguments.embedder or store.embedder
    if name is None:
        return None
    return load_embedder(name, query_prefix=arguments.query_prefix, passage_prefix=arguments.passage_prefix)


def _compared(arguments: argparse.Namespace, store: Store) -> StoredComparison:
    policies = policies_of(arguments)
    return evaluate_store(
        store,
        load_questions(arguments.questions),
        policies,
        _embedder(arguments, store),
        arguments.k,
        margin=arguments.margin,
        source_key=arguments.source_key,
        show_progress=shows_progress(),
    )


def _comparison_text(report: StoredComparison) -> str:
    own, exact = legend(report.own), legend(report.exact)
    return "\n".join(
        [
            f"{report.store}: {report.rows} rows, index {report.index}",
            *([f"{report.without_text} rows hold no text"] if report.without_text else []),
            f"the model agrees with the stored vectors (median cosine {report.sample_cosine:.4f})",
            "",
            "BY THE STORE'S OWN INDEX",
            comparison_table(report.own),
            *(line for line in own if line not in exact),
            "",
            "BY EXACT SEARCH OVER THE STORED VECTORS",
            comparison_table(report.exact),
            *(line for line in exact if line not in own),
            "",
            *(line for line in exact if line in own),
            "",
            f"The index finds {report.agreement:.1%} of the exact top {report.own.k}; exact search completed "
            f"{report.completed} lists that it left short.",
        ]
    )


def _health_lines(health: Health) -> Iterator[str]:
    yield f"{health.store}: {health.rows} rows, index {health.index}"
    yield ""
    yield f"{health.copies:>9} exact copies of a row that would stay"
    yield f"{health.covered:>9} more rows whose words all stand in other rows"
    yield f"{health.near_copies:>9} more rows that are near copies (Jaccard 0.8)"
    yield f"{health.conflicts:>9} near copies that differ in a number, a name ...: conflicts to read"
    yield f"{health.blank:>9} blank rows"
    yield f"{health.without_text:>9} rows without a text"
    yield f"{health.past_window:>9} rows longer than the embedder reads ({health.window})"
    yield from _vector_lines(health)
    yield from _source_lines(health)
    for conflict in health.examples:
        yield ""
        yield f"conflict ({conflict.guard})"
        for one, text in zip(conflict.ids, conflict.texts, strict=True):
            yield f" {inert_line(str(one))}"
            yield quoted(text)
    if more := health.conflicts - len(health.examples):
        yield ""
        yield f"{more} more conflicts; --conflicts {health.conflicts} shows all of them"


def _vector_lines(health: Health) -> Iterator[str]:
    vectors = health.vectors
    if len(vectors.lengths) > 1:
        found = ", ".join(f"{length} ({rows} rows)" for length, rows in sorted(vectors.lengths.items()))
        yield f"{'':>9} vectors of several lengths: {found}: the work of more than one model"
    yield f"{vectors.missing:>9} rows without a vector"
    yield f"{vectors.broken:>9} vectors that are zero or hold NaN or infinity"
    yield f"{vectors.not_unit:>9} vectors that are not of length 1"
    yield f"{vectors.shared:>9} vectors that rows with different texts have in common"


def _source_lines(health: Health) -> Iterator[str]:
    found = [one for one in health.sources if one.copies or one.covered]
    if len(health.sources) > 1 and found:
        yield ""
        yield "by document: copies, covered, rows"
        for one in found[:_SOURCES]:
            yield f"{one.copies:>9} {one.covered:>9} {one.rows:>9}  {inert_line(one.source or '(none)')}"
        if len(found) > _SOURCES:
            yield f"          ... and {len(found) - _SOURCES} more documents"
