"""``chunkfilter compare DATA --grid --chunkers "a; b"``: quality against compute in one table."""

import argparse
from collections.abc import Callable
from pathlib import Path

from chunkfilter.cli.arguments import refuse_wrong_chunkers
from chunkfilter.cli.output import DONE, say, say_json, shows_progress
from chunkfilter.errors import InputError
from chunkfilter.evaluate.grid import run_grid
from chunkfilter.evaluate.grid.embedders import FORM, read_embedders
from chunkfilter.evaluate.grid.outcome import Grid
from chunkfilter.evaluate.grid.report import grid_csv, grid_markdown, grid_text
from chunkfilter.evaluate.grid.setting import MEASURES
from chunkfilter.evaluate.questions import Dataset
from chunkfilter.policy import Policy
from chunkfilter.storage import replacing

#: Arguments that mean nothing in a grid, by their name in the namespace.
_OF_A_COMPARISON = {
    "chunker": "--chunker",
    "beside": "--beside",
    "fail_if_inferior": "--fail-if-inferior",
    "by_corpus": "--by-corpus",
    "measures": "--measures",
    "topics": "--topics",
    "query_prefix": "--query-prefix",
    "passage_prefix": "--passage-prefix",
}


def add_grid_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of a grid."""
    group = parser.add_argument_group("grid", "the best setting of each splitter, and what it costs")
    group.add_argument("--grid", action="store_true", help="compare --chunkers, --policies and --embedders")
    group.add_argument(
        "--chunkers",
        metavar="SPECS",
        help="splitters, separated by semicolons; those of one name are settings to choose from, and the "
        "first name is what others compare with",
    )
    group.add_argument(
        "--embedders",
        metavar="NAMES",
        help=f"separated by semicolons, each {FORM} (default: --embedder)",
    )
    group.add_argument(
        "--grid-by",
        choices=MEASURES,
        help="whose F1 chooses, averaged over --depths (default: evidence where the data names any)",
    )


def run_grid_command(arguments: argparse.Namespace, dataset: Dataset, policies: list[Policy]) -> int:
    """Measure, print and write."""
    chunkers = [part.strip() for part in (arguments.chunkers or "").split(";") if part.strip()]
    if not chunkers:
        raise InputError(
            f"--grid: got --chunkers {arguments.chunkers!r}; expected splitters separated by ';', as in "
            '--chunkers "sentences:5:0; breakpoint:percentile=90"'
        )
    unused = [name for key, name in _OF_A_COMPARISON.items() if getattr(arguments, key)]
    if unused:
        raise InputError(f"--grid: {', '.join(unused)} cannot be used with it")
    refuse_wrong_chunkers(chunkers)
    grid = run_grid(
        dataset,
        chunkers,
        policies,
        read_embedders(arguments.embedders or arguments.embedder),
        measure=arguments.grid_by,
        depths=arguments.depths,
        margin=arguments.margin,
        entities=arguments.entities,
        show_progress=shows_progress(),
    )
    _write(arguments, grid)
    if arguments.json:
        say_json(grid.as_dict())
    else:
        say(grid_text(grid))
    return DONE


def _write(arguments: argparse.Namespace, grid: Grid) -> None:
    files: tuple[tuple[Path | None, Callable[[Grid], str]], ...] = (
        (arguments.csv, grid_csv),
        (arguments.markdown, grid_markdown),
    )
    for path, form in files:
        if path is not None:
            with replacing(path) as file:
                file.write(form(grid))
