"""How a retriever is asked for more documents than it is set to return."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable

from chunkfilter.errors import InputError

#: Documents among which LangChain's stores choose by maximal marginal relevance, where nothing is said.
_MMR_CANDIDATES = 20

Retrieves = Runnable[str, list[Document]]
_Ask = Callable[[Any, int, dict[str, Any]], tuple[Retrieves, dict[str, Any]]]


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


def way_to_ask(base: Retrieves) -> _Ask | None:
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


def refuse_ignored(base: Retrieves, kwargs: Mapping[str, Any]) -> None:
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
