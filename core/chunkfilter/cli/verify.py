"""``chunkfilter verify RESULT TEXTS``: does every line of a saved result hold?"""

import argparse

from chunkfilter.cli.arguments import add_saved_arguments
from chunkfilter.cli.input import read_saved
from chunkfilter.cli.output import CHECK_FAILED, DONE, say, say_json
from chunkfilter.errors import CertificateError, ResultFileError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_saved_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check, and say what does not hold."""
    try:
        result, given = read_saved(arguments)
        result.verify(given.chunks, existing=given.existing, embedder=given.embedder, entities=given.entities)
    except (CertificateError, ResultFileError) as error:
        if arguments.json:
            say_json({"holds": False, "removed": None, "problem": str(error)})
        else:
            say(f"{arguments.result} does not hold for {arguments.texts}: {error}")
        return CHECK_FAILED
    if arguments.json:
        say_json({"holds": True, "removed": len(result.removed), "problem": None})
    else:
        say(f"all {len(result.removed)} removals hold, policy {result.policy}")
    return DONE
