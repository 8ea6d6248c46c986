"""``chunkfilter evaluate STORE --questions FILE``: what a store's retrieval is worth, now and filtered."""

import argparse
from pathlib import Path

from chunkfilter.cli.arguments import add_policies_argument
from chunkfilter.cli.input import policies_of
from chunkfilter.cli.inspect_store import add_store_arguments, embedder_of
from chunkfilter.cli.output import DONE, say, say_json, shows_progress
from chunkfilter.evaluate.datasets import load_questions
from chunkfilter.evaluate.report import comparison_table, legend
from chunkfilter.evaluate.stored import StoredComparison, evaluate_store
from chunkfilter.stores import open_store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_store_arguments(parser)
    parser.add_argument(
        "--questions",
        metavar="FILE",
        type=Path,
        required=True,
        help="questions and their references (without any: chunkfilter inspect)",
    )
    add_policies_argument(parser, "none;exact;coverage")
    parser.add_argument("--query-prefix", metavar="TEXT", default="", help="put before each question")
    parser.add_argument("--k", type=int, default=5, help="chunks retrieved (default: %(default)s)")
    parser.add_argument(
        "--margin", type=float, default=0.01, help="largest recall loss that verdicts accept (default: 0.01)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure; nothing is written to the store."""
    questions, policies = load_questions(arguments.questions), policies_of(arguments)
    store = open_store(arguments.store)
    try:
        report = evaluate_store(
            store,
            questions,
            policies,
            embedder=embedder_of(arguments, store, arguments.query_prefix),
            k=arguments.k,
            margin=arguments.margin,
            source_key=arguments.source_key,
            show_progress=shows_progress(),
        )
    finally:
        store.close()
    if arguments.json:
        say_json(report.as_dict())
    else:
        say(_comparison_text(report))
    return DONE


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
