"""What a splitter is, and how the text that names one is read: ``NAME:FIELD:key=value``."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from chunkfilter.chunk import Span
from chunkfilter.errors import SplitterError
from chunkfilter.signals.embedders import Embedder

#: Decides where a text is cut: the spans of each chunk, chunks in reading order. A chunk cut in one piece has
#: one span, one gathered from several places has several, ascending. Spans are in characters, end exclusive,
#: and never empty.
Splitter = Callable[[str], list[tuple[Span, ...]]]

#: Largest size a spec may ask for, in characters or tokens.
LARGEST_SIZE = 1_000_000

_DIGITS = re.compile("[0-9]{1,9}")
_DECIMAL = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True)
class Number:
    """A field that holds a number.

    Args:
        low: smallest allowed value.
        high: largest allowed value.
        default: its value where the field is left out; ``None`` if it then has none.
        whole: whether only whole numbers are allowed.
        required: whether the field may not be left out.
    """

    low: float
    high: float
    default: float | None = None
    whole: bool = False
    required: bool = False

    def read(self, value: str) -> float | None:
        """A written value, an ``int`` where only whole numbers are allowed; ``None`` if it is not allowed."""
        written = (_DIGITS if self.whole else _DECIMAL).fullmatch(value)
        number = (int(value) if self.whole else float(value)) if written else None
        return number if number is not None and self.low <= number <= self.high else None

    @property
    def expected(self) -> str:
        """What is allowed, for errors."""
        return f"a {'whole ' * self.whole}number from {self.low:.10g} to {self.high:.10g}"


@dataclass(frozen=True, slots=True)
class Choice:
    """A field that holds one of several names, ``default`` where it is left out."""

    names: tuple[str, ...]
    default: str
    required: bool = False

    def read(self, value: str) -> str | None:
        """A written value, ``None`` if it is none of the names."""
        return value if value in self.names else None

    @property
    def expected(self) -> str:
        """What is allowed, for errors."""
        return f"one of {', '.join(self.names)}"


#: The fields that a splitter knows, by key.
Fields = Mapping[str, Number | Choice]


@dataclass(frozen=True, slots=True)
class Spec:
    """One stage of a spec taken apart.

    Args:
        text: as it was written, for errors.
        form: how the splitter's spec is written, ``NAME:FIELD:FIELD``.
        values: what follows the name.
    """

    text: str
    form: str
    values: tuple[str, ...]

    def options(self, fields: Fields, positional: tuple[str, ...] = ()) -> dict[str, Any]:
        """The values of fields written ``key=value`` in any order, defaults filled in.

        Args:
            fields: the fields that the splitter knows.
            positional: keys that may be left out where their values come first, in this order.

        Returns:
            Value by key: ``int`` for whole numbers, ``float`` for others, ``str`` for choices. A field that
            was left out and has no default is missing.

        Raises:
            SplitterError: an unknown field, one given twice or missing, or a value out of bounds.
        """
        given = self._given(positional)
        unknown = [key for key in given if key not in fields]
        if unknown:
            raise self.error(f"unknown field {unknown[0]!r:.40}; expected {self.form}")
        values = {key: field.default for key, field in fields.items() if field.default is not None}
        for key, field in fields.items():
            if key in given:
                value = field.read(given[key])
                if value is None:
                    raise self.error(f"{key} is {given[key]!r:.40}; expected {field.expected}")
                values[key] = value
            elif field.required:
                raise self.error(f"the field {key!r} is missing; expected {self.form}")
        return values

    def size(self, smallest: int = 1, largest: int = LARGEST_SIZE) -> int:
        """The field of ``NAME:SIZE``, within these bounds."""
        size = Number(smallest, largest, whole=True, required=True)
        return int(self.options({"size": size}, ("size",))["size"])

    def size_and_overlap(self, smallest: int) -> tuple[int, int]:
        """The fields of ``NAME:SIZE:OVERLAP``; the overlap is smaller than the size."""
        fields = {
            "size": Number(smallest, LARGEST_SIZE, whole=True, required=True),
            "overlap": Number(0, LARGEST_SIZE, whole=True, required=True),
        }
        options = self.options(fields, ("size", "overlap"))
        self.refuse_overlap(options["overlap"], options["size"])
        return options["size"], options["overlap"]

    def refuse_overlap(self, overlap: int, size: int) -> None:
        """Raise if the overlap is not smaller than the size."""
        if overlap >= size:
            raise self.error(f"overlap is '{overlap}'; expected a whole number from 0 to {size - 1}")

    def only_one(self, options: Mapping[str, Any], keys: tuple[str, ...]) -> str:
        """The one of several keys that is given.

        Raises:
            SplitterError: none of them is given, or more than one.
        """
        given = [key for key in keys if key in options]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            raise self.error(f"got {found} of {', '.join(keys)}; expected one of them")
        return given[0]

    def error(self, message: str) -> SplitterError:
        """An error that names the spec."""
        return SplitterError(f"splitter {self.text!r:.80}: {message}")

    def _given(self, positional: tuple[str, ...]) -> dict[str, str]:
        given: dict[str, str] = {}
        for place, value in enumerate(self.values):
            key, equals, amount = value.partition("=")
            if not equals:
                if list(given) != list(positional[:place]) or place >= len(positional):
                    raise self.error(f"got the field {value!r:.40}; expected {self.form}")
                key, amount = positional[place], value
            if key in given:
                raise self.error(f"the field {key!r:.40} is given twice; expected {self.form}")
            given[key] = amount
        return given


@dataclass(frozen=True, slots=True)
class SplitterKind:
    """A splitter that a spec can name.

    Args:
        form: how its spec is written, ``NAME:FIELD:FIELD``.
        read: makes the splitter from a spec and the caller's embedder, which most splitters ignore.
    """

    form: str
    read: Callable[[Spec, Embedder | None], Splitter]


def plain_splitter(form: str, read: Callable[[Spec], Callable[[str], list[Span]]]) -> SplitterKind:
    """A splitter that needs no embedder and whose chunks have one span each.

    Args:
        form: how its spec is written.
        read: makes from a spec what finds the spans of a text.
    """

    def splitter(spec: Spec, _embedder: Embedder | None) -> Splitter:
        find = read(spec)
        return lambda text: [(span,) for span in find(text)]

    return SplitterKind(form, splitter)
