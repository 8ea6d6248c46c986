"""``ChunkFilterTransform``: one step of an ingestion pipeline."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.embeddings.utils import EmbedType
from llama_index.core.schema import BaseNode, TransformComponent

from chunkfilter import Policy, filter_chunks
from llamaindex_chunkfilter.component import FilterComponent
from llamaindex_chunkfilter.embedding import aembed, embed, rows, texts_to_embed
from llamaindex_chunkfilter.events import ChunkFilterEvent, publish
from llamaindex_chunkfilter.nodes import comparable, listed, to_chunks
from llamaindex_chunkfilter.relink import relink
from llamaindex_chunkfilter.report import NodeReport, report_on

logger = logging.getLogger("chunkfilter")


class ChunkFilterTransform(FilterComponent, TransformComponent):
    """Drops nodes that are redundant to ones that stay.

    Kept nodes are the caller's own objects, in the caller's order. Texts are compared without metadata.
    Nodes that carry an image, another index or media, and parents of nodes in the same batch, pass through.

    Args:
        policy: see :class:`chunkfilter.Policy`.
        embed_model: computes vectors of nodes that carry none, if the policy needs vectors. By default the
            one of ``Settings``, resolved when the component is made, only if the policy needs vectors.
        embed_model_id: names the model where none is given, for nodes that come with vectors, so that the
            cache of a pipeline tells two models apart. Set from ``embed_model`` where there is one.
        entities: the model that finds entities, for rules that need them: a spaCy model's name.
        topics: the method that finds topics, for ``+topics``: ``kmeans``, the default, ``lda``, ``bertopic``.
        relink: lead PREVIOUS, NEXT and CHILD of kept nodes past the dropped ones.
        show_progress: show a bar on stderr for long steps.

    Raises:
        PolicyError: the policy does not parse.
        pydantic.ValidationError: a misspelt field.
    """

    relink: bool = Field(default=True, frozen=True, description="Lead relationships past dropped nodes.")

    _last_report: NodeReport | None = PrivateAttr(default=None)

    def __init__(
        self,
        policy: str | Policy = "coverage",
        embed_model: EmbedType | None = None,
        *,
        relink: bool = True,
        **fields: Any,
    ) -> None:
        from llamaindex_chunkfilter.pipeline_watch import watch_pipelines  # it imports this module

        super().__init__(policy, embed_model, relink=relink, **fields)
        watch_pipelines()

    @classmethod
    def class_name(cls) -> str:
        """Name in serialised form; part of the pipeline's cache key."""
        return "ChunkFilterTransform"

    @property
    def last_report(self) -> NodeReport | None:
        """What the last run did; ``None`` before one, and after one that a pipeline's cache answered."""
        return self._last_report

    def forget_report(self) -> None:
        """Set :attr:`last_report` back; a pipeline's run begins with it."""
        self._last_report = None

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state["__pydantic_private__"] = {**state["__pydantic_private__"], "_last_report": None}
        return state

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:  # noqa: ARG002  # a pipeline hands its own keywords to every step
        """The nodes that stay.

        Raises:
            InputError: the nodes are no iterable, or an item is no node.
            MissingSignalError: the policy needs vectors or entities and nothing here has them.
            VectorError: vectors of two lengths.
            TooManyRemovedError: more would go than the policy's ``max_removed`` allows.
        """
        nodes = listed(nodes, (BaseNode,))
        texts = self._texts_to_embed(nodes)
        embedded = embed(self._model(), texts, show_progress=self.show_progress) if texts else {}
        return self._filtered(nodes, embedded)

    async def acall(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:  # noqa: ARG002  # as above
        """The same; embeddings are awaited, the decisions are made in a thread, the event loop stays free."""
        nodes = listed(nodes, (BaseNode,))
        texts = await asyncio.to_thread(self._texts_to_embed, nodes)
        embedded = await aembed(self._model(), texts, show_progress=self.show_progress) if texts else {}
        return await asyncio.to_thread(self._filtered, nodes, embedded)

    def _texts_to_embed(self, nodes: Sequence[BaseNode]) -> list[str]:
        if not self._parsed.needs_vectors:
            return []
        return texts_to_embed([nodes[position] for position in comparable(nodes)])

    def _filtered(
        self, nodes: Sequence[BaseNode], embedded: Mapping[str, Sequence[float]]
    ) -> Sequence[BaseNode]:
        policy, compared = self._parsed, comparable(nodes)
        filtered = [nodes[position] for position in compared]
        result = filter_chunks(
            to_chunks(filtered),
            policy,
            vectors=rows(filtered, embedded) if policy.needs_vectors else None,
            entities=self.entities,
            topics=self.topics,
            show_progress=self.show_progress,
        )
        report = report_on(nodes, compared, result)
        gone = {compared[removal.index] for removal in result.removed}
        kept = [node for position, node in enumerate(nodes) if position not in gone]
        if self.relink:
            relink(kept, [nodes[position] for position in gone])
        self._last_report = report
        for warning in report.warnings:
            logger.warning(warning)
        publish(_event(report))
        return kept


def _event(report: NodeReport) -> ChunkFilterEvent:
    return ChunkFilterEvent(
        policy=str(report.result.policy),
        received=report.received,
        kept=report.kept,
        passed=report.passed,
        removed_by_rule=report.result.removed_by_rule,
        emptied_documents=report.emptied_documents,
        needed_documents=tuple(report.needed_by),
        seconds=report.result.report.seconds,
    )
