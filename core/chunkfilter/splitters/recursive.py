"""``recursive:SIZE:OVERLAP`` in characters, ``recursive-tokens:SIZE:OVERLAP`` in cl100k tokens.

Cut at blank lines, else lines, ``.``, ``?``, ``!``, spaces, characters; neighbours are merged while they fit.
Tokens are counted piece by piece: a chunk counted as a whole may have one or two more than SIZE. The cuts are
those of langchain-text-splitters. The library returns texts alone; searching for them afterwards is ambiguous
where a text repeats itself and chunks overlap, so here each piece carries its place through the library's own
merging.
"""

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from chunkfilter.chunk import Span
from chunkfilter.errors import MissingExtraError
from chunkfilter.splitters.spec import Spec, plain_splitter
from chunkfilter.splitters.tokens import cl100k, count_tokens

SEPARATORS = ("\n\n", "\n", ".", "?", "!", " ", "")
#: A character is one long; the library leaves pieces alone that are not shorter than the size.
SMALLEST_CHARACTERS = 2
#: A character is up to four bytes, each at most one token.
SMALLEST_TOKENS = 5
#: Texts whose token count is remembered while one text is split: pieces are measured up to eight times.
_REMEMBERED = 10_000


class _Piece(str):
    __slots__ = ("start",)
    start: int


@functools.cache
def placing_splitter() -> Any:
    """The library's recursive splitter with ``spans``, the places of the chunks of the one text that it cuts.

    The library cuts the text into pieces that are contiguous and, separators being kept, complete. It passes
    each once, in reading order, to ``_merge_splits``, which hands every run that becomes a chunk to
    ``_join_docs``.

    Raises:
        MissingExtraError: langchain-text-splitters is not installed.
    """
    try:
        from langchain_text_splitters import RecursiveCharacterTextSplitter
    except ImportError as error:
        raise MissingExtraError("langchain-text-splitters", "splitters", "recursive splitting") from error

    class PlacingSplitter(RecursiveCharacterTextSplitter):
        def __init__(self, **options: Any) -> None:
            super().__init__(separators=list(SEPARATORS), keep_separator=True, **options)
            self.spans: list[Span] = []
            self._cursor = 0

        def _merge_splits(self, splits: Iterable[str], separator: str) -> list[str]:
            return super()._merge_splits(self._placed(splits), separator)

        def _placed(self, splits: Iterable[str]) -> Iterator[_Piece]:
            for text in splits:
                piece = _Piece(text)
                piece.start = self._cursor
                self._cursor += len(text)
                yield piece

        def _join_docs(self, docs: list[str], separator: str) -> str | None:
            chunk = super()._join_docs(docs, separator)
            if chunk is not None and isinstance(docs[0], _Piece):
                joined = separator.join(docs)
                start = docs[0].start + len(joined) - len(joined.lstrip())
                self.spans.append((start, start + len(chunk)))
            return chunk

    return PlacingSplitter


def recursive_spans(text: str, size: int, overlap: int, length: Callable[[str], int]) -> list[Span]:
    """Spans of the chunks that the library makes of a text, without white space at their edges.

    Args:
        text: any text.
        size: largest length of a chunk; every single character must be shorter.
        overlap: largest length that a chunk shares with the one before.
        length: length of a text.

    Raises:
        MissingExtraError: langchain-text-splitters is not installed.
        RuntimeError: the installed release of the library merges in another way than the one this was
            written for; a wrong span is never returned.
    """
    splitter = placing_splitter()(chunk_size=size, chunk_overlap=overlap, length_function=length)
    chunks = splitter.split_text(text)
    spans: list[Span] = splitter.spans
    if chunks != [text[start:end] for start, end in spans]:
        raise RuntimeError("langchain-text-splitters cut the text where its pieces were not followed")
    return spans


def token_spans(text: str, size: int, overlap: int) -> list[Span]:
    """Spans of recursive chunks whose pieces together have at most ``size`` cl100k tokens."""
    return recursive_spans(text, size, overlap, functools.lru_cache(_REMEMBERED)(count_tokens))


def _read_characters(spec: Spec) -> Callable[[str], list[Span]]:
    size, overlap = spec.size_and_overlap(SMALLEST_CHARACTERS)
    placing_splitter()  # a missing library is reported before the first text
    return lambda text: recursive_spans(text, size, overlap, len)


def _read_tokens(spec: Spec) -> Callable[[str], list[Span]]:
    size, overlap = spec.size_and_overlap(SMALLEST_TOKENS)
    placing_splitter()
    cl100k()
    return lambda text: token_spans(text, size, overlap)


RECURSIVE = plain_splitter("recursive:SIZE:OVERLAP", _read_characters)
RECURSIVE_TOKENS = plain_splitter("recursive-tokens:SIZE:OVERLAP", _read_tokens)
