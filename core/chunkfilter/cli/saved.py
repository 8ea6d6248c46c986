"""A saved result together with the chunks it is about, for the commands that look back."""

import argparse
from pathlib import Path

from chunkfilter.cli.chunks import Input, add_chunk_arguments, read_input
from chunkfilter.cli.output import add_json_argument
from chunkfilter.errors import InputError
from chunkfilter.evaluate.datasets.reading import first_object
from chunkfilter.result import FilterResult
from chunkfilter.result_file import FORMAT


def add_saved_arguments(parser: argparse.ArgumentParser) -> None:
    """``RESULT TEXTS`` and what reading the texts needs."""
    parser.add_argument("result", metavar="RESULT", type=Path, help="a result saved by filter --result")
    add_chunk_arguments(parser, "TEXTS")
    add_json_argument(parser)


def read_saved(arguments: argparse.Namespace) -> tuple[FilterResult, Input]:
    """The result and the chunks.

    Raises:
        ResultFileError: the result cannot be read.
        DatasetError: the texts cannot be read.
        InputError: the two are swapped.
    """
    if first_object(arguments.texts).get("format") == FORMAT:
        raise InputError(
            f"TEXTS: {arguments.texts} is a saved result; expected RESULT first, then the texts it is about"
        )
    return FilterResult.load(arguments.result), read_input(arguments)
