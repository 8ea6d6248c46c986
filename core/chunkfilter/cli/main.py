"""The command ``chunkfilter``: finds the command, runs it, turns errors into exit codes.

A command is a module with two functions, and a line in ``COMMANDS``:

- ``add_arguments(parser)`` declares its arguments;
- ``run(arguments)`` does the work and returns the exit code.

Exit codes: 0 done, 1 a check failed, 2 bad input, 130 interrupted.
"""

import argparse
import importlib
import io
import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import chunkfilter
from chunkfilter.cli.output import (
    BAD_INPUT,
    BROKEN_PIPE,
    INTERRUPTED,
    complain,
    log_to_stderr,
    progress_lines,
)
from chunkfilter.errors import ChunkFilterError, MissingSignalError


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the command line.

    Args:
        module: where it is; imported only when it is run.
        help: one line for ``chunkfilter --help``.
    """

    module: str
    help: str


COMMANDS: dict[str, Command] = {
    "demo": Command("chunkfilter.cli.demo", "measure the embedded corpus and print the table"),
    "filter": Command("chunkfilter.cli.filter", "write the chunks that are not redundant"),
    "compare": Command("chunkfilter.cli.compare", "measure what policies do to retrieval"),
    "analyse": Command("chunkfilter.cli.analyse", "say what a set of chunks repeats, and why"),
    "tune": Command("chunkfilter.cli.tune", "find the boldest policy that passes, on documents apart"),
    "inspect": Command("chunkfilter.cli.inspect_store", "report what a vector store holds"),
    "evaluate": Command("chunkfilter.cli.evaluate_store", "measure what a vector store's retrieval is worth"),
    "explain": Command("chunkfilter.cli.explain", "show each removed chunk beside those that cover it"),
    "verify": Command("chunkfilter.cli.verify", "prove a saved result from its texts"),
    "prune": Command("chunkfilter.cli.prune", "plan what to remove from a vector store, and apply it"),
    "undo": Command("chunkfilter.cli.undo", "restore what a plan deleted from a vector store"),
    "plan": Command("chunkfilter.cli.plan", "show or delete a plan"),
    "study": Command("chunkfilter.studies.command", "measure again what published studies measured"),
    "cache": Command("chunkfilter.cli.cache", "show or clear the vectors that compare stored"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: the arguments after ``chunkfilter``; by default those of the process.

    Returns:
        The exit code.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without Unicode still shows the rest
    with progress_lines(), log_to_stderr(logging.getLogger("chunkfilter")):
        try:
            arguments = _parser(words).parse_args(words)
            code: int = importlib.import_module(COMMANDS[arguments.command].module).run(arguments)
            sys.stdout.flush()
        except (ChunkFilterError, OSError) as error:
            if isinstance(error, BrokenPipeError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing left to flush into
                return BROKEN_PIPE
            complain(f"{error}{_options_for(error)}")
            return BAD_INPUT
        except KeyboardInterrupt:
            complain("interrupted")
            return INTERRUPTED
    return code


def _options_for(error: Exception) -> str:
    """The options that give a signal which an error misses."""
    options = [f"--{signal}" for signal in ("embedder", "entities") if signal in str(error)]
    found = isinstance(error, MissingSignalError) and options
    return f" (on the command line: {', '.join(options)})" if found else ""


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser, with the arguments of the command that is named and of no other."""
    parser = argparse.ArgumentParser(
        prog="chunkfilter",
        description="Remove redundant chunks, name what covers each, measure what that does to retrieval.",
    )
    parser.add_argument("--version", action="version", version=f"chunkfilter {chunkfilter.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    named = next((word for word in words if not word.startswith("-")), None)
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(name, help=command.help, description=f"{command.help}.".capitalize())
        if name == named:
            importlib.import_module(command.module).add_arguments(subparser)
    return parser
