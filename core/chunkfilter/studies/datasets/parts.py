"""What the readers share: lists and tables in files, texts put together from parts."""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from chunkfilter.chunk import Span
from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.reading import Entry, read_text

#: Longest field of a table, in characters; the csv module's own limit is too small for documents.
_LONGEST_FIELD = 50_000_000


def json_list(path: Path) -> list[Entry]:
    """The objects of the list that a JSON file holds.

    Raises:
        DatasetError: the file is not JSON, or holds something else.
    """
    try:
        value = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{path}: not JSON ({error}); expected a list of objects") from None
    return Entry(str(path), {"list": value}).objects("list")


def table_rows(path: Path, columns: tuple[str, ...], delimiter: str = ",") -> Iterator[Entry]:
    """The rows of a CSV or TSV file as objects.

    Raises:
        DatasetError: a column is missing, or a row has too many or too few fields.
    """
    csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.DictReader(read_text(path).splitlines(keepends=True), delimiter=delimiter, strict=True)
    missing = [column for column in columns if column not in (reader.fieldnames or ())]
    if missing:
        raise DatasetError(
            f"{path}: line 1: the columns are {reader.fieldnames}; expected {', '.join(columns)}"
        )
    try:
        for row in reader:
            if None in row or None in row.values():
                raise DatasetError(
                    f"{path}: line {reader.line_num}: expected {len(reader.fieldnames or ())} fields a row"
                )
            yield Entry(f"{path}: line {reader.line_num}", row)
    except csv.Error as error:
        raise DatasetError(f"{path}: line {reader.line_num}: {error}") from error


def offsets(entry: Entry, key: str) -> list[int]:
    """A value that must be a list of whole numbers from 0.

    Raises:
        DatasetError: it is missing or something else.
    """
    value = entry.values.get(key)
    if not isinstance(value, list):
        raise DatasetError(f"{entry.place}: {key!r} is {value!r:.80}; expected a list of whole numbers")
    return [Entry(entry.place, {f"{key}[{at}]": one}).offset(f"{key}[{at}]") for at, one in enumerate(value)]


def answers(entry: Entry) -> tuple[str, ...]:
    """The one answer of a question, if it has one."""
    return (entry.text("answer"),) if entry.values.get("answer") is not None else ()


def titled(title: str, text: str) -> tuple[str, int]:
    """A document with its title on a line of its own, and where the text begins in it."""
    head = f"{title.strip()}\n\n" if title.strip() else ""
    return head + text, len(head)


def found_in_turn(parts: Sequence[str], text: str) -> list[Span | None]:
    """Where each part stands in a text, each looked for after the one before; ``None`` where it does not."""
    spans: list[Span | None] = []
    after = 0
    for part in parts:
        wanted = part.strip()
        at = text.find(wanted, after) if wanted else -1
        spans.append((at, at + len(wanted)) if at >= 0 else None)
        after = at + len(wanted) if at >= 0 else after
    return spans


class NamedTexts:
    """Texts by name, with a number where several texts have the same."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def add(self, wanted: str, text: str) -> str:
        """The name of a text: the one that is wanted, unless another text has it."""
        name, number = wanted, 1
        while self.texts.setdefault(name, text) != text:
            number += 1
            name = f"{wanted} ({number})"
        return name
