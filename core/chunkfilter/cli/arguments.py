"""Arguments that several commands take, each declared and read in one way."""

import argparse
import re
from collections.abc import Iterable
from pathlib import Path

from chunkfilter.cli.output import add_json_argument

#: How the texts of a folder are cut where no splitter is named.
DEFAULT_CHUNKER = "recursive:400:200"


def add_chunk_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    """What :func:`chunkfilter.cli.input.read_input` reads.

    Args:
        parser: the command's parser.
        name: how the positional argument is called, ``IN`` or ``TEXTS``.
    """
    parser.add_argument(
        "texts",
        metavar=name,
        type=Path,
        help="JSON lines of chunks {id, text, metadata, source}; or documents to be cut: a folder of texts, "
        "with --chunker also one text or a data set",
    )
    parser.add_argument(
        "--chunker",
        metavar="SPEC",
        help=f"how documents are cut, for example recursive:400:0 (default for a folder: {DEFAULT_CHUNKER})",
    )
    parser.add_argument(
        "--existing",
        metavar="FILE",
        type=Path,
        help="chunks indexed earlier, which are always kept: JSON lines, or a folder of texts",
    )
    parser.add_argument("--embedder", metavar="NAME", help="model for policies that need vectors")
    parser.add_argument("--entities", metavar="NAME", help="spaCy model for policies that need entities")
    parser.add_argument(
        "--passage-prefix", metavar="TEXT", default="", help="put before each text, if the model asks for it"
    )


def add_saved_arguments(parser: argparse.ArgumentParser) -> None:
    """``RESULT TEXTS`` and what reading the texts needs, for :func:`chunkfilter.cli.input.read_saved`."""
    parser.add_argument("result", metavar="RESULT", type=Path, help="a result saved by filter --result")
    add_chunk_arguments(parser, "TEXTS")
    add_json_argument(parser)


def add_policies_argument(parser: argparse.ArgumentParser, default: str) -> None:
    """``--policies``, for every command that compares."""
    parser.add_argument(
        "--policies",
        metavar="A;B",
        default=default,
        help="policies, separated by semicolons; similarity@0.6..0.95/0.05 is one at each threshold "
        "(default: %(default)s)",
    )


def listed(text: str | None) -> list[str]:
    """The values of a list, separated by semicolons, without white space around them."""
    return [part.strip() for part in (text or "").split(";") if part.strip()]


def names(text: str) -> tuple[str, ...]:
    """The names of a list; as none holds a comma, commas separate too. For ``type=`` of an argument.

    Raises:
        argparse.ArgumentTypeError: there is none.
    """
    found = tuple(listed(text.replace(",", ";")))
    if not found:
        raise argparse.ArgumentTypeError(f"got {text!r}; expected names separated by commas or semicolons")
    return found


def numbers(text: str) -> tuple[int, ...]:
    """The whole numbers of at least 1 of a list, separated as :func:`names`. For ``type=`` of an argument.

    Raises:
        argparse.ArgumentTypeError: there is none, or something else.
    """
    parts = [part.strip() for part in re.split("[,;]", text)]
    if not all(part.isascii() and part.isdigit() and int(part) >= 1 for part in parts):
        raise argparse.ArgumentTypeError(
            f"got {text!r}; expected whole numbers of at least 1, separated by commas or semicolons"
        )
    return tuple(map(int, parts))


def refuse_wrong_chunkers(specs: Iterable[str]) -> None:
    """Refuse specs that name no splitter, before a model is loaded.

    Raises:
        SplitterError: an unknown splitter, or a value out of bounds.
        MissingSignalError: a splitter needs what the command line cannot give.
        MissingExtraError: an optional dependency of a splitter is not installed.
    """
    from chunkfilter.splitters import read_stages  # imports numpy, which --help does not need

    for spec in specs:
        read_stages(spec, lambda texts: texts)  # any embedder will do: no text is split
