"""``chunkfilter analyse IN``: what a set of chunks repeats, and why."""

import argparse

from chunkfilter.cli.arguments import add_chunk_arguments
from chunkfilter.cli.input import read_input
from chunkfilter.cli.output import DONE, add_json_argument, say, say_json
from chunkfilter.errors import InputError
from chunkfilter.evaluate.analyse import MANY, Redundancy, analyse
from chunkfilter.evaluate.report import aligned


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_chunk_arguments(parser, "IN")
    parser.add_argument(
        "--many",
        metavar="N",
        type=int,
        default=MANY,
        help="sources in which a passage stands to be boilerplate (default: %(default)s)",
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Analyse and print."""
    if arguments.existing is not None:
        raise InputError("--existing: analyse looks at one set of chunks; expected none")
    given = read_input(arguments)
    found = analyse(given.chunks, embedder=given.embedder, entities=given.entities, many=arguments.many)
    if arguments.json:
        say_json(found.as_dict())
    else:
        say(_text(found))
    return DONE


def _text(found: Redundancy) -> str:
    values = found.as_dict()
    cells = [["class", "chunks", "%", "% of characters"]]
    for name, counts in values["classes"].items():
        shares = (counts["share"], counts["share_of_characters"])
        cells.append([name, str(counts["chunks"]), *(f"{100 * share:.2f}" for share in shares)])
    lines = [
        f"{values['chunks']} chunks, {values['characters']} characters; each in the first class that fits",
        "",
        aligned(cells),
        "",
        f"{100 * found.overlapping:.1f} % of the characters stand in an earlier chunk too, cut with overlap;",
        f"{100 * found.repeated:.1f} % of the words lie in runs of five that stand in an earlier chunk.",
        f"boilerplate: at least half of it stands in {found.many} or more sources; copies of a whole",
        "document count as one source.",
    ]
    if "entities" not in found.chunks:
        lines.append("entities: not looked at (--entities package:en_core_web_sm).")
    return "\n".join(lines)
