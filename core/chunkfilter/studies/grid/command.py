"""``chunkfilter study grid DATA --chunkers "a; b"``: splitters against their compute, in one table."""

import argparse
from collections.abc import Callable
from pathlib import Path

from chunkfilter.cli.arguments import add_policies_argument, listed, numbers, refuse_wrong_chunkers
from chunkfilter.cli.input import policies_of
from chunkfilter.cli.output import (
    DONE,
    add_json_argument,
    refuse_overwriting,
    say,
    say_json,
    shows_progress,
    warn_of_problems,
)
from chunkfilter.errors import DatasetError, InputError
from chunkfilter.evaluate.compare import DEFAULT_EMBEDDER
from chunkfilter.evaluate.datasets import load_dataset
from chunkfilter.evaluate.questions import Dataset
from chunkfilter.evaluate.stitching import stitched
from chunkfilter.signals.embedders import Embedder, load_embedder
from chunkfilter.storage import replacing
from chunkfilter.studies.grid.outcome import Grid
from chunkfilter.studies.grid.report import grid_csv, grid_markdown, grid_text
from chunkfilter.studies.grid.run import DEPTHS, run_grid
from chunkfilter.studies.grid.setting import MEASURES

_PREFIXES = {"query": "query_prefix", "passage": "passage_prefix"}
_FORM = "NAME, or NAME|query=TEXT|passage=TEXT"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    _add_data(parser)
    parser.add_argument(
        "--chunkers",
        metavar="SPECS",
        required=True,
        help="splitters, separated by semicolons; those of one name are settings to choose from, and the "
        "first name is what others compare with",
    )
    add_policies_argument(parser, "none; exact; coverage")
    parser.add_argument(
        "--embedders",
        metavar="NAMES",
        default=DEFAULT_EMBEDDER,
        help=f"separated by semicolons, each {_FORM} (default: %(default)s)",
    )
    parser.add_argument("--entities", metavar="NAME", help="spaCy model for policies that need entities")
    parser.add_argument(
        "--by",
        choices=MEASURES,
        help="whose F1 chooses, averaged over --depths (default: evidence where the data names any)",
    )
    parser.add_argument(
        "--depths",
        metavar="N,N",
        type=numbers,
        default=DEPTHS,
        help="numbers of chunks retrieved (default: 1,3,5,10)",
    )
    parser.add_argument(
        "--margin", type=float, default=0.01, help="largest loss that verdicts accept (default: 0.01)"
    )
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write every figure to a CSV file")
    parser.add_argument("--markdown", metavar="FILE", type=Path, help="write the table to a Markdown file")
    add_json_argument(parser)


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data", metavar="DATA", help="documents with questions: a file, a folder, or hub:NAME:SPLIT"
    )
    parser.add_argument(
        "--questions", metavar="FILE", type=Path, help="questions that do not lie beside DATA"
    )
    parser.add_argument("--limit", metavar="N", type=int, help="the first N questions only")
    parser.add_argument(
        "--exact-offsets", action="store_true", help="leave out answers whose place in the text was guessed"
    )
    parser.add_argument(
        "--stitch",
        metavar="N",
        type=int,
        help="join documents, in random order, to documents of about N sentences",
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure, print and write."""
    policies = policies_of(arguments)
    chunkers = listed(arguments.chunkers)
    if not chunkers:
        raise InputError(
            f"--chunkers: got {arguments.chunkers!r}; expected splitters separated by ';', as in "
            '"sentences:5:0; breakpoint:percentile=90"'
        )
    refuse_wrong_chunkers(chunkers)
    refuse_overwriting(
        {"--csv": arguments.csv, "--markdown": arguments.markdown},
        {"DATA": Path(arguments.data), "--questions": arguments.questions},
    )
    grid = run_grid(
        _dataset(arguments),
        chunkers,
        policies,
        read_embedders(arguments.embedders),
        measure=arguments.by,
        depths=arguments.depths,
        margin=arguments.margin,
        entities=arguments.entities,
        show_progress=shows_progress(),
    )
    files: tuple[tuple[Path | None, Callable[[Grid], str]], ...] = (
        (arguments.csv, grid_csv),
        (arguments.markdown, grid_markdown),
    )
    for path, form in files:
        if path is not None:
            with replacing(path) as file:
                file.write(form(grid))
    if arguments.json:
        say_json(grid.as_dict())
    else:
        say(grid_text(grid))
    return DONE


def _dataset(arguments: argparse.Namespace) -> Dataset:
    dataset = load_dataset(
        arguments.data,
        questions=arguments.questions,
        limit=arguments.limit,
        exact_offsets=arguments.exact_offsets,
    )
    if arguments.stitch is not None:
        dataset = stitched(dataset, arguments.stitch)
    warn_of_problems(dataset.name, dataset.problems)
    if not dataset.questions:
        raise DatasetError(f"{arguments.data}: no questions to measure with; expected --questions FILE")
    return dataset


def read_embedders(text: str) -> dict[str, Embedder]:
    """Load the embedders of a text, for example ``package:all-MiniLM-L6-v2; NAME|query=query: |passage=...``.

    What stands behind ``query=`` is put before every question, behind ``passage=`` before every text, spaces
    and all: models such as E5 need both.

    Args:
        text: one or more embedders, separated by semicolons.

    Returns:
        Embedder by its text, in order.

    Raises:
        InputError: none, one twice, an unknown option, or a model that cannot be loaded.
        MissingExtraError: the package for a model is not installed.
    """
    parts = [part for part in text.split(";") if part.strip()]
    if not parts:
        raise InputError(f"embedders: got {text!r}; expected {_FORM}, separated by ';'")
    embedders: dict[str, Embedder] = {}
    for part in parts:
        name, *options = part.lstrip().split("|")
        prefixes = dict(_prefix(option, part) for option in options)
        label = "|".join([name.strip(), *options])
        if label in embedders:
            raise InputError(f"embedders: {label!r} is given twice")
        embedders[label] = load_embedder(name.strip(), **prefixes)
    return embedders


def _prefix(option: str, part: str) -> tuple[str, str]:
    key, equals, value = option.partition("=")
    if not equals or key.strip() not in _PREFIXES:
        raise InputError(f"embedder {part.strip()!r:.80}: {option!r:.40} is no option; expected {_FORM}")
    return _PREFIXES[key.strip()], value
