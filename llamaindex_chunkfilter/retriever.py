"""``ChunkFilterRetriever``: k nodes without redundancy, out of any retriever."""

import copy
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.embeddings.utils import EmbedType
from llama_index.core.schema import NodeWithScore, QueryBundle

from chunkfilter import Policy
from chunkfilter.errors import InputError
from chunkfilter.retrieval import Refill
from llamaindex_chunkfilter.postprocessor import ChunkFilterPostprocessor


class ChunkFilterRetriever(BaseRetriever):
    """Asks another retriever for more nodes than needed, filters, and returns the k best that are left.

    If fewer than k are left and the other retriever has a ``similarity_top_k``, it is asked for twice as
    many, again and again, until k are found or it has no more. Any other retriever is asked once. It is
    copied, never changed.

    Args:
        base: the retriever to ask.
        policy: see :class:`chunkfilter.Policy`.
        k: number of nodes wanted, at least 1.
        fetch_k: number of nodes to ask for at first, at least k; by default four times k.
        embed_model: see :class:`ChunkFilterPostprocessor`.
        kwargs: passed on to ``BaseRetriever``.

    Raises:
        InputError: no retriever, k below 1, or ``fetch_k`` below k.
        PolicyError: the policy does not parse.
    """

    def __init__(
        self,
        base: BaseRetriever,
        policy: str | Policy = "coverage",
        k: int = 5,
        fetch_k: int | None = None,
        embed_model: EmbedType | None = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(base, BaseRetriever):
            raise InputError(f"base: got {base!r:.80}; expected a retriever, such as index.as_retriever()")
        Refill(k, fetch_k)  # refuses what makes no sense
        super().__init__(**kwargs)
        self._base = base
        self._filter = ChunkFilterPostprocessor(policy, embed_model)
        self._k = k
        self._fetch_k = fetch_k

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        refill = self._refill()
        while True:
            found = _sized(self._base, refill.size).retrieve(query_bundle)
            kept = self._filter.postprocess_nodes(found, query_bundle)
            if refill.enough(len(found), len(kept)):
                return kept[: self._k]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        refill = self._refill()
        while True:
            found = await _sized(self._base, refill.size).aretrieve(query_bundle)
            kept = await self._filter.apostprocess_nodes(found, query_bundle)
            if refill.enough(len(found), len(kept)):
                return kept[: self._k]

    def _refill(self) -> Refill:
        return Refill(self._k, self._fetch_k, resizable=_resizable(self._base))


def _resizable(retriever: BaseRetriever) -> bool:
    declared = getattr(type(retriever), "similarity_top_k", None)
    if isinstance(declared, property):
        return declared.fset is not None
    return hasattr(retriever, "similarity_top_k")


def _sized(retriever: BaseRetriever, size: int) -> BaseRetriever:
    if not _resizable(retriever):
        return retriever
    sized: Any = copy.copy(retriever)
    sized.similarity_top_k = size
    return sized  # type: ignore[no-any-return]  # a copy of a retriever is one
