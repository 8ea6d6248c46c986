"""Asynchronous use: embeddings are awaited, the event loop stays free."""

import asyncio
import statistics
import time

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_chunkfilter import ChunkFilter

TICK = 0.005


@pytest.fixture(scope="module")
def six_thousand(load):
    """Chunks of the corpus cut in many ways."""
    documents: list[Document] = []
    for size in range(150, 800, 25):
        documents += RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=75).split_documents(
            load(None)
        )
    assert len(documents) >= 6000
    return documents[:6000]


async def ticking_during(work):
    """Seconds the work took, and the gaps between ticks meanwhile."""
    gaps, running = [], True

    async def tick():
        last = time.perf_counter()
        while running:
            await asyncio.sleep(TICK)
            now = time.perf_counter()
            gaps.append(now - last)
            last = now

    ticker = asyncio.create_task(tick())
    await asyncio.sleep(0)
    started = time.perf_counter()
    await work
    seconds = time.perf_counter() - started
    running = False
    await ticker
    return seconds, gaps


async def test_a_ticker_keeps_ticking_while_six_thousand_documents_are_filtered(
    six_thousand, record_property
):
    seconds, gaps = await ticking_during(ChunkFilter().atransform_documents(six_thousand))
    record_property("seconds, ticks, longest gap", (seconds, len(gaps), max(gaps)))
    assert statistics.median(gaps) < 4 * TICK
    assert len(gaps) > 20, "a blocked loop ticks once, after the work"


class AsynchronousOnly(Embeddings):
    """A client of a service that must not be called from an event loop's thread."""

    def __init__(self, minilm):
        self.minilm = minilm

    def embed_documents(self, texts):
        raise AssertionError("the synchronous method was called")

    embed_query = embed_documents

    async def aembed_documents(self, texts):
        return await self.minilm.aembed_documents(texts)


async def test_asynchronous_embeddings_are_awaited(repeated, minilm):
    chunk_filter = ChunkFilter(policy="similarity@0.95", embeddings=AsynchronousOnly(minilm))
    kept = await chunk_filter.acompress_documents(repeated, "freezer")
    assert [document.id for document in kept] == ["first", "third"]
    assert minilm.awaited == 1


async def test_one_filter_serves_many_calls_at_once(identified):
    chunk_filter = ChunkFilter()
    parts = [identified[start : start + 60] for start in range(0, 600, 60)]
    together = await asyncio.gather(*(chunk_filter.atransform_documents(part) for part in parts))
    assert together == [chunk_filter.transform_documents(part) for part in parts]
