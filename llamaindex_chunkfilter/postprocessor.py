"""``ChunkFilterPostprocessor``: removes retrieved nodes that are redundant to others."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from llama_index.core.embeddings.utils import EmbedType
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from chunkfilter import Policy
from chunkfilter.retrieval import best_ranks
from llamaindex_chunkfilter.component import FilterComponent
from llamaindex_chunkfilter.nodes import listed
from llamaindex_chunkfilter.report import ChunkFilterEvent, publish


class ChunkFilterPostprocessor(FilterComponent, BaseNodePostprocessor):
    """Removes retrieved nodes that are redundant to others, and ranks what is kept.

    The order given is the rank: with ``keep=first``, the default, the best-ranked copy is kept, and a longer
    node that covers a better-ranked one takes its place. Scores are not changed and may be missing;
    ``keep=best-score`` reads them. Nodes that carry an image, another index or media pass through.

    Args:
        policy: see :class:`chunkfilter.Policy`.
        embed_model: computes vectors of nodes that carry none, if the policy needs vectors; retrieved nodes
            seldom carry any. By default the one of ``Settings``, only if the policy needs vectors.
        entities: the model that finds entities, for rules that need them: a spaCy model's name.
        topics: the method that finds topics, for ``+topics``: ``kmeans``, the default, ``lda``, ``bertopic``.
        show_progress: show a bar on stderr for long steps.

    Raises:
        PolicyError: the policy does not parse.
        pydantic.ValidationError: a misspelt field.
    """

    def __init__(
        self, policy: str | Policy = "coverage", embed_model: EmbedType | None = None, **fields: Any
    ) -> None:
        super().__init__(policy, embed_model, **fields)

    @classmethod
    def class_name(cls) -> str:
        """Name in serialised form."""
        return "ChunkFilterPostprocessor"

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002  # redundancy does not depend on the question
    ) -> list[NodeWithScore]:
        nodes = listed(nodes, (NodeWithScore,))
        return self._filtered(nodes, self._embedded([scored.node for scored in nodes]))

    async def _apostprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002  # as above
    ) -> list[NodeWithScore]:
        nodes = listed(nodes, (NodeWithScore,))
        embedded = await self._aembedded([scored.node for scored in nodes])
        return await asyncio.to_thread(self._filtered, nodes, embedded)

    def _filtered(self, nodes: Sequence[NodeWithScore], embedded: Mapping[str, Any]) -> list[NodeWithScore]:
        inner, scores = [scored.node for scored in nodes], [scored.score for scored in nodes]
        compared, result = self._decide(inner, embedded, scores)
        ranks = {position: position for position in set(range(len(nodes))) - set(compared)}
        ranks |= {compared[kept]: compared[best] for kept, best in best_ranks(result).items()}
        publish(
            ChunkFilterEvent(
                policy=str(result.policy),
                received=len(nodes),
                kept=len(ranks),
                passed=len(nodes) - len(compared),
                removed_by_rule=result.removed_by_rule,
                seconds=result.report.seconds,
            )
        )
        return [nodes[position] for position in sorted(ranks, key=lambda one: (ranks[one], one))]
