"""``chunkfilter study tables | grid``: what the published studies measured, measured here."""

import argparse
import importlib

#: Module and help of each study; a module declares its arguments and runs, as a command does.
_STUDIES = {
    "tables": ("chunkfilter.studies.paper.command", "measure the tables of the chunk-filtering study again"),
    "grid": ("chunkfilter.studies.grid.command", "compare splitters, filters and embedders with their cost"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the studies and the arguments of each."""
    studies = parser.add_subparsers(dest="study", required=True, metavar="STUDY")
    for name, (module, help_line) in _STUDIES.items():
        study = studies.add_parser(name, help=help_line, description=f"{help_line}.".capitalize())
        importlib.import_module(module).add_arguments(study)


def run(arguments: argparse.Namespace) -> int:
    """Run the study that is named."""
    module, _ = _STUDIES[arguments.study]
    code: int = importlib.import_module(module).run(arguments)
    return code
