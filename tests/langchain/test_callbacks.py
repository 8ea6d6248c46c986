"""What callback handlers are told."""

import json

from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_chunkfilter import ChunkFilter, ChunkFilterRetriever

COUNTS = {"policy": "exact", "documents": 3, "kept": 2, "removed_by_rule": {"exact": 1}}


def counts(event):
    name, data = event
    assert name == "chunkfilter"
    json.dumps(data)
    return {key: data[key] for key in COUNTS}


def test_a_chain_reports_counts(repeated, events):
    chain = RunnableLambda(lambda _: repeated) | ChunkFilter(policy="exact").transform_documents
    chain.invoke(None, {"callbacks": [events]})
    assert [counts(event) for event in events.received] == [COUNTS]


def test_handlers_may_be_given_directly(repeated, events):
    ChunkFilter(policy="exact").filter_with_result(repeated, callbacks=[events])
    assert [counts(event) for event in events.received] == [COUNTS]


class AsyncEvents(AsyncCallbackHandler):
    def __init__(self):
        self.received = []

    async def on_custom_event(self, name, data, **kwargs):
        self.received.append((name, data))


async def test_asynchronous_handlers_are_awaited(repeated):
    events = AsyncEvents()
    await ChunkFilter(policy="exact").afilter_with_result(repeated, callbacks=[events])
    assert [counts(event) for event in events.received] == [COUNTS]


async def test_contextual_compression_passes_its_handlers_on(repeated, minilm, events):
    store = InMemoryVectorStore(minilm)
    store.add_documents(repeated)
    retriever = ContextualCompressionRetriever(
        base_compressor=ChunkFilter(policy="exact"), base_retriever=store.as_retriever()
    )
    retriever.invoke("freezer", {"callbacks": [events]})
    await retriever.ainvoke("freezer", {"callbacks": [events]})
    assert [counts(event) for event in events.received] == [COUNTS, COUNTS]


async def test_the_retriever_runs_its_base_as_a_child(repeated, minilm, events):
    started = []
    events.on_retriever_start = lambda *_, run_id, parent_run_id=None, **__: started.append(
        (run_id, parent_run_id)
    )
    store = InMemoryVectorStore(minilm)
    store.add_documents(repeated)
    retriever = ChunkFilterRetriever(base=store, policy="exact", k=2)
    retriever.invoke("freezer", {"callbacks": [events]})
    await retriever.ainvoke("freezer", {"callbacks": [events]})
    assert len(started) == 4
    for outer, inner in (started[:2], started[2:]):
        assert outer[1] is None
        assert inner[1] == outer[0]
    assert [counts(event) for event in events.received] == [COUNTS, COUNTS]


async def test_the_event_shows_in_a_stream_of_events(repeated):
    chain = RunnableLambda(lambda _: repeated) | ChunkFilter(policy="exact").transform_documents
    stream = [event async for event in chain.astream_events(None, version="v2")]
    assert [event["data"]["kept"] for event in stream if event["event"] == "on_custom_event"] == [2]


def test_outside_of_a_run_nobody_is_told_and_nothing_fails(repeated):
    assert len(ChunkFilter(policy="exact").transform_documents(repeated)) == 2
