"""Files of JSON lines that tell by themselves whether they are complete and unaltered."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunkfilter.errors import ChunkFilterError
from chunkfilter.storage.files import replacing


@dataclass(frozen=True, slots=True)
class Form:
    """What a JSON value may be.

    Args:
        words: for a message, for example ``text``.
        fits: whether a value is of this form.
    """

    words: str
    fits: Callable[[Any], bool]

    def or_null(self) -> "Form":
        """This form, or null."""
        return Form(f"{self.words} or null", lambda value: value is None or self.fits(value))


def is_count(value: object) -> bool:
    """Whether a JSON value is a whole number of at least 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


TEXT = Form("text", lambda value: isinstance(value, str))
FLAG = Form("true or false", lambda value: isinstance(value, bool))
COUNT = Form("a whole number of at least 0", is_count)
NUMBER = Form("a number", lambda value: isinstance(value, int | float) and not isinstance(value, bool))
TEXTS = Form("a list of texts", lambda value: isinstance(value, list) and all(map(TEXT.fits, value)))
COUNTS = Form(
    "a list of whole numbers of at least 0",
    lambda value: isinstance(value, list) and all(map(is_count, value)),
)


@dataclass(frozen=True, slots=True)
class LinesFile:
    """A kind of file of JSON objects, one a line: a header, entries, and a digest of all lines before.

    Args:
        kind: what it is, for example ``result``; a file of another kind is refused.
        version: of the format; a file of another version is refused.
        error: what is raised over a file that cannot be used.
        way_out: what a user can do about such a file.
        private: only its owner may read it.
    """

    kind: str
    version: int
    error: type[ChunkFilterError]
    way_out: str
    private: bool = False

    @property
    def format(self) -> str:
        """The value of ``format`` in the header."""
        return f"chunkfilter-{self.kind}"

    def write(self, path: Path, header: Mapping[str, Any], entries: Iterable[Mapping[str, Any]]) -> str:
        """Write a file; an earlier one of that name is replaced only by a complete one.

        Args:
            path: the file.
            header: values of the first line.
            entries: JSON values, one a line.

        Returns:
            The digest of its lines.

        Raises:
            InputError: see :func:`replacing`.
            OSError: the file cannot be written.
        """
        whole = hashlib.sha256()
        with replacing(path, private=self.private) as file:
            for entry in self._with_header(header, entries):
                line = json.dumps(entry, ensure_ascii=True, separators=(",", ":")) + "\n"
                whole.update(line.encode())
                file.write(line)
            file.write(json.dumps({"end": whole.hexdigest()}) + "\n")
        return whole.hexdigest()

    def _with_header(
        self, header: Mapping[str, Any], entries: Iterable[Mapping[str, Any]]
    ) -> Iterator[Mapping[str, Any]]:
        yield {"format": self.format, "version": self.version, **header}
        yield from entries

    def read(self, path: Path, digest: str | None = None) -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
        """The header, and the entries one by one; the whole file is checked before the first is given.

        Args:
            path: the file.
            digest: what :meth:`write` returned for it; ``None`` if that is not known.

        Raises:
            ChunkFilterError: the one of this kind of file. It is truncated, altered, foreign, of another
                version, or not the one that the digest is of; the file, the line and the way out are named.
            OSError: the file cannot be read.
        """
        with path.open("rb") as file:
            header = self._header(path, file.readline())
        found = self._checked_end(path)
        if digest is not None and digest != found:
            raise self._refusal(f"{path}: complete, but not the file that was written here")
        return header, self._entries(path)

    def check(self, path: Path, line: int, values: Mapping[str, Any], forms: Mapping[str, Form]) -> None:
        """Do nothing if a line has the values that it needs.

        Args:
            path: the file, for the message.
            line: number of the line, from 1, for the message.
            values: the line.
            forms: key -> what its value must be; other keys may hold anything.

        Raises:
            ChunkFilterError: the one of this kind of file; the line, the key and the value are named.
        """
        for key, form in forms.items():
            if key not in values:
                raise self.error(f"{path}: line {line}: lacks {key!r}; expected {form.words}")
            if not form.fits(values[key]):
                raise self.error(
                    f"{path}: line {line}: {key!r}: expected {form.words}, got {values[key]!r:.60}"
                )

    def _header(self, path: Path, line: bytes) -> dict[str, Any]:
        header = self._parsed(path, 1, line) if line else {}
        if header.get("format") != self.format:
            raise self.error(f"{path}: line 1: expected the header of a {self.format} file")
        if header.get("version") != self.version:
            raise self.error(
                f"{path}: format version {header.get('version')!r:.20}; this chunkfilter reads "
                f"{self.version}: upgrade it, or use the chunkfilter that wrote the file"
            )
        return header

    def _checked_end(self, path: Path) -> str:
        """Compare the digest on the last line with the lines before it; returns it."""
        whole, last, number = hashlib.sha256(), b"", 0
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):  # noqa: B007  # the number of the last line
                whole.update(last)
                last = line
        if number < 2 or self._parsed(path, number, last).get("end") != whole.hexdigest():
            raise self._refusal(f"{path}: line {number}: the file is truncated or was altered")
        return whole.hexdigest()

    def _entries(self, path: Path) -> Iterator[dict[str, Any]]:
        with path.open("rb") as file:
            file.readline()
            before = file.readline()
            for number, line in enumerate(file, start=2):
                yield self._parsed(path, number, before)
                before = line

    def _parsed(self, path: Path, number: int, line: bytes) -> dict[str, Any]:
        try:
            entry = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError:
            raise self._refusal(f"{path}: not a text file; expected a {self.format} file") from None
        except (ValueError, RecursionError):
            entry = None
        if not isinstance(entry, dict):
            raise self._refusal(f"{path}: line {number}: expected a JSON object, got {line!r:.60}")
        return entry

    def _refusal(self, problem: str) -> ChunkFilterError:
        return self.error(f"{problem}; {self.way_out}")
