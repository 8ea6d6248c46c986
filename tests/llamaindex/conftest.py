"""A real embedding model in the shape that LlamaIndex asks for, and small builders of nodes."""

import functools
import importlib.util
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

from chunkfilter.signals.embedders import load_embedder
from llamaindex_chunkfilter import ChunkFilterEvent

# the first versions of the supported range look for sentence data in the user cache and on the network
_CORE = importlib.util.find_spec("llama_index.core")
assert _CORE is not None
assert _CORE.origin is not None
os.environ.setdefault("NLTK_DATA", str(Path(_CORE.origin).parent / "_static" / "nltk_cache"))


class MiniLM(BaseEmbedding):
    """all-MiniLM-L6-v2 from its package; loaded once a process."""

    model_name: str = "all-MiniLM-L6-v2"
    text_prefix: str = ""
    api_key: str = ""
    _calls: list[list[str]] = PrivateAttr(default_factory=list)

    @classmethod
    def class_name(cls) -> str:
        return "MiniLM"

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        self._calls.append(texts)
        vectors = encoder().encode([self.text_prefix + text for text in texts])
        return [[float(value) for value in row] for row in vectors]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


@pytest.fixture
def minilm() -> MiniLM:
    return MiniLM()


@functools.cache
def encoder() -> Any:
    return load_embedder("package:all-MiniLM-L6-v2")


@pytest.fixture
def chain() -> Callable[..., list[TextNode]]:
    """Makes the nodes of one document, ``doc-0``, ``doc-1``, ..., each linked to its neighbours."""
    return _chain


def _chain(texts: Sequence[str], document: str = "doc") -> list[TextNode]:
    nodes = [TextNode(text=text, id_=f"{document}-{number}") for number, text in enumerate(texts)]
    for number, node in enumerate(nodes):
        node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=document)
        if number > 0:
            node.relationships[NodeRelationship.PREVIOUS] = nodes[number - 1].as_related_node_info()
        if number + 1 < len(nodes):
            node.relationships[NodeRelationship.NEXT] = nodes[number + 1].as_related_node_info()
    return nodes


class _Recorder(BaseEventHandler):
    events: list[Any] = []  # noqa: RUF012  # a pydantic field, copied for each instance

    @classmethod
    def class_name(cls) -> str:
        return "Recorder"

    def handle(self, event: Any, **kwargs: Any) -> None:
        if isinstance(event, ChunkFilterEvent):
            self.events.append(event)


@pytest.fixture
def events() -> Iterator[list[ChunkFilterEvent]]:
    """The events that any run of this test sends to LlamaIndex."""
    dispatcher, recorder = get_dispatcher(), _Recorder()
    dispatcher.add_event_handler(recorder)
    yield recorder.events
    dispatcher.event_handlers.remove(recorder)
