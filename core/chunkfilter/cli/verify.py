"""``chunkfilter verify RESULT TEXTS``: does every line of a saved result hold?"""

import argparse

from chunkfilter.cli.output import CHECK_FAILED, DONE, say, say_json
from chunkfilter.cli.saved import add_saved_arguments, read_saved
from chunkfilter.errors import CertificateError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_saved_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check, and say what does not hold."""
    result, given = read_saved(arguments)
    problem = None
    try:
        result.verify(given.chunks, against=given.against, embedder=given.embedder, entities=given.entities)
    except CertificateError as error:
        problem = str(error)
    if arguments.json:
        say_json({"holds": problem is None, "removed": len(result.removed), "problem": problem})
    elif problem is None:
        say(f"all {len(result.removed)} removals hold, policy {result.policy}")
    else:
        say(f"does not hold: {problem}")
    return DONE if problem is None else CHECK_FAILED
