"""``ChunkFilterRetriever``: k documents that do not repeat each other."""

import logging
from typing import Any, Self

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field, field_validator, model_validator

from chunkfilter import FilterResult, Policy
from chunkfilter.errors import InputError, MissingSignalError
from langchain_chunkfilter.chunk_filter import ChunkFilter
from langchain_chunkfilter.documents import listed
from langchain_chunkfilter.overfetch import refuse_ignored, way_to_ask

logger = logging.getLogger("chunkfilter")

#: Documents fetched for each one returned, where ``fetch_k`` is not set.
_FETCHED_PER_RESULT = 4


class ChunkFilterRetriever(BaseRetriever):
    """Fetches more documents than asked for, drops redundant ones and fills up to ``k``.

    If fewer than ``k`` are left, it fetches twice as many, again and again, until ``k`` are found or the base
    has no more. A document is ranked by the best place of all that it stands for, so cutting at ``k`` never
    loses a well-placed text whose keeper came late. Kept documents are the base's own objects.

    Calls may give ``k`` and ``fetch_k``, which win over the fields; other arguments go to the base.

    Args:
        base: any retriever, or a vector store. One that can be asked neither through ``search_kwargs``, a
            field ``k`` nor an argument ``k`` returns as many as it is set to; a warning says so.
        policy: see :class:`chunkfilter.Policy`.
        embeddings: for policies that need vectors.
        entities: for policies that need entities.
        topics: for policies with ``+topics``.
        k: number of documents returned, at least 1; fewer where the base has no more.
        fetch_k: number fetched at first, at least ``k``; by default four times ``k``.

    Raises:
        pydantic.ValidationError: a misspelt field, a policy that does not parse or lacks what it needs,
            numbers out of bounds.
    """

    base: Runnable[str, list[Document]]
    policy: str | Policy = "coverage"
    embeddings: Embeddings | None = None
    entities: Any = None
    topics: Any = None
    k: int = Field(default=4, ge=1)
    fetch_k: int | None = Field(default=None, ge=1)

    model_config = ConfigDict(
        arbitrary_types_allowed=True, extra="forbid", validate_assignment=True, validate_default=True
    )

    def __init__(self, base: Any, policy: str | Policy = "coverage", **fields: Any) -> None:
        super().__init__(**{**fields, "base": base, "policy": policy})

    @field_validator("base", mode="before")
    @classmethod
    def _retriever_of_store(cls, value: Any) -> Any:
        return value.as_retriever() if isinstance(value, VectorStore) else value

    @field_validator("policy", mode="plain")
    @classmethod
    def _canonical_policy(cls, value: Any) -> str:
        return str(Policy.parse(value))

    @model_validator(mode="after")
    def _can_work(self) -> Self:
        policy = Policy.parse(self.policy)
        if policy.needs_vectors and self.embeddings is None:
            raise MissingSignalError(f"policy '{policy}' needs vectors: pass embeddings=")
        if policy.needs_entities and self.entities is None:
            raise MissingSignalError(f"policy '{policy}' needs entities: pass entities=")
        if self.fetch_k is not None and self.fetch_k < self.k:
            raise InputError(f"fetch_k: got {self.fetch_k}; expected at least k, which is {self.k}")
        if way_to_ask(self.base) is None:
            logger.warning(
                "%s cannot be asked for a number of documents: it returns as many as it is set to",
                type(self.base).__name__,
            )
        return self

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        fetch_k: int | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        wanted, asked = self._numbers(k, fetch_k, kwargs)
        child = run_manager.get_child()
        while True:
            base, arguments = self._asked_for(asked, kwargs)
            found = listed(base.invoke(query, {"callbacks": child}, **arguments), "retrieved document")
            _, result = self._filter().filter_with_result(found, callbacks=child)
            if self._finished(result, wanted, asked):
                return _best(found, result, wanted)
            asked *= 2

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        fetch_k: int | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        wanted, asked = self._numbers(k, fetch_k, kwargs)
        child = run_manager.get_child()
        while True:
            base, arguments = self._asked_for(asked, kwargs)
            found = listed(await base.ainvoke(query, {"callbacks": child}, **arguments), "retrieved document")
            _, result = await self._filter().afilter_with_result(found, callbacks=child)
            if self._finished(result, wanted, asked):
                return _best(found, result, wanted)
            asked *= 2

    def _numbers(self, k: int | None, fetch_k: int | None, kwargs: dict[str, Any]) -> tuple[int, int]:
        """How many to return and how many to fetch at first."""
        for name, number in (("k", k), ("fetch_k", fetch_k)):
            if number is not None and (not isinstance(number, int) or number < 1):
                raise InputError(f"{name}: got {number!r:.80}; expected at least 1, a whole number")
        wanted = self.k if k is None else k
        refuse_ignored(self.base, kwargs)
        chosen = fetch_k if fetch_k is not None else self.fetch_k
        return wanted, max(chosen or _FETCHED_PER_RESULT * wanted, wanted)

    def _asked_for(self, count: int, kwargs: dict[str, Any]) -> tuple[Runnable[str, list[Document]], Any]:
        way = way_to_ask(self.base)
        return (self.base, kwargs) if way is None else way(self.base, count, kwargs)

    def _filter(self) -> ChunkFilter:
        return ChunkFilter(
            policy=self.policy, embeddings=self.embeddings, entities=self.entities, topics=self.topics
        )

    def _finished(self, result: FilterResult, wanted: int, asked: int) -> bool:
        exhausted = len(result) < asked or way_to_ask(self.base) is None
        return exhausted or len(result.kept) >= wanted


def _best(found: list[Document], result: FilterResult, wanted: int) -> list[Document]:
    """The kept documents by the best place of all that each stands for."""
    place = {position: position for position in result.kept}
    for removal in result.removed:
        for keeper in removal.kept_by:
            place[keeper] = min(place[keeper], removal.index)
    ranked = sorted(result.kept, key=lambda position: (place[position], position))
    return [found[position] for position in ranked[:wanted]]
