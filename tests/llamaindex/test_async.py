"""Nothing here holds up the event loop."""

import asyncio
import time

import pytest
from llama_index.core.schema import NodeWithScore, TextNode

from llamaindex_chunkfilter import ChunkFilterPostprocessor, ChunkFilterTransform

TICK = 0.005


def many(count):
    filler = "some words of no importance that fill a paragraph of a common length " * 5
    return [TextNode(text=f"Paragraph {number % (count - count // 5)}. {filler}") for number in range(count)]


async def longest_gap(work):
    """The longest time between two ticks while ``work`` is awaited, and how often it ticked."""
    gaps, running = [], True

    async def tick():
        last = time.perf_counter()
        while running:
            await asyncio.sleep(TICK)
            now = time.perf_counter()
            gaps.append(now - last)
            last = now

    ticker = asyncio.create_task(tick())
    result = await work
    running = False
    await ticker
    return max(gaps), len(gaps), result


@pytest.mark.parametrize("policy", ["exact", "coverage"])
async def test_a_ticker_stays_alive_over_six_thousand_nodes(policy):
    nodes = many(6000)
    step = ChunkFilterTransform(policy)
    expected = [node.node_id for node in step(nodes)]
    gaps = []
    for _ in range(3):  # other processes may hold up one of the runs
        gap, ticks, kept = await longest_gap(step.acall(nodes))
        assert [node.node_id for node in kept] == expected
        assert ticks > 10
        gaps.append(gap)
    assert min(gaps) < 0.25


async def test_a_model_without_asynchronous_methods_works_in_a_thread(minilm):
    nodes = many(200)
    step = ChunkFilterTransform("similarity@0.99", minilm)
    step(nodes[:2])
    gap, ticks, _ = await longest_gap(step.acall(nodes))
    assert ticks > 5
    assert gap < 0.5


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


async def test_postprocessing_stays_off_the_loop():
    nodes = [NodeWithScore(node=node, score=1.0) for node in many(3000)]
    step = ChunkFilterPostprocessor("exact")
    expected = step.postprocess_nodes(nodes)
    runs = [await longest_gap(step.apostprocess_nodes(nodes)) for _ in range(3)]
    assert min(gap for gap, _, _ in runs) < 0.25
    assert all(kept == expected for _, _, kept in runs)
