"""``ChunkFilterRetriever``: k nodes without redundancy, out of any retriever."""

import copy
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.embeddings.utils import EmbedType
from llama_index.core.schema import NodeWithScore, QueryBundle

from chunkfilter import Policy
from chunkfilter.errors import InputError
from llamaindex_chunkfilter.postprocessor import ChunkFilterPostprocessor

#: How often more nodes are fetched when too few are left; each time twice as many.
_REFILLS = 4


class ChunkFilterRetriever(BaseRetriever):
    """Asks another retriever for more nodes than needed, filters, and returns the k best that are left.

    If fewer than k are left and the other retriever has a ``similarity_top_k``, it is asked again for twice
    as many, up to 16 times ``fetch_k``. Any other retriever is asked once. It is copied, never changed.

    Args:
        base: the retriever to ask.
        policy: see :class:`chunkfilter.Policy`.
        k: number of nodes wanted.
        fetch_k: number of nodes to ask for at first; by default twice k.
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
        if not isinstance(k, int) or k < 1:
            raise InputError(f"k={k!r:.80}; expected a number of nodes >= 1")
        if fetch_k is not None and (not isinstance(fetch_k, int) or fetch_k < k):
            raise InputError(f"fetch_k={fetch_k!r:.80}; expected at least k={k}")
        super().__init__(**kwargs)
        self._base = base
        self._filter = ChunkFilterPostprocessor(policy, embed_model)
        self._k = k
        self._fetch_k = fetch_k or 2 * k

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        before = 0
        for fetch in self._sizes():
            found = _sized(self._base, fetch).retrieve(query_bundle)
            kept = self._filter.postprocess_nodes(found, query_bundle)
            if len(kept) >= self._k or _exhausted(fetch, before, len(found)):
                break
            before = len(found)
        return kept[: self._k]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        before = 0
        for fetch in self._sizes():
            found = await _sized(self._base, fetch).aretrieve(query_bundle)
            kept = await self._filter.apostprocess_nodes(found, query_bundle)
            if len(kept) >= self._k or _exhausted(fetch, before, len(found)):
                break
            before = len(found)
        return kept[: self._k]

    def _sizes(self) -> list[int]:
        if not _resizable(self._base):
            return [self._fetch_k]
        return [self._fetch_k << refill for refill in range(_REFILLS + 1)]


def _exhausted(fetch: int, before: int, found: int) -> bool:
    # fewer than asked for alone is no proof: some versions of LlamaIndex drop nodes of equal hash
    return found < fetch and found == before


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
