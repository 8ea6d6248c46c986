"""The recursive splitter of langchain-text-splitters, made to tell where it cuts.

The library returns texts alone. Searching for them afterwards is ambiguous where a text repeats itself and
chunks overlap, so here each piece carries its place through the library's own merging.
"""

from collections.abc import Callable, Iterable, Iterator

from langchain_text_splitters import RecursiveCharacterTextSplitter

from chunkfilter.chunk import Span

SEPARATORS = ("\n\n", "\n", ".", "?", "!", " ", "")


class _Piece(str):
    __slots__ = ("start",)
    start: int


class _PlacingSplitter(RecursiveCharacterTextSplitter):
    """Notes the span of every chunk while splitting one text.

    The library cuts the text into pieces that are contiguous and, separators being kept, complete. It passes
    each once, in reading order, to ``_merge_splits``, which hands every run that becomes a chunk to
    ``_join_docs``.
    """

    def __init__(self, size: int, overlap: int, length: Callable[[str], int]) -> None:
        super().__init__(
            separators=list(SEPARATORS),
            keep_separator=True,
            chunk_size=size,
            chunk_overlap=overlap,
            length_function=length,
        )
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


def recursive_spans(text: str, size: int, overlap: int, length: Callable[[str], int]) -> list[Span]:
    """Spans of the chunks that the library makes of a text, without white space at their edges.

    Args:
        text: any text.
        size: largest length of a chunk; every single character must be shorter.
        overlap: largest length that a chunk shares with the one before.
        length: length of a text.

    Raises:
        RuntimeError: the installed release of the library merges in another way than the one this was
            written for; a wrong span is never returned.
    """
    splitter = _PlacingSplitter(size, overlap, length)
    chunks = splitter.split_text(text)
    if chunks != [text[start:end] for start, end in splitter.spans]:
        raise RuntimeError("langchain-text-splitters cut the text where its pieces were not followed")
    return splitter.spans
