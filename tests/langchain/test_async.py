"""Asynchronous use: embeddings are awaited, the event loop stays free."""

import asyncio
import threading

from langchain_core.embeddings import Embeddings

from langchain_chunkfilter import ChunkFilter


async def test_decisions_are_made_off_the_event_loop(repeated):
    threads = []

    def entities(texts):
        threads.append(threading.current_thread())
        return [set(text.split()) for text in texts]

    kept = await ChunkFilter(policy="ner-exact", entities=entities).atransform_documents(repeated)
    assert [document.id for document in kept] == ["first", "third"]
    assert threads
    assert threading.main_thread() not in threads


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
