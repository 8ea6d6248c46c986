"""Nothing here holds up the event loop."""

import asyncio
import threading

import pytest
from llama_index.core.schema import NodeWithScore, TextNode

from llamaindex_chunkfilter import ChunkFilterPostprocessor, ChunkFilterTransform

TEXTS = ["The pump runs.", "The door is open.", "The pump runs."]


class Gate:
    """Holds a thread until another one opens it."""

    def __init__(self):
        self._reached, self._opened = threading.Event(), threading.Event()

    def pass_through(self):
        self._reached.set()
        if not self._opened.wait(60):
            raise TimeoutError("nobody opened the gate: the step holds up the event loop")

    async def open_for(self, work):
        """What the work returns; the gate opens only if the event loop runs on while the work waits at it."""
        running = asyncio.create_task(work)
        while not self._reached.is_set():
            await asyncio.sleep(0.001)
        assert not running.done()
        self._opened.set()
        return await running


@pytest.fixture
def gate():
    return Gate()


@pytest.fixture
def gated(gate):
    """Nodes whose text can be read only past the gate."""

    class Gated(TextNode):
        def get_content(self, *args, **kwargs):
            gate.pass_through()
            return super().get_content(*args, **kwargs)

    return [Gated(text=text) for text in TEXTS]


@pytest.mark.parametrize("policy", ["exact", "coverage"])
async def test_the_loop_is_free_while_a_transform_reads_and_filters_texts(policy, gate, gated):
    kept = await gate.open_for(ChunkFilterTransform(policy).acall(gated))
    assert [node.text for node in kept] == TEXTS[:2]


async def test_the_loop_is_free_while_a_postprocessor_reads_and_filters_texts(gate, gated):
    scored = [NodeWithScore(node=node, score=1.0) for node in gated]
    kept = await gate.open_for(ChunkFilterPostprocessor("exact").apostprocess_nodes(scored))
    assert [one.node.text for one in kept] == TEXTS[:2]


async def test_a_model_without_asynchronous_methods_works_in_a_thread(minilm, gate):
    class Gated(type(minilm)):
        def _get_text_embeddings(self, texts):
            gate.pass_through()
            return super()._get_text_embeddings(texts)

    step = ChunkFilterTransform("similarity@0.99", Gated())
    kept = await gate.open_for(step.acall([TextNode(text=text) for text in TEXTS]))
    assert [node.text for node in kept] == TEXTS[:2]


async def test_a_model_with_asynchronous_methods_is_awaited(minilm):
    class Native(type(minilm)):
        async def _aget_text_embeddings(self, texts):
            self.native.append(len(texts))
            await asyncio.sleep(0)
            return self._get_text_embeddings(texts)

        native: list[int] = []  # noqa: RUF012  # a pydantic field

    model = Native()
    kept = await ChunkFilterTransform("similarity@0.9", model).acall([TextNode(text="a"), TextNode(text="a")])
    assert (len(kept), model.native) == (1, [1])
