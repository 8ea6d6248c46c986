"""``ChunkFilterTransform``: one step of an ingestion pipeline."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.embeddings.utils import EmbedType
from llama_index.core.schema import BaseNode, TransformComponent

from chunkfilter import Policy
from llamaindex_chunkfilter.component import FilterComponent
from llamaindex_chunkfilter.nodes import listed
from llamaindex_chunkfilter.relink import relink
from llamaindex_chunkfilter.report import ChunkFilterEvent, NodeReport, publish, report_on

logger = logging.getLogger("chunkfilter")


class ChunkFilterTransform(FilterComponent, TransformComponent):
    """Removes nodes that are redundant to ones that are kept.

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
        relink: lead PREVIOUS, NEXT and CHILD of kept nodes past the removed ones.
        show_progress: show a bar on stderr for long steps.

    Raises:
        PolicyError: the policy does not parse.
        pydantic.ValidationError: a misspelt field.
    """

    relink: bool = Field(default=True, frozen=True, description="Lead relationships past removed nodes.")

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
        """The kept nodes.

        Raises:
            InputError: the nodes are no iterable, or an item is no node.
            MissingSignalError: the policy needs vectors or entities and nothing here has them.
            VectorError: vectors of two lengths.
            TooManyRemovedError: more would be removed than the policy's ``max_removed`` allows.
        """
        nodes = listed(nodes, (BaseNode,))
        return self._filtered(nodes, self._embedded(nodes))

    async def acall(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:  # noqa: ARG002  # as above
        """As a call; embeddings are awaited, the decisions are made in a thread."""
        nodes = listed(nodes, (BaseNode,))
        embedded = await self._aembedded(nodes)
        return await asyncio.to_thread(self._filtered, nodes, embedded)

    def _filtered(self, nodes: Sequence[BaseNode], embedded: Mapping[str, Any]) -> Sequence[BaseNode]:
        compared, result = self._decide(nodes, embedded)
        report = report_on(nodes, compared, result)
        removed = {compared[removal.index] for removal in result.removed}
        kept = [node for position, node in enumerate(nodes) if position not in removed]
        if self.relink:
            relink(kept, [nodes[position] for position in removed])
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
