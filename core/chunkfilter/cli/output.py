"""What commands write: results to stdout, everything else to stderr; foreign text made inert."""

import argparse
import contextlib
import io
import json
import logging
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from chunkfilter.chunk import Chunk
from chunkfilter.errors import InputError
from chunkfilter.storage import replacing
from chunkfilter.text.inert import inert, inert_line

logger = logging.getLogger("chunkfilter")

#: Problems of a data set that are named one by one.
_NAMED_PROBLEMS = 3
#: Seconds between two lines of progress where stderr is no terminal.
_EVERY = 10.0

#: Exit codes.
DONE = 0
CHECK_FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141

#: Marks around parts of a foreign text.
OPEN, CLOSE = "⟦", "⟧"
_ESCAPED = str.maketrans({mark: f"\\u{ord(mark):04x}" for mark in (OPEN, CLOSE)})


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """``--json``, as every command has it."""
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


def warn_of_problems(name: str, problems: Sequence[str]) -> None:
    """Name the first problems of a data set, and count the others."""
    for problem in problems[:_NAMED_PROBLEMS]:
        logger.warning("%s: %s", name, problem)
    if len(problems) > _NAMED_PROBLEMS:
        logger.warning("%s: %d more problems", name, len(problems) - _NAMED_PROBLEMS)


def write_records(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write JSON lines; the file is replaced whole or not at all."""
    with replacing(path) as file:
        for record in records:
            line = json.dumps(record, ensure_ascii=False)
            if not line.isprintable():  # a lone surrogate can only be written escaped
                line = json.dumps(record)
            file.write(line + "\n")


def quoted(text: str) -> str:
    """A foreign text as the lines of a block, each behind a bar, so that none can pass for ours."""
    return "\n".join(f"  | {inert_line(line)}" for line in text.split("\n"))


def block(what: str, position: int, chunk: Chunk, text: str | None = None) -> str:
    """A chunk as a line of names over the quoted text.

    Args:
        what: what happened to the chunk.
        position: where it stood in the input.
        chunk: the chunk.
        text: its text as it should appear, with marks for example; its own if ``None``.
    """
    named = (("id", chunk.id), ("source", chunk.source))
    about = [f"{key} {inert_line(value)}" for key, value in named if value]
    head = f"{what}: chunk {', '.join([str(position), *about])}"
    return f"{head}\n{quoted(chunk.text if text is None else text)}"


def chunk_json(position: int, chunk: Chunk) -> dict[str, Any]:
    """A chunk for machines."""
    return {"index": position, "id": chunk.id, "source": chunk.source, "text": chunk.text}


def marked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    r"""The text with ``⟦ ⟧`` around each part; parts that overlap are marked as one.

    Args:
        text: any text; a mark of its own appears as ``\u27e6`` or ``\u27e7``.
        spans: (start, end) in characters, end exclusive, in any order.
    """
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    parts, reached = [], 0
    for start, end in joined:
        parts += [text[reached:start].translate(_ESCAPED), OPEN, text[start:end].translate(_ESCAPED), CLOSE]
        reached = end
    return "".join([*parts, text[reached:].translate(_ESCAPED)])


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


def shows_progress() -> bool:
    """Whether long steps draw a bar: always; :func:`progress_lines` makes lines of it where nobody looks."""
    return True


class ProgressLines(io.TextIOBase):
    """A stream that is no terminal: of a bar drawn over itself it gets a line every ten seconds.

    Args:
        stream: what is written to.
        clock: seconds that only grow.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._told = clock()
        self._drawing = False

    def write(self, text: str, /) -> int:
        """Pass the text on; a bar, which begins with a carriage return, only if its time has come."""
        if text.startswith("\r"):
            self._drawing = True
            line = text.strip()
            if line and self._clock() - self._told >= _EVERY:
                self._told = self._clock()
                self._stream.write(f"{line}\n")
        elif not (self._drawing and text == "\n"):  # the end of a bar
            self._drawing = False
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the stream."""
        self._stream.flush()


@contextlib.contextmanager
def progress_lines() -> Iterator[None]:
    """Bars on stderr are lines where nobody looks at it."""
    if sys.stderr.isatty():
        yield
        return
    with contextlib.redirect_stderr(ProgressLines(sys.stderr)):
        yield


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
