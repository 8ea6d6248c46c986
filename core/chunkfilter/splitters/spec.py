"""What a splitter is, and how the plain text that names one is read: ``NAME:FIELD:key=value``."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from chunkfilter.chunk import Span
from chunkfilter.errors import SplitterError
from chunkfilter.signals.embedders import Embedder

#: Largest size a spec may ask for, in characters or tokens.
LARGEST_SIZE = 1_000_000

_DIGITS = re.compile("[0-9]{1,9}")
_DECIMAL = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


class Splitter(Protocol):
    """Decides where a text is cut."""

    def __call__(self, text: str, /) -> list[tuple[Span, ...]]:
        """The spans of each chunk, chunks in reading order.

        A chunk cut in one piece has one span; one gathered from several places has several, ascending.
        Spans are not empty, in characters, end exclusive.
        """
        ...


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

    def allows(self, value: str) -> bool:
        """Whether a written value is a number within the bounds."""
        written = (_DIGITS if self.whole else _DECIMAL).fullmatch(value)
        return written is not None and self.low <= float(value) <= self.high

    @property
    def expected(self) -> str:
        """What is allowed, for errors."""
        return f"a {'whole ' * self.whole}number from {self.low:.10g} to {self.high:.10g}"


@dataclass(frozen=True, slots=True)
class Choice:
    """A field that holds one of several names, ``default`` where it is left out."""

    names: tuple[str, ...]
    default: str

    def allows(self, value: str) -> bool:
        """Whether a written value is one of the names."""
        return value in self.names

    @property
    def expected(self) -> str:
        """What is allowed, for errors."""
        return f"one of {', '.join(self.names)}"


@dataclass(frozen=True, slots=True)
class Options:
    """The values of the fields of a spec, defaults filled in.

    Args:
        numbers: by field; optional ones without a default are missing where they are left out.
        choices: by field.
    """

    numbers: Mapping[str, float]
    choices: Mapping[str, str]

    def whole(self, name: str) -> int:
        """The value of a field of whole numbers."""
        return int(self.numbers[name])


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
        """The value of one field of a spec whose fields all have a fixed place.

        Args:
            field: its place after the name, from 0.
            low: smallest allowed value.
            high: largest allowed value.

        Raises:
            SplitterError: too many or too few fields, no whole number, or out of bounds.
        """
        names = self.form.split(":")[1:]
        if len(self.values) != len(names):
            raise self.error(f"got {len(self.values)} fields; expected {self.form}")
        return int(self._checked(names[field], self.values[field], Number(low, high, whole=True)))

    def size_and_overlap(self, smallest: int) -> tuple[int, int]:
        """The fields of ``NAME:SIZE:OVERLAP``, where the overlap is smaller than the size.

        Args:
            smallest: smallest allowed size.

        Raises:
            SplitterError: as :meth:`whole_number`.
        """
        size = self.whole_number(0, smallest, LARGEST_SIZE)
        return size, self.whole_number(1, 0, size - 1)

    def options(self, fields: Mapping[str, Number | Choice], positional: tuple[str, ...] = ()) -> Options:
        """The values of fields written ``key=value``, in any order.

        Args:
            fields: every field the splitter knows, by key.
            positional: keys that may be left out where their values come first, in this order.

        Raises:
            SplitterError: an unknown field, one given twice or missing, or a value out of bounds.
        """
        given = self._given(positional)
        unknown = [key for key in given if key not in fields]
        missing = [
            key
            for key, field in fields.items()
            if isinstance(field, Number) and field.required and key not in given
        ]
        if unknown:
            raise self.error(f"unknown field {unknown[0]!r:.40}; expected {self.form}")
        if missing:
            raise self.error(f"the field {missing[0]!r} is missing; expected {self.form}")
        numbers: dict[str, float] = {}
        choices: dict[str, str] = {}
        for key, field in fields.items():
            if isinstance(field, Choice):
                choices[key] = self._checked(key, given.get(key, field.default), field)
            elif key in given:
                numbers[key] = float(self._checked(key, given[key], field))
            elif field.default is not None:
                numbers[key] = field.default
        return Options(numbers, choices)

    def only_one(self, options: Options, keys: tuple[str, ...]) -> str:
        """The one of several keys that is given.

        Raises:
            SplitterError: none of them is given, or more than one.
        """
        given = [key for key in keys if key in options.numbers]
        if len(given) != 1:
            raise self.error(
                f"got {' and '.join(given) or 'none'} of {', '.join(keys)}; expected one of them"
            )
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

    def _checked(self, name: str, value: str, field: Number | Choice) -> str:
        if not field.allows(value):
            raise self.error(f"{name} is {value!r:.40}; expected {field.expected}")
        return value


@dataclass(frozen=True, slots=True)
class SplitterKind:
    """A splitter that a spec can name.

    Args:
        form: how its spec is written, ``NAME:FIELD:FIELD``.
        read: makes the splitter from a spec and the caller's embedder, which most splitters ignore.
    """

    form: str
    read: Callable[[Spec, Embedder | None], Splitter]
