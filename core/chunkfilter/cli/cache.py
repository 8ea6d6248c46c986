"""``chunkfilter cache info | clear``: the vectors and entities that earlier runs stored."""

import argparse
from pathlib import Path

from chunkfilter.cli.output import DONE, add_json_argument, say, say_json
from chunkfilter.evaluate.vector_cache import ENVIRONMENT_VARIABLE, VectorCache


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("info", "clear"), help="show what is stored, or delete it")
    parser.add_argument(
        "--cache",
        metavar="FOLDER",
        type=Path,
        help=f"the cache's folder (default: {ENVIRONMENT_VARIABLE}, else the user's cache folder)",
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show, and delete if asked to."""
    cache = VectorCache(arguments.cache)
    info = cache.info()
    cleared = arguments.action == "clear"
    if cleared:
        cache.clear()
    if arguments.json:
        say_json({"path": str(info.path), "bytes": info.bytes, "vectors": info.vectors, "cleared": cleared})
        return DONE
    for model, count in info.vectors.items():
        say(f"{count:>9} entries of {model}")
    say(f"{info.path}: {info.bytes / 1e6:.1f} MB{', deleted' if cleared else ''}")
    return DONE
