"""Filters redundant chunks in LangChain: while documents are indexed, and after they are retrieved."""

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from chunkfilter.errors import MissingExtraError

if TYPE_CHECKING:
    from langchain_chunkfilter.chunk_filter import ChunkFilter
    from langchain_chunkfilter.documents import to_chunks
    from langchain_chunkfilter.evaluation import evaluate
    from langchain_chunkfilter.indexing import aindex, index
    from langchain_chunkfilter.retriever import ChunkFilterRetriever
    from langchain_chunkfilter.splitter import ChunkFilterSplitter

if find_spec("langchain_core") is None:
    raise MissingExtraError("langchain-core", "langchain", "langchain_chunkfilter")

_HOMES = {
    "ChunkFilter": "chunk_filter",
    "ChunkFilterRetriever": "retriever",
    "ChunkFilterSplitter": "splitter",
    "aindex": "indexing",
    "evaluate": "evaluation",
    "index": "indexing",
    "to_chunks": "documents",
}

__all__ = [
    "ChunkFilter",
    "ChunkFilterRetriever",
    "ChunkFilterSplitter",
    "aindex",
    "evaluate",
    "index",
    "to_chunks",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'langchain_chunkfilter' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"langchain_chunkfilter.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
