"""Files into text, lines and fields; what is wrong is named by file, line and value."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunkfilter.errors import DatasetError

#: Keys named of an object that lacks one.
_NAMED = 8


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, line ends as they are, without a byte order mark.

    Raises:
        DatasetError: the file cannot be read, or is not UTF-8; the line is named.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DatasetError(
            f"{path}: line {line}: byte 0x{content[error.start]:02x} is not UTF-8; expected a UTF-8 text"
        ) from None


def first_line(path: Path) -> str:
    """The first line that is not blank, empty if the file is no text; for telling formats apart."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            return next((line for line in file if line.strip()), "")
    except (OSError, UnicodeDecodeError):
        return ""


def first_object(path: Path) -> dict[str, Any]:
    """The JSON object on the first line, empty if there is none; for telling formats apart."""
    try:
        value = json.loads(first_line(path))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Entry:
    """One object of a file, which knows where it was read. A value of another kind is a ``DatasetError``.

    Args:
        place: file and line, or file and path in the JSON, for errors.
        values: the object.
    """

    place: str
    values: Mapping[str, Any]

    def text(self, key: str) -> str:
        """A value that must be a text."""
        value = self.values.get(key)
        if not isinstance(value, str):
            there = ", ".join(map(repr, list(self.values)[:_NAMED])) or "none"
            keys = "" if key in self.values else f"; the keys are {there:.200}"
            raise DatasetError(f"{self.place}: {key!r} is {value!r:.80}; expected a text{keys}")
        return value

    def offset(self, key: str) -> int:
        """A value that must be a position in a text: a whole number from 0."""
        value = self.values.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise DatasetError(f"{self.place}: {key!r} is {value!r:.80}; expected a whole number from 0")
        return value

    def texts(self, key: str) -> list[str]:
        """A value that must be a list of texts."""
        return self._list(key, str, "texts")

    def objects(self, key: str) -> "list[Entry]":
        """A value that must be a list of objects."""
        listed = self._list(key, dict, "objects")
        return [Entry(f"{self.place}, {key}[{number}]", item) for number, item in enumerate(listed)]

    def _list(self, key: str, kind: type, expected: str) -> list[Any]:
        value = self.values.get(key)
        if not isinstance(value, list) or not all(isinstance(item, kind) for item in value):
            raise DatasetError(f"{self.place}: {key!r} is {value!r:.80}; expected a list of {expected}")
        return value


def json_lines(path: Path) -> Iterator[Entry]:
    """The objects of a JSON lines file; blank lines are passed over.

    Raises:
        DatasetError: a line is not a JSON object.
    """
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield Entry(f"{path}: line {number}", _object(line, f"{path}: line {number}"))


def _object(text: str, place: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{place}: not JSON ({error}): {text!r:.80}; expected an object") from None
    if not isinstance(value, dict):
        raise DatasetError(f"{place}: got {value!r:.80}; expected a JSON object")
    return value


def json_object(path: Path) -> Entry:
    """The object that a JSON file holds.

    Raises:
        DatasetError: the file is not JSON, or holds something else.
    """
    return Entry(str(path), _object(read_text(path), str(path)))
