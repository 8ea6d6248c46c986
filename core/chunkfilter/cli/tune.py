"""``chunkfilter tune DATA --chunker SPEC``: the boldest policy that loses nothing you would notice."""

import argparse
from pathlib import Path

from chunkfilter.cli.arguments import refuse_wrong_chunkers
from chunkfilter.cli.output import (
    CHECK_FAILED,
    DONE,
    add_json_argument,
    say,
    say_json,
    shows_progress,
    warn_of_problems,
)
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.evaluate.compare import DEFAULT_EMBEDDER
from chunkfilter.evaluate.datasets import load_dataset
from chunkfilter.evaluate.report import comparison_text
from chunkfilter.evaluate.tune import Tuned, deciding_difference, tune
from chunkfilter.signals.embedders import load_embedder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("data", metavar="DATA", help="documents, with or without questions, as for compare")
    parser.add_argument("--questions", metavar="FILE", type=Path, help="questions not beside DATA")
    parser.add_argument("--chunker", metavar="SPEC", required=True, help="for example recursive:400:200")
    parser.add_argument(
        "--max-recall-loss", metavar="X", type=float, default=0.01, help="largest loss (default: %(default)s)"
    )
    parser.add_argument(
        "--target-size",
        metavar="SHARE",
        type=float,
        help="stop once at most this share of the chunks is kept",
    )
    parser.add_argument("--embedder", metavar="NAME", default=DEFAULT_EMBEDDER, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="of the halves (default: %(default)s)")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Walk, report; exit 1 if no policy passes or the target size is not reached."""
    refuse_wrong_chunkers([arguments.chunker])
    dataset = load_dataset(arguments.data, questions=arguments.questions)
    warn_of_problems(dataset.name, dataset.problems)
    embedder = cached_embedder(load_embedder(arguments.embedder), show_progress=shows_progress())
    tuned = tune(
        dataset,
        arguments.chunker,
        max_recall_loss=arguments.max_recall_loss,
        target_size=arguments.target_size,
        embedder=embedder,
        seed=arguments.seed,
        show_progress=shows_progress(),
    )
    if arguments.json:
        say_json(tuned.as_dict())
    else:
        say(_text(tuned, arguments))
    return DONE if tuned.policy is not None and tuned.reached else CHECK_FAILED


def _text(tuned: Tuned, arguments: argparse.Namespace) -> str:
    lines = [f"{'policy':<18} {'cut %':>6}  {tuned.measure}, on the half it was tuned on"]
    for row in tuned.tried:
        one = deciding_difference(row, tuned.sampled)
        lines.append(
            f"{row.policy:<18} {row.reduction:>6.1f}  {one.mean:+.4f} [{one.low:+.4f}, {one.high:+.4f}]  "
            f"{one.verdict}"
        )
    if tuned.policy is None or tuned.report is None:
        return "\n".join([*lines, "", _none_passes(tuned, arguments.max_recall_loss)])
    if tuned.too_small:
        lines += ["", f"{tuned.too_small}."]
    if not tuned.reached:
        lines.append(f"The target size {arguments.target_size:g} was not reached.")
    chosen = f"Chosen: {tuned.policy}. On the documents that took no part in choosing it:"
    return "\n".join([*lines, "", chosen, "", comparison_text(tuned.report)])


def _none_passes(tuned: Tuned, margin: float) -> str:
    """Why even the safest policy was not chosen."""
    said = f"No policy passes at a margin of {margin:g}."
    if tuned.too_small:
        return f"{said} {tuned.too_small}."
    inconclusive = deciding_difference(tuned.tried[-1], tuned.sampled).verdict == "inconclusive"
    return f"{said} The interval is too wide to decide; more questions narrow it." if inconclusive else said
