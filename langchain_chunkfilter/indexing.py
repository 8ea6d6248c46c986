"""``index``: LangChain's indexing call with a ledger, which sees what earlier runs removed."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, Literal, TypedDict

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from chunkfilter import Change, Chunk, Ledger
from chunkfilter.errors import InputError
from langchain_chunkfilter.documents import to_chunks

Cleanup = Literal["incremental", "full", "scoped_full"] | None
SourceKey = str | Callable[[Document], str]
#: Metadata key of the other sources that a stored document represents; absent where there are none.
ALSO_IN = "also_in"


class IndexResult(TypedDict):
    """What a run did, in the keys of ``langchain_core.indexing.index`` and two more.

    Of the rows of the store ``num_added`` were written, among them ``num_restored`` whose source was not
    given; ``num_updated`` were written again or got other metadata; ``num_deleted`` were deleted. Of the
    given documents ``num_removed`` are covered by others and ``num_skipped`` were stored and did not change.
    """

    num_added: int
    num_updated: int
    num_skipped: int
    num_deleted: int
    num_removed: int
    num_restored: int


def index(
    documents: BaseLoader | Iterable[Document],
    ledger: Ledger,
    vector_store: VectorStore,
    *,
    cleanup: Cleanup = "incremental",
    source_id_key: SourceKey = "source",
    batch_size: int = 100,
    force_update: bool = False,
) -> IndexResult:
    """Bring a vector store in step with documents that were split, and write only what no others cover.

    What an earlier run left unfinished is finished first. Texts whose only stored copy leaves come back from
    the other sources that hold them. A stored document names those in ``metadata["also_in"]``.

    Args:
        documents: all chunks of each new or changed source, or a loader of them.
        ledger: the record of this store; one store, one ledger.
        vector_store: where the rows are written; its ids are those of the ledger (UUIDs).
        cleanup: ``incremental`` and ``scoped_full`` replace what the given sources held; ``full`` deletes
            every other source too; ``None`` deletes nothing: what a source held before stays.
        source_id_key: metadata key of the source, or a function that returns it.
        batch_size: rows written at once.
        force_update: write, and so embed, every row again, for example for another embedder.

    Raises:
        InputError: a document has no source, or an argument is out of its bounds.
        TooManyRemovedError: more would be removed than the policy's ``max_removed`` allows.
        LedgerError: another process is writing.
    """
    if cleanup not in ("incremental", "full", "scoped_full", None):
        raise InputError(f"cleanup: got {cleanup!r}; expected 'incremental', 'full', 'scoped_full' or None")
    if not isinstance(batch_size, int) or batch_size < 1:
        raise InputError(f"batch_size: got {batch_size!r}; expected a whole number of at least 1")
    if (unfinished := ledger.pending()) is not None:
        _apply(unfinished, vector_store, batch_size)
        ledger.commit(unfinished)
    given = _by_source(documents, source_id_key)
    sources = (
        {name: _merged(ledger.chunks(name), new) for name, new in given.items()} if cleanup is None else given
    )
    delete = ledger.sources().keys() - given.keys() if cleanup == "full" else ()
    before = set(ledger.stored())
    change = ledger.update(sources, delete, rewrite=force_update)
    _apply(change, vector_store, batch_size)
    ledger.commit(change)
    return _counts(change, given, ledger, before)


async def aindex(
    documents: BaseLoader | Iterable[Document],
    ledger: Ledger,
    vector_store: VectorStore,
    *,
    cleanup: Cleanup = "incremental",
    source_id_key: SourceKey = "source",
    batch_size: int = 100,
    force_update: bool = False,
) -> IndexResult:
    """Run :func:`index` in a thread; arguments, result and errors are its own."""
    return await asyncio.to_thread(
        index,
        documents,
        ledger,
        vector_store,
        cleanup=cleanup,
        source_id_key=source_id_key,
        batch_size=batch_size,
        force_update=force_update,
    )


def _by_source(documents: BaseLoader | Iterable[Document], key: SourceKey) -> dict[str, list[Chunk]]:
    given: dict[str, list[Chunk]] = {}
    items = documents.lazy_load() if isinstance(documents, BaseLoader) else documents
    for position, document in enumerate(items):
        (chunk,) = to_chunks([document])
        source = key(document) if callable(key) else document.metadata.get(key)
        if source is None or not str(source):
            raise InputError(
                f"document {position}: no source ({key!r}); expected one, to know what it replaces"
            )
        given.setdefault(str(source), []).append(chunk)
    return given


def _merged(old: Sequence[Chunk], new: Sequence[Chunk]) -> list[Chunk]:
    """What a source held, then what it did not hold yet."""
    known = {chunk.text for chunk in old}
    return [*old, *(chunk for chunk in new if chunk.text not in known)]


def _apply(change: Change, store: VectorStore, batch_size: int) -> None:
    """Upsert, relabel, delete: each step may be repeated."""
    for part in _batches(change.add, batch_size):
        store.add_documents(
            [_document(chunk, change) for chunk in part], ids=[str(chunk.id) for chunk in part]
        )
    for part in _batches(change.relabelled, batch_size):
        _relabel(store, [_document(chunk, change) for chunk in part])
    for ids in _batches(change.delete, batch_size):
        store.delete(ids=list(ids))


def _batches(items: Sequence[Any], size: int) -> Iterable[list[Any]]:
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


def _document(chunk: Chunk, change: Change) -> Document:
    others = change.also_in.get(str(chunk.id), ())
    metadata = {**(chunk.metadata or {}), **({ALSO_IN: list(others)} if others else {})}
    return Document(id=chunk.id, page_content=chunk.text, metadata=metadata)


def _relabel(store: VectorStore, documents: list[Document]) -> None:
    """Replace metadata; only stores that offer no such call embed the texts again."""
    ids = [str(document.id) for document in documents]
    if isinstance(store, InMemoryVectorStore) and store.store.keys() >= set(ids):
        for document in documents:
            store.store[str(document.id)]["metadata"] = document.metadata
        return
    collection = getattr(store, "_collection", None)  # Chroma's; an update merges, None deletes a key
    if type(store).__module__.startswith("langchain_chroma") and collection is not None:
        found = collection.get(ids=ids, include=["metadatas"])
        if len(found["ids"]) == len(ids):
            before = dict(zip(found["ids"], found["metadatas"], strict=True))
            metadatas = [
                {**dict.fromkeys(before[row] or {}), **document.metadata}
                for row, document in zip(ids, documents, strict=True)
            ]
            collection.update(ids=ids, metadatas=metadatas)
            return
    store.delete(ids=ids)  # an upsert may merge metadata
    store.add_documents(documents, ids=ids)


def _counts(change: Change, given: dict[str, list[Chunk]], ledger: Ledger, before: set[str]) -> IndexResult:
    written = {str(chunk.id) for chunk in change.add}
    total = sum(map(len, given.values()))
    removed = sum(len(ledger.removed(name)) for name in given)
    new = written - before
    updated = (written & before) | set(change.relabel)
    touched = sum(chunk.source in given for chunk in (*change.add, *change.relabelled))
    return IndexResult(
        num_added=len(new),
        num_updated=len(updated),
        num_skipped=max(total - removed - touched, 0),
        num_deleted=len(change.delete),
        num_removed=removed,
        num_restored=sum(1 for chunk in change.add if chunk.id in new and chunk.source not in given),
    )
