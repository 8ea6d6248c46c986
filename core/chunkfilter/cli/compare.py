"""``chunkfilter compare DATA --chunker SPEC``: measure what policies do to retrieval."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chunkfilter.cli.arguments import add_policies_argument, names, numbers, refuse_wrong_chunkers
from chunkfilter.cli.input import policies_of
from chunkfilter.cli.output import (
    CHECK_FAILED,
    DONE,
    add_json_argument,
    complain,
    refuse_overwriting,
    say,
    say_json,
    shows_progress,
    warn_of_problems,
)
from chunkfilter.errors import DatasetError, InputError
from chunkfilter.evaluate.arguments import counted, refuse_margin, refuse_no_count
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.evaluate.compare import DEFAULT_EMBEDDER, compare
from chunkfilter.evaluate.comparison import Comparison, Row
from chunkfilter.evaluate.datasets import load_dataset
from chunkfilter.evaluate.lemmas import lemmas_available
from chunkfilter.evaluate.metrics import OPTIONAL
from chunkfilter.evaluate.questions import Dataset
from chunkfilter.evaluate.report import comparison_csv, comparison_markdown, comparison_text
from chunkfilter.evaluate.same_size import BESIDE
from chunkfilter.evaluate.stitching import stitched
from chunkfilter.evaluate.tokens import TOKENS
from chunkfilter.policy import Policy
from chunkfilter.signals.embedders import load_embedder
from chunkfilter.signals.topics import METHODS
from chunkfilter.splitters import split_documents
from chunkfilter.storage import replacing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "data", metavar="DATA", help="documents with questions: a file, a folder, or hub:NAME:SPLIT"
    )
    parser.add_argument(
        "--questions", metavar="FILE", type=Path, help="questions that do not lie beside DATA"
    )
    parser.add_argument("--chunker", metavar="SPEC", help="for example recursive:400:0")
    add_policies_argument(parser, "none; exact; coverage")
    parser.add_argument("--entities", metavar="NAME", help="spaCy model for policies that need entities")
    parser.add_argument(
        "--topics", choices=METHODS, help="how policies with +topics find them (default: kmeans)"
    )
    parser.add_argument("--limit", metavar="N", type=int, help="the first N questions only")
    parser.add_argument(
        "--stitch",
        metavar="N",
        type=int,
        help="join documents, in random order, to documents of about N sentences",
    )
    _add_retrieval(parser)
    _add_statistics(parser)
    _add_output(parser)


def _add_retrieval(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--embedder",
        metavar="NAME",
        default=DEFAULT_EMBEDDER,
        help="a model's name, a folder or package:NAME (default: %(default)s)",
    )
    parser.add_argument("--query-prefix", metavar="TEXT", default="", help="put before each question")
    parser.add_argument("--passage-prefix", metavar="TEXT", default="", help="put before each text")
    parser.add_argument("--k", type=int, default=5, help="chunks retrieved (default: %(default)s)")
    parser.add_argument(
        "--budgets",
        metavar="N;N",
        type=numbers,
        default=(500, 1000, 2000),
        help="tokens paid for, for recall at a budget; verdicts take the middle one (default: 500;1000;2000)",
    )
    parser.add_argument(
        "--measures",
        metavar="NAME;NAME",
        type=names,
        default=(),
        help=f"measures beyond the usual ones: {', '.join(OPTIONAL)}",
    )
    parser.add_argument(
        "--depths",
        metavar="N;N",
        type=numbers,
        default=(1, 3, 5, 10),
        help="chunks at which those are taken, beside --k (default: 1;3;5;10)",
    )


def _add_statistics(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seeds", type=int, default=20, help="draws of whatever is random (default: %(default)s)"
    )
    parser.add_argument(
        "--margin", type=float, default=0.01, help="largest recall loss that verdicts accept (default: 0.01)"
    )
    parser.add_argument(
        "--fail-if-inferior", action="store_true", help="exit 1 if a policy loses more than the margin"
    )
    parser.add_argument(
        "--beside",
        metavar="NAME;NAME",
        type=names,
        default=(),
        help="put beside each policy what keeps as much: control (random removal after exact), or a rule at "
        f"the threshold that does: {', '.join(BESIDE)}",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--by-corpus", action="store_true", help="add rows per corpus and their macro mean")
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write every figure to a CSV file")
    parser.add_argument("--markdown", metavar="FILE", type=Path, help="write the table to a Markdown file")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, write, and check if asked to."""
    policies = policies_of(arguments)
    if not arguments.chunker:
        raise InputError("--chunker: got none; expected a splitter, for example recursive:400:0")
    refuse_wrong_chunkers([arguments.chunker])
    if arguments.stitch is not None:
        refuse_no_count("--stitch", arguments.stitch)
    refuse_margin(arguments.margin, "--margin")
    refuse_overwriting(
        {"--csv": arguments.csv, "--markdown": arguments.markdown},
        {"DATA": Path(arguments.data), "--questions": arguments.questions},
    )
    dataset = load_dataset(arguments.data, questions=arguments.questions, limit=arguments.limit)
    if arguments.stitch is not None:
        dataset = stitched(dataset, arguments.stitch)
    warn_of_problems(dataset.name, dataset.problems)
    if not dataset.questions:
        raise DatasetError(f"{arguments.data}: no questions to measure with; expected --questions FILE")
    comparison = _compare(arguments, dataset, policies)
    _write(arguments, comparison)
    if arguments.json:
        say_json({**_json(comparison, arguments.by_corpus), "left_out": dataset.left_out})
    else:
        say(comparison_text(comparison, arguments.by_corpus))
        if dataset.left_out:
            say(f"{counted(dataset.left_out, 'question')} left out: no document holds all references.")
    return _checked(comparison, policies) if arguments.fail_if_inferior else DONE


def _compare(arguments: argparse.Namespace, dataset: Dataset, policies: list[Policy]) -> Comparison:
    embedder = cached_embedder(
        load_embedder(
            arguments.embedder,
            query_prefix=arguments.query_prefix,
            passage_prefix=arguments.passage_prefix,
        ),
        show_progress=shows_progress(),
    )
    return compare(
        split_documents(dataset.documents, arguments.chunker, embedder),
        dataset.questions,
        policies,
        embedder=embedder,
        k=arguments.k,
        budgets=arguments.budgets,
        margin=arguments.margin,
        groups=dataset.groups,
        beside=arguments.beside,
        measures=arguments.measures,
        depths=arguments.depths,
        tokens=available_tokens(),
        entities=arguments.entities,
        topics=arguments.topics,
        seeds=arguments.seeds,
        show_progress=shows_progress(),
    )


def available_tokens() -> tuple[str, ...]:
    """``word``, and ``lemma`` where what it needs is installed; says so where it is not."""
    if lemmas_available():
        return tuple(TOKENS)
    complain("tokens 'lemma' are left out: pip install \"chunkfilter[models]\"")
    return ("word",)


def _json(comparison: Comparison, by_corpus: bool) -> dict[str, Any]:
    values = comparison.as_dict()
    if not by_corpus:
        del values["corpora"]
    return values


def _write(arguments: argparse.Namespace, comparison: Comparison) -> None:
    files: tuple[tuple[Path | None, Callable[[Comparison, bool], str]], ...] = (
        (arguments.csv, comparison_csv),
        (arguments.markdown, comparison_markdown),
    )
    for path, form in files:
        if path is not None:
            with replacing(path) as file:
                file.write(form(comparison, arguments.by_corpus))


def _checked(comparison: Comparison, policies: list[Policy]) -> int:
    filters = {str(policy) for policy in policies if policy.rule != "none"}
    failed: list[Row] = [
        row
        for row in comparison.rows
        if row.kind == "policy" and row.policy in filters and row.verdict == "inferior"
    ]
    for row in failed:
        complain(
            f"{row.policy}: {row.delta_measure} falls by more than {comparison.margin:g}: "
            f"{row.delta_recall:+.4f} [{row.delta_low:+.4f}, {row.delta_high:+.4f}]"
        )
    return CHECK_FAILED if failed else DONE
