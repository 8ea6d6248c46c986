"""``ChunkFilter``: one class for indexing and for retrieved documents."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, BaseDocumentTransformer, Document
from langchain_core.embeddings import Embeddings
from pydantic import ConfigDict, field_validator

from chunkfilter import Chunk, FilterResult, Policy, filter_chunks
from langchain_chunkfilter.documents import annotated, listed, to_chunks
from langchain_chunkfilter.events import areport, report
from langchain_chunkfilter.vectors import aembed, as_embedder, embed


class ChunkFilter(BaseDocumentTransformer, BaseDocumentCompressor):
    """Drops documents that are redundant to ones that stay.

    Kept documents are the caller's own objects, in the caller's order. As a compressor it gets documents best
    first, so with ``keep=first``, the default, the best-ranked copy stays. A custom callback event
    ``chunkfilter`` reports counts.

    Args:
        policy: see :class:`chunkfilter.Policy`.
        embeddings: asked for vectors only if the policy needs them, once a distinct text. If the object has a
            method ``visible_ends(texts)``, that also decides how much of a text counts as seen.
        entities: what finds entities, for rules that need them: the name of a spaCy model or a function; see
            :func:`chunkfilter.filter_chunks`.
        topics: what finds topics, for ``+topics``, likewise.
        existing: documents indexed earlier: never returned, but they may stand for new ones.
        annotate: write on each kept document that stands for others, under the metadata key
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
        """Filter, and tell what stands for each document that went.

        Args:
            documents: n documents; where two are equal, the first stays unless the policy says otherwise.
            vectors: shape (n + m, d), of the documents and then of the m in ``existing``, if they are known
                already; else ``embeddings`` computes them, if the policy needs any.
            callbacks: handlers of the event; by default those of the surrounding run.

        Returns:
            The kept documents, and the result in positions of ``documents``.

        Raises:
            InputError: the documents are no iterable, or an item is no ``Document``.
            VectorError: the embeddings do not return one vector a text, all of one length.
            MissingSignalError: the policy needs vectors or entities that were not given.
            TooManyRemovedError: more would go than the policy's ``max_removed`` allows.
        """
        given = listed(documents)
        if vectors is None and self.embeddings is not None:
            texts = self._texts_to_embed(given)
            vectors = embed(self.embeddings, texts) if texts else None
        kept, result = self._decide(given, vectors)
        report(result, callbacks)
        return kept, result

    async def afilter_with_result(
        self, documents: Iterable[Document], *, vectors: Any = None, callbacks: Callbacks = None
    ) -> tuple[list[Document], FilterResult]:
        """The same; embeddings are awaited, the decisions are made in a thread, the event loop stays free."""
        given = listed(documents)
        if vectors is None and self.embeddings is not None:
            texts = await asyncio.to_thread(self._texts_to_embed, given)
            vectors = await aembed(self.embeddings, texts) if texts else None
        kept, result = await asyncio.to_thread(self._decide, given, vectors)
        await areport(result, callbacks)
        return kept, result

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """The kept documents; for chains, ``load | splitter.split_documents | f.transform_documents``."""
        _refuse(kwargs)
        return self.filter_with_result(documents)[0]

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """The same, asynchronously."""
        _refuse(kwargs)
        return (await self.afilter_with_result(documents))[0]

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,  # noqa: ARG002  # redundancy does not depend on the question
        callbacks: Callbacks | None = None,
    ) -> Sequence[Document]:
        """The kept ones of retrieved documents, best first as they came."""
        return self.filter_with_result(documents, callbacks=callbacks)[0]

    async def acompress_documents(
        self,
        documents: Sequence[Document],
        query: str,  # noqa: ARG002  # redundancy does not depend on the question
        callbacks: Callbacks | None = None,
    ) -> Sequence[Document]:
        """The same, asynchronously."""
        return (await self.afilter_with_result(documents, callbacks=callbacks))[0]

    def _texts_to_embed(self, documents: list[Document]) -> list[str]:
        if not Policy.parse(self.policy).needs_vectors:
            return []
        return [chunk.text for chunk in (*to_chunks(documents), *self._stored())]

    def _stored(self) -> list[Chunk]:
        return to_chunks(self.existing, "stored document")

    def _decide(self, documents: list[Document], vectors: Any) -> tuple[list[Document], FilterResult]:
        result = filter_chunks(
            to_chunks(documents),
            self.policy,
            existing=self._stored(),
            vectors=vectors,
            embedder=None if self.embeddings is None else as_embedder(self.embeddings),
            entities=self.entities,
            topics=self.topics,
            show_progress=self.show_progress,
        )
        if self.annotate:
            return annotated(documents, result), result
        return [documents[position] for position in result.kept], result


def _refuse(kwargs: dict[str, Any]) -> None:
    if kwargs:
        raise TypeError(f"unexpected arguments: {', '.join(kwargs)}; options are fields of ChunkFilter")
