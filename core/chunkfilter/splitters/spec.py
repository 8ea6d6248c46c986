"""What a splitter is, and how the plain text that names one is read: ``NAME:FIELD:FIELD``."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from chunkfilter.chunk import Span
from chunkfilter.errors import SplitterError
from chunkfilter.signals.embedders import Embedder

#: Largest size a spec may ask for, in characters or tokens.
LARGEST_SIZE = 1_000_000

_DIGITS = re.compile("[0-9]{1,9}")


class Splitter(Protocol):
    """Decides where a text is cut."""

    def __call__(self, text: str, /) -> list[tuple[Span, ...]]:
        """The spans of each chunk, chunks in reading order.

        A chunk cut in one piece has one span; one gathered from several places has several, ascending.
        Spans are not empty, in characters, end exclusive.
        """
        ...


@dataclass(frozen=True, slots=True)
class Spec:
    """A spec taken apart.

    Args:
        text: as it was written, for errors.
        form: how the splitter's spec is written, ``NAME:FIELD:FIELD``.
        values: what stands after the name.
    """

    text: str
    form: str
    values: tuple[str, ...]

    def whole_number(self, field: int, low: int, high: int) -> int:
        """The value of one field.

        Args:
            field: its place after the name, from 0.
            low: smallest allowed value.
            high: largest allowed value.

        Raises:
            SplitterError: too many or too few fields, no whole number, or out of bounds.
        """
        names = self.form.split(":")[1:]
        if len(self.values) != len(names):
            raise SplitterError(
                f"splitter {self.text!r:.80}: got {len(self.values)} fields; expected {self.form}"
            )
        value = self.values[field]
        if not (_DIGITS.fullmatch(value) and low <= int(value) <= high):
            raise SplitterError(
                f"splitter {self.text!r:.80}: {names[field]} is {value!r:.40}; "
                f"expected a whole number from {low} to {high}"
            )
        return int(value)

    def size_and_overlap(self, smallest: int) -> tuple[int, int]:
        """The fields of ``NAME:SIZE:OVERLAP``, where the overlap is smaller than the size.

        Args:
            smallest: smallest allowed size.

        Raises:
            SplitterError: as :meth:`whole_number`.
        """
        size = self.whole_number(0, smallest, LARGEST_SIZE)
        return size, self.whole_number(1, 0, size - 1)


@dataclass(frozen=True, slots=True)
class SplitterKind:
    """A splitter that a spec can name.

    Args:
        form: how its spec is written, ``NAME:FIELD:FIELD``.
        read: makes the splitter from a spec and the caller's embedder, which most splitters ignore.
    """

    form: str
    read: Callable[[Spec, Embedder | None], Splitter]
