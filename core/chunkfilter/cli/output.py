"""What commands write: results to stdout, everything else to stderr; foreign text made inert."""

import argparse
import contextlib
import json
import logging
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from chunkfilter.errors import InputError
from chunkfilter.text.inert import inert, inert_line

logger = logging.getLogger("chunkfilter")

#: Problems of a data set that are named one by one.
_NAMED_PROBLEMS = 3

DONE = 0
CHECK_FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """``--json``, the same for every command."""
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def say(text: str) -> None:
    """A line of the result, or several, on stdout, inert."""
    sys.stdout.write(inert(text) + "\n")


def say_json(value: Any) -> None:
    """The result as one JSON object on stdout; every character beyond ASCII is escaped."""
    sys.stdout.write(json.dumps(value, ensure_ascii=True, allow_nan=False) + "\n")


def complain(text: str) -> None:
    """A message on stderr, inert."""
    sys.stderr.write(f"chunkfilter: {inert(text)}\n")


def quoted(text: str) -> str:
    """A foreign text as the lines of a block, each behind a bar, so that none can pass for ours."""
    return "\n".join(f"  | {inert_line(line)}" for line in text.split("\n"))


def warn_of_problems(name: str, problems: Sequence[str]) -> None:
    """Name the first problems of a data set, and count the others."""
    for problem in problems[:_NAMED_PROBLEMS]:
        logger.warning("%s: %s", name, problem)
    if len(problems) > _NAMED_PROBLEMS:
        logger.warning("%s: %d more problems", name, len(problems) - _NAMED_PROBLEMS)


def shows_progress() -> bool:
    """Whether bars make sense: somebody is looking at stderr."""
    return sys.stderr.isatty()


class _InertFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return inert(super().format(record))


@contextlib.contextmanager
def log_to_stderr(logger: logging.Logger) -> Iterator[None]:
    """Warnings of the library on stderr while a command runs."""
    handler = logging.StreamHandler()
    handler.setFormatter(_InertFormatter("chunkfilter: %(levelname)s: %(message)s"))
    handler.setLevel(logging.WARNING)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def refuse_overwriting(outputs: dict[str, Path | None], inputs: dict[str, Path | None]) -> None:
    """Raise if a file that is written is one that is read, or is written twice.

    Args:
        outputs: name of the argument -> path.
        inputs: likewise.

    Raises:
        InputError: naming both arguments.
    """
    taken = {path.resolve(): name for name, path in inputs.items() if path is not None}
    for name, path in outputs.items():
        if path is None:
            continue
        other = taken.setdefault(path.resolve(), name)
        if other != name:
            raise InputError(f"{name} {path}: is the same file as {other}; expected another")
