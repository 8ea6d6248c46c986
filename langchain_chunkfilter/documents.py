"""Documents as chunks: what the filters read of a LangChain document, and what is written on one."""

from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.documents import Document

from chunkfilter import Chunk, FilterResult
from chunkfilter.errors import InputError
from chunkfilter.retrieval import provenance

#: The one metadata key that ``annotate`` writes.
STANDS_FOR = "chunkfilter_stands_for"


def to_chunks(documents: Iterable[Document], what: str = "document") -> list[Chunk]:
    """Documents as chunks, for filtering and for ``chunkfilter.compare``.

    The chunk's source is ``metadata["source"]``; its span is known where a splitter with
    ``add_start_index=True`` wrote ``metadata["start_index"]``.

    Args:
        documents: what a loader or splitter returns, in its order.
        what: how a document is called in an error.

    Raises:
        InputError: an item is no ``Document``; it is named by its position.
    """
    chunks = []
    for position, document in enumerate(listed(documents, what)):
        if not isinstance(document, Document):
            raise InputError(f"{what} {position}: got {document!r:.200}; expected a langchain Document")
        chunks.append(_to_chunk(document))
    return chunks


def listed(documents: Any, what: str = "document") -> list[Document]:
    """The documents of any iterable.

    Raises:
        InputError: it is none; what was got is named.
    """
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise InputError(f"{what}s: got {documents!r:.200}; expected several langchain Documents")
    return list(documents)


def _to_chunk(document: Document) -> Chunk:
    text, metadata = document.page_content, document.metadata
    source, start = metadata.get("source"), metadata.get("start_index")
    if not isinstance(start, int) or start < 0:  # splitters write -1 where they did not find their own chunk
        start = None
    return Chunk(
        text,
        id=document.id,
        metadata=metadata,
        source=None if source is None else str(source),
        spans=() if start is None else ((start, start + len(text)),),
    )


def annotated(documents: Sequence[Document], result: FilterResult) -> list[Document]:
    """The kept documents; one that covers removed ones is a copy that lists them.

    Args:
        documents: all that were filtered.
        result: what was decided.

    Returns:
        Kept documents in order. Metadata key ``STANDS_FOR`` of a copy holds the ids of the removed documents
        that it covers, ``#position`` for one without an id.
    """
    covered = provenance(result, [document.id for document in documents])
    kept = []
    for position in result.kept:
        document = documents[position]
        if names := covered.get(position):
            document = document.model_copy(update={"metadata": {**document.metadata, STANDS_FOR: names}})
        kept.append(document)
    return kept
