"""Texts put together from parts, and where each part then stands; names that are not given twice."""

from collections.abc import Sequence
from dataclasses import replace

from chunkfilter.chunk import Span
from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.questions import Question


def joined(parts: Sequence[str], between: str) -> tuple[str, list[Span]]:
    """The parts with something between them, and the span of each.

    Args:
        parts: the parts in order.
        between: what stands between two of them.
    """
    spans: list[Span] = []
    start = 0
    for part in parts:
        spans.append((start, start + len(part)))
        start += len(part) + len(between)
    return between.join(parts), spans


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


class NamedQuestions:
    """Questions in the order in which they are read, no two of one name."""

    def __init__(self) -> None:
        self.all: list[Question] = []
        self._first: dict[str, tuple[str, str]] = {}
        self._records: dict[str, int] = {}

    def add(self, question: Question, place: str) -> None:
        """Append a question; a second record of it, such as with another answer, gets a number as well.

        Args:
            question: the question.
            place: where it stands, for errors.

        Raises:
            DatasetError: its name is that of another question.
        """
        text, first = self._first.setdefault(question.id, (question.text, place))
        if text != question.text:
            raise DatasetError(
                f"{place}: id {question.id!r} is that of another question, at {first}; "
                "expected one of its own"
            )
        number = self._records[question.id] = self._records.get(question.id, 0) + 1
        self.all.append(question if number == 1 else replace(question, id=f"{question.id} ({number})"))
