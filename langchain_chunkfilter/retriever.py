"""``ChunkFilterRetriever``: k documents that do not repeat each other."""

import inspect
import logging
from collections.abc import Callable, Mapping
from typing import Any, Self

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field, field_validator, model_validator

from chunkfilter import Policy
from chunkfilter.errors import InputError, MissingSignalError
from chunkfilter.retrieval import Refill
from langchain_chunkfilter.chunk_filter import ChunkFilter
from langchain_chunkfilter.documents import listed

logger = logging.getLogger("chunkfilter")

#: Documents among which LangChain's stores choose by maximal marginal relevance, where nothing is said.
_MMR_CANDIDATES = 20

Retrieves = Runnable[str, list[Document]]
_Ask = Callable[[Any, int, dict[str, Any]], tuple[Retrieves, dict[str, Any]]]


class ChunkFilterRetriever(BaseRetriever):
    """Fetches more documents than asked for, removes redundant ones and fills up to ``k``.

    If fewer than ``k`` are left, it fetches twice as many, again and again, until ``k`` are found or the base
    has no more. A document comes at the best rank of all that it covers, so cutting at ``k`` never loses a
    well-ranked text that is covered by a document further down. Kept documents are the base's own objects.

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

    base: Retrieves
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
        if _way_to_ask(self.base) is None:
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
        refill, child = self._refill(k, fetch_k, kwargs), run_manager.get_child()
        while True:
            base, arguments = self._asked_for(refill.size, kwargs)
            found = listed(base.invoke(query, {"callbacks": child}, **arguments), "retrieved document")
            kept = self._filter().compress_documents(found, query, child)
            if refill.enough(len(found), len(kept)):
                return list(kept[: refill.k])

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        fetch_k: int | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        refill, child = self._refill(k, fetch_k, kwargs), run_manager.get_child()
        while True:
            base, arguments = self._asked_for(refill.size, kwargs)
            found = listed(await base.ainvoke(query, {"callbacks": child}, **arguments), "retrieved document")
            kept = await self._filter().acompress_documents(found, query, child)
            if refill.enough(len(found), len(kept)):
                return list(kept[: refill.k])

    def _refill(self, k: int | None, fetch_k: int | None, kwargs: dict[str, Any]) -> Refill:
        """What the call says wins over the fields; at least k are fetched."""
        _refuse_ignored(self.base, kwargs)
        wanted = self.k if k is None else k
        first = self.fetch_k if fetch_k is None else fetch_k
        if isinstance(first, int) and isinstance(wanted, int) and 0 < first < wanted:
            first = wanted
        return Refill(wanted, first, resizable=_way_to_ask(self.base) is not None)

    def _asked_for(self, count: int, kwargs: dict[str, Any]) -> tuple[Retrieves, dict[str, Any]]:
        way = _way_to_ask(self.base)
        return (self.base, kwargs) if way is None else way(self.base, count, kwargs)

    def _filter(self) -> ChunkFilter:
        return ChunkFilter(
            policy=self.policy, embeddings=self.embeddings, entities=self.entities, topics=self.topics
        )


def _by_search_kwargs(base: Any, count: int, kwargs: dict[str, Any]) -> tuple[Retrieves, dict[str, Any]]:
    """Vector stores, parent and multi-vector retrievers: a copy that searches for more.

    Maximal marginal relevance chooses among ``fetch_k`` documents, so these have to be as many.
    """
    search = {**base.search_kwargs, "k": count}
    if getattr(base, "search_type", None) == "mmr":
        search["fetch_k"] = max(search.get("fetch_k", _MMR_CANDIDATES), count)
    return base.model_copy(update={"search_kwargs": search}), kwargs


def _by_field(base: Any, count: int, kwargs: dict[str, Any]) -> tuple[Retrieves, dict[str, Any]]:
    """BM25 and others with a field ``k``: a copy with another value."""
    return base.model_copy(update={"k": count}), kwargs


def _by_argument(base: Any, count: int, kwargs: dict[str, Any]) -> tuple[Retrieves, dict[str, Any]]:
    """Retrievers that pass arguments on, such as contextual compression."""
    return base, {**kwargs, "k": count}


def _way_to_ask(base: Retrieves) -> _Ask | None:
    """How ``base`` is asked for a number of documents, ``None`` if it cannot be asked.

    A way takes the retriever, the number and the call's arguments, and returns what to invoke and with which
    arguments. The retriever itself is never changed: calls may run side by side.
    """
    if not isinstance(base, BaseRetriever):
        return None
    fields = type(base).model_fields
    if "search_kwargs" in fields:
        return _by_search_kwargs
    if "k" in fields:
        return _by_field
    return _by_argument if _takes(base, "k") else None


def _refuse_ignored(base: Retrieves, kwargs: Mapping[str, Any]) -> None:
    """Raise for arguments of a call that LangChain would drop in silence.

    Raises:
        InputError: naming the argument.
    """
    for name in kwargs:
        if isinstance(base, BaseRetriever) and not _takes(base, name):
            raise InputError(
                f"argument {name!r}: {type(base).__name__} takes no such argument; known: k, fetch_k"
            )


def _takes(base: BaseRetriever, name: str) -> bool:
    hook = base._get_relevant_documents  # noqa: SLF001  # the method that every retriever overrides
    parameters = inspect.signature(hook).parameters
    return name in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())
