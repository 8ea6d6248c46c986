"""Filters redundant nodes in LlamaIndex: in an ingestion pipeline, and after retrieval."""

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from chunkfilter.errors import MissingExtraError

if TYPE_CHECKING:
    from llamaindex_chunkfilter.evaluation import evaluate
    from llamaindex_chunkfilter.indexer import ChunkFilterIndexer
    from llamaindex_chunkfilter.nodes import to_chunks
    from llamaindex_chunkfilter.pipeline_watch import ChunkFilterWarning
    from llamaindex_chunkfilter.postprocessor import ChunkFilterPostprocessor
    from llamaindex_chunkfilter.report import ChunkFilterEvent, NodeRemoval, NodeReport
    from llamaindex_chunkfilter.retriever import ChunkFilterRetriever
    from llamaindex_chunkfilter.transform import ChunkFilterTransform

if find_spec("llama_index") is None or find_spec("llama_index.core") is None:
    raise MissingExtraError("llama-index-core", "llama-index", "llamaindex_chunkfilter")

_HOMES = {
    "ChunkFilterEvent": "report",
    "ChunkFilterIndexer": "indexer",
    "ChunkFilterPostprocessor": "postprocessor",
    "ChunkFilterRetriever": "retriever",
    "ChunkFilterTransform": "transform",
    "ChunkFilterWarning": "pipeline_watch",
    "NodeRemoval": "report",
    "NodeReport": "report",
    "evaluate": "evaluation",
    "to_chunks": "nodes",
}

__all__ = [
    "ChunkFilterEvent",
    "ChunkFilterIndexer",
    "ChunkFilterPostprocessor",
    "ChunkFilterRetriever",
    "ChunkFilterTransform",
    "ChunkFilterWarning",
    "NodeRemoval",
    "NodeReport",
    "evaluate",
    "to_chunks",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'llamaindex_chunkfilter' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"llamaindex_chunkfilter.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
