"""``ChunkFilterPostprocessor``: drops retrieved nodes that say what a better-ranked one says."""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from llama_index.core.embeddings.utils import EmbedType
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from chunkfilter import Chunk, Policy
from llamaindex_chunkfilter.component import FilterComponent
from llamaindex_chunkfilter.embedding import aembed, embed, rows, texts_to_embed
from llamaindex_chunkfilter.events import ChunkFilterEvent, publish
from llamaindex_chunkfilter.nodes import comparable, listed, to_chunks
from llamaindex_chunkfilter.ranked import drop_redundant


class ChunkFilterPostprocessor(FilterComponent, BaseNodePostprocessor):
    """Drops retrieved nodes that are redundant to better-ranked ones.

    The order given is the rank, so with ``keep=first``, the default, the best-ranked of a group stays. Scores
    are not changed and may be missing; ``keep=best-score`` reads them. Nodes that carry an image, another
    index or media pass through.

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
        texts = self._texts_to_embed(nodes)
        embedded = embed(self._model(), texts, show_progress=self.show_progress) if texts else {}
        return self._filtered(nodes, embedded)

    async def _apostprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002  # as above
    ) -> list[NodeWithScore]:
        nodes = listed(nodes, (NodeWithScore,))
        texts = self._texts_to_embed(nodes)
        embedded = await aembed(self._model(), texts, show_progress=self.show_progress) if texts else {}
        return await asyncio.to_thread(self._filtered, nodes, embedded)

    def _texts_to_embed(self, nodes: Sequence[NodeWithScore]) -> list[str]:
        if not self._parsed.needs_vectors:
            return []
        inner = [scored.node for scored in nodes]
        return texts_to_embed([inner[position] for position in comparable(inner)])

    def _filtered(
        self, nodes: Sequence[NodeWithScore], embedded: Mapping[str, Sequence[float]]
    ) -> list[NodeWithScore]:
        started = time.perf_counter()
        policy = self._parsed
        compared = comparable([scored.node for scored in nodes])
        filtered = [nodes[position] for position in compared]
        inner = [scored.node for scored in filtered]
        rules = drop_redundant(
            _with_scores(filtered) if policy.keep == "best-score" else to_chunks(inner),
            policy,
            rows(inner, embedded) if policy.needs_vectors else None,
            self.entities,
            self.topics,
        )
        gone = {compared[index] for index in rules}
        kept = [scored for position, scored in enumerate(nodes) if position not in gone]
        publish(
            ChunkFilterEvent(
                policy=str(policy),
                received=len(nodes),
                kept=len(kept),
                passed=len(nodes) - len(compared),
                removed_by_rule=dict(Counter(rules.values())),
                seconds=time.perf_counter() - started,
            )
        )
        return kept


def _with_scores(nodes: Sequence[NodeWithScore]) -> list[Chunk]:
    """Chunks whose metadata hold the score of retrieval, where ``keep=best-score`` looks for it."""
    return [
        replace(chunk, metadata={**(chunk.metadata or {}), "score": scored.score})
        for chunk, scored in zip(to_chunks(nodes), nodes, strict=True)
    ]
