"""The one thing that is filtered: a piece of text and where it came from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from chunkfilter.errors import InputError

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """A piece of text, with the place it was cut from.

    Chunks are compared by identity: two chunks with equal texts are two chunks.

    Args:
        text: the text itself; never changed by chunkfilter.
        id: the caller's name for it. Filters work by position; an id is only reported.
        metadata: the caller's mapping. Only the keys named by a policy's ``scope`` and ``keep`` are read.
        source: the document it came from; ``None`` if unknown.
        spans: ``((start, end), ...)`` in the source, in characters, end exclusive, ascending.
            Several spans for chunks put together from several places.

    Raises:
        InputError: the text is not a ``str``, the metadata no mapping, or a span not ``0 <= start <= end``.
    """

    text: str
    id: str | None = None
    metadata: Mapping[str, Any] | None = None
    source: str | None = None
    spans: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise InputError(f"chunk {self.id!r}: text is {self.text!r}; expected a str")
        if self.metadata is not None and not isinstance(self.metadata, Mapping):
            raise InputError(f"chunk {self.id!r}: metadata is {self.metadata!r:.80}; expected a mapping")
        if type(self.spans) is not tuple and not isinstance(self.spans, Sequence):  # the first is quick
            raise InputError(f"chunk {self.id!r}: spans are {self.spans!r}; expected ((start, end), ...)")
        for span in self.spans:
            if not _is_span(span):
                raise InputError(f"chunk {self.id!r}: span {span}; expected 0 <= start <= end")

    @property
    def start(self) -> int | None:
        """First character of the chunk in its source, ``None`` without spans."""
        return self.spans[0][0] if self.spans else None

    @property
    def end(self) -> int | None:
        """One past the last character of the chunk in its source, ``None`` without spans."""
        return max(end for _, end in self.spans) if self.spans else None


def _is_span(span: object) -> bool:
    if not isinstance(span, Sequence) or len(span) != 2:
        return False
    start, end = span
    return isinstance(start, Integral) and isinstance(end, Integral) and 0 <= int(start) <= int(end)


def as_chunks(items: Iterable[Chunk | str], what: str = "chunk") -> list[Chunk]:
    """Wrap plain strings; refuse anything that is neither.

    Args:
        items: chunks or strings.
        what: how an item is called in an error.

    Raises:
        InputError: an item is neither a ``Chunk`` nor a ``str``; it is named by its position.
    """
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
        one = "one " if isinstance(items, str | bytes) else ""
        raise InputError(f"{what}s: got {one}{type(items).__name__}; expected an iterable of Chunk or str")
    chunks: list[Chunk] = []
    for position, item in enumerate(items):
        if isinstance(item, Chunk):
            chunks.append(item)
        elif isinstance(item, str):
            chunks.append(Chunk(item))
        else:
            raise InputError(f"{what} {position}: got {item!r:.200}; expected a Chunk or a str")
    return chunks
