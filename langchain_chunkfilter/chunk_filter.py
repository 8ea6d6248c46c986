"""``ChunkFilter``: one class for indexing and for retrieved documents."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, BaseDocumentTransformer, Document
from langchain_core.embeddings import Embeddings
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import (
    ensure_config,
    get_async_callback_manager_for_config,
    get_callback_manager_for_config,
)
from pydantic import ConfigDict, field_validator

from chunkfilter import Chunk, FilterResult, Policy, filter_chunks
from chunkfilter.retrieval import embedded, kept_by_rank, texts_to_embed, vector_rows
from chunkfilter.signals.embedders import as_embedder
from langchain_chunkfilter.documents import annotated, listed, to_chunks

#: Name of the custom event.
EVENT = "chunkfilter"


class ChunkFilter(BaseDocumentTransformer, BaseDocumentCompressor):
    """Removes documents that are redundant to ones that are kept.

    Kept documents are the caller's own objects, in the caller's order. As a compressor it gets documents best
    first: with ``keep=first``, the default, it keeps the best-ranked copy, and a longer document that covers
    a better-ranked one takes its place. A custom callback event ``chunkfilter`` reports counts.

    Args:
        policy: see :class:`chunkfilter.Policy`.
        embeddings: asked for vectors only if the policy needs them, once a distinct text. If the object has a
            method ``visible_ends(texts)``, that also decides how much of a text counts as seen.
        entities: what finds entities, for rules that need them: the name of a spaCy model or a function; see
            :func:`chunkfilter.filter_chunks`.
        topics: what finds topics, for ``+topics``, likewise.
        existing: documents indexed earlier: never returned, but they may cover new ones.
        annotate: write on each kept document that covers others, under the metadata key
            ``chunkfilter_stands_for``, their ids (``#position`` for one without). Such documents are then
            copies, and the indexing API takes changed metadata for a changed document.
        show_progress: show a bar on stderr for long steps.

    Raises:
        pydantic.ValidationError: a misspelt field, or a policy that does not parse, named with what is known.
    """

    policy: str | Policy = "coverage"
    embeddings: Embeddings | None = None
    entities: Any = None
    topics: Any = None
    existing: Sequence[Document] = ()
    annotate: bool = False
    show_progress: bool = False

    model_config = ConfigDict(
        arbitrary_types_allowed=True, extra="forbid", frozen=True, validate_default=True
    )

    def __init__(self, policy: str | Policy = "coverage", **fields: Any) -> None:
        super().__init__(**{**fields, "policy": policy})

    @field_validator("policy", mode="plain")
    @classmethod
    def _canonical_policy(cls, value: Any) -> str:
        return str(Policy.parse(value))

    def filter_with_result(
        self, documents: Iterable[Document], *, vectors: Any = None, callbacks: Callbacks = None
    ) -> tuple[list[Document], FilterResult]:
        """Filter, and tell what covers each removed document.

        Args:
            documents: n documents; where two are equal, the first is kept unless the policy says otherwise.
            vectors: shape (n + m, d), of the documents and then of the m in ``existing``, if they are known
                already; else ``embeddings`` computes them, if the policy needs any.
            callbacks: handlers of the event; by default those of the surrounding run.

        Returns:
            The kept documents, and the result in positions of ``documents``.

        Raises:
            InputError: the documents are no iterable, or an item is no ``Document``.
            VectorError: the embeddings do not return one vector a text, all of one length.
            MissingSignalError: the policy needs vectors or entities that were not given.
            TooManyRemovedError: more would be removed than the policy's ``max_removed`` allows.
        """
        given = listed(documents)
        if vectors is None and self.embeddings is not None and self._needs_vectors:
            texts = self._texts_to_embed(given)
            vectors = self._vectors(given, texts, self.embeddings.embed_documents(texts) if texts else [])
        result = self._decide(given, vectors)
        manager = get_callback_manager_for_config(_config(callbacks))
        manager.on_custom_event(EVENT, _counts(result), run_id=manager.parent_run_id)
        return self._kept(given, result), result

    async def afilter_with_result(
        self, documents: Iterable[Document], *, vectors: Any = None, callbacks: Callbacks = None
    ) -> tuple[list[Document], FilterResult]:
        """As :meth:`filter_with_result`; embeddings are awaited, the decisions are made in a thread."""
        given = listed(documents)
        if vectors is None and self.embeddings is not None and self._needs_vectors:
            texts = await asyncio.to_thread(self._texts_to_embed, given)
            embeddings = await self.embeddings.aembed_documents(texts) if texts else []
            vectors = self._vectors(given, texts, embeddings)
        result = await asyncio.to_thread(self._decide, given, vectors)
        # in a thread: the first of these calls of a process imports LangChain's tracers, which takes a second
        manager = await asyncio.to_thread(get_async_callback_manager_for_config, _config(callbacks))
        await manager.on_custom_event(EVENT, _counts(result), run_id=manager.parent_run_id)
        return self._kept(given, result), result

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """The kept documents; for chains, ``load | splitter.split_documents | f.transform_documents``."""
        _refuse(kwargs)
        return self.filter_with_result(documents)[0]

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """As :meth:`transform_documents`, asynchronously."""
        _refuse(kwargs)
        return (await self.afilter_with_result(documents))[0]

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,  # noqa: ARG002  # redundancy does not depend on the question
        callbacks: Callbacks | None = None,
    ) -> Sequence[Document]:
        """The kept ones of retrieved documents, each at the best rank of all that it covers."""
        return by_rank(*self.filter_with_result(documents, callbacks=callbacks))

    async def acompress_documents(
        self,
        documents: Sequence[Document],
        query: str,  # noqa: ARG002  # redundancy does not depend on the question
        callbacks: Callbacks | None = None,
    ) -> Sequence[Document]:
        """As :meth:`compress_documents`, asynchronously."""
        return by_rank(*await self.afilter_with_result(documents, callbacks=callbacks))

    @property
    def _needs_vectors(self) -> bool:
        return Policy.parse(self.policy).needs_vectors

    def _chunks(self, documents: list[Document]) -> tuple[list[Chunk], list[Chunk]]:
        return to_chunks(documents), to_chunks(self.existing, "existing document")

    def _texts_to_embed(self, documents: list[Document]) -> list[str]:
        chunks, existing = self._chunks(documents)
        return texts_to_embed(chunk.text for chunk in (*chunks, *existing))

    def _vectors(self, documents: list[Document], texts: list[str], vectors: Any) -> list[Any]:
        all_texts = [document.page_content for document in (*documents, *self.existing)]
        return vector_rows(all_texts, embedded(texts, vectors, type(self.embeddings).__name__))

    def _decide(self, documents: list[Document], vectors: Any) -> FilterResult:
        chunks, existing = self._chunks(documents)
        return filter_chunks(
            chunks,
            self.policy,
            existing=existing,
            vectors=vectors,
            embedder=None if self.embeddings is None else as_embedder(self.embeddings),
            entities=self.entities,
            topics=self.topics,
            show_progress=self.show_progress,
        )

    def _kept(self, documents: list[Document], result: FilterResult) -> list[Document]:
        if self.annotate:
            return annotated(documents, result)
        return [documents[position] for position in result.kept]


def by_rank(kept: Sequence[Document], result: FilterResult) -> list[Document]:
    """The kept ones of ranked documents, each at the best rank of all that it covers."""
    at = dict(zip(result.kept, kept, strict=True))
    return [at[position] for position in kept_by_rank(result)]


def _config(callbacks: Callbacks) -> RunnableConfig:
    return ensure_config(None if callbacks is None else {"callbacks": callbacks})


def _counts(result: FilterResult) -> dict[str, Any]:
    """What callback handlers are told: counts, never texts."""
    return {
        "policy": str(result.policy),
        "documents": len(result),
        "kept": len(result.kept),
        "removed_by_rule": result.removed_by_rule,
        "vetoed": len(result.conflicts),
        "across_sources": result.report.across_sources,
        "seconds": result.report.seconds,
    }


def _refuse(kwargs: dict[str, Any]) -> None:
    if kwargs:
        raise TypeError(f"unexpected arguments: {', '.join(kwargs)}; options are fields of ChunkFilter")
