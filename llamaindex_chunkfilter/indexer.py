"""``ChunkFilterIndexer``: a vector index and a ledger, kept in step as documents come, change and leave."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from typing import Any

from llama_index.core import VectorStoreIndex
from llama_index.core.ingestion import run_transformations
from llama_index.core.schema import (
    BaseNode,
    Document,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
    TransformComponent,
)

from chunkfilter import Change, Chunk, Ledger
from chunkfilter.errors import InputError
from llamaindex_chunkfilter.nodes import to_chunks

#: Metadata key of the other documents that a stored node represents, a JSON list; absent if none.
ALSO_IN = "also_in"
#: Metadata key under which the ledger keeps which metadata a model does not see.
_EXCLUDED = "chunkfilter:excluded"


class ChunkFilterIndexer:
    """Filters what documents are cut into, and writes only nodes that no others cover.

    A text whose only stored copy leaves with its document comes back from another document that holds it.
    Stored nodes have the ids of the ledger's rows and name their document; links to neighbours, which may not
    be stored, are not kept.

    Args:
        index: a vector index that is filled by this indexer alone.
        ledger: its record.
        transformations: cut documents into text nodes; those of the index if none are given.
    """

    def __init__(
        self,
        index: VectorStoreIndex,
        ledger: Ledger,
        transformations: Sequence[TransformComponent] | None = None,
    ) -> None:
        self._index, self._ledger = index, ledger
        self._transformations = list(index._transformations if transformations is None else transformations)  # noqa: SLF001  # no public name

    def refresh_ref_docs(self, documents: Sequence[Document]) -> list[bool]:
        """Bring the index in step with new and changed documents.

        Returns:
            For each document whether its chunks were not those that the ledger knew.

        Raises:
            InputError: a transformation gives something else than text nodes.
            TooManyRemovedError: more would be removed than the policy's ``max_removed`` allows.
            LedgerError: another process is writing.
        """
        self._finish()
        given = {document.id_: self._chunks(document) for document in documents}
        changed = {name for name, chunks in given.items() if not _same(self._ledger.chunks(name), chunks)}
        self._apply(self._ledger.update(given))
        return [document.id_ in changed for document in documents]

    def insert(self, document: Document) -> None:
        """Add a document; one of the same id is replaced."""
        self.refresh_ref_docs([document])

    def delete_ref_doc(self, ref_doc_id: str) -> None:
        """Delete a document; one that is not known is ignored."""
        self._finish()
        self._apply(self._ledger.update(delete=[ref_doc_id]))

    async def arefresh_ref_docs(self, documents: Sequence[Document]) -> list[bool]:
        """Run :meth:`refresh_ref_docs` in a thread."""
        return await asyncio.to_thread(self.refresh_ref_docs, documents)

    async def ainsert(self, document: Document) -> None:
        """Run :meth:`insert` in a thread."""
        await asyncio.to_thread(self.insert, document)

    async def adelete_ref_doc(self, ref_doc_id: str) -> None:
        """Run :meth:`delete_ref_doc` in a thread."""
        await asyncio.to_thread(self.delete_ref_doc, ref_doc_id)

    def _chunks(self, document: Document) -> list[Chunk]:
        nodes = run_transformations([document], self._transformations)
        return [_chunk(node) for node in nodes]

    def _finish(self) -> None:
        """Apply what an earlier run left unfinished."""
        if (unfinished := self._ledger.pending()) is not None:
            self._apply(unfinished)

    def _apply(self, change: Change) -> None:
        """Write, relabel, delete; a node is deleted before it is written, so that steps may be repeated."""
        written = [*change.add, *change.relabelled]
        self._delete([str(chunk.id) for chunk in written])
        if written:
            self._index.insert_nodes([_node(chunk, change.also_in[str(chunk.id)]) for chunk in written])
        self._delete(change.delete)
        self._ledger.commit(change)

    def _delete(self, ids: Iterable[str]) -> None:
        indexed = self._index.index_struct.nodes_dict
        named = list(ids)
        # what a run that was killed wrote may be in the vector store alone; empty lists are never handed on,
        # because several stores take one for everything
        if known := [row for row in named if row in indexed]:
            self._index.delete_nodes(known, delete_from_docstore=True)
        if others := [row for row in named if row not in indexed]:
            self._index.vector_store.delete_nodes(others)


def _same(old: Sequence[Chunk], new: Sequence[Chunk]) -> bool:
    return [(chunk.text, chunk.metadata) for chunk in old] == [(chunk.text, chunk.metadata) for chunk in new]


def _chunk(node: BaseNode) -> Chunk:
    if type(node) is not TextNode:
        raise InputError(f"node {node.node_id!r}: a {type(node).__name__}; expected a TextNode of text alone")
    (chunk,) = to_chunks([node])
    excluded = [list(node.excluded_embed_metadata_keys), list(node.excluded_llm_metadata_keys)]
    return Chunk(chunk.text, metadata={**node.metadata, _EXCLUDED: excluded}, spans=chunk.spans)


def _node(chunk: Chunk, others: Sequence[str]) -> TextNode:
    metadata: dict[str, Any] = dict(chunk.metadata or {})
    embed, llm = metadata.pop(_EXCLUDED)
    if others:
        metadata[ALSO_IN] = json.dumps(list(others))
    return TextNode(
        id_=str(chunk.id),
        text=chunk.text,
        metadata=metadata,
        excluded_embed_metadata_keys=[*embed, ALSO_IN],
        excluded_llm_metadata_keys=llm,
        start_char_idx=chunk.start,
        end_char_idx=chunk.end,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=str(chunk.source))},
    )
