"""Pipelines with worker processes: each sees a share, a second pass in one process makes it whole."""

import pytest
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import Document

from llamaindex_chunkfilter import ChunkFilterTransform, ChunkFilterWarning

NOTICE = "Boilerplate notice."
BODIES = [f"The body of document number {number}." for number in range(5)]
WHOLE = [NOTICE, *BODIES]


@pytest.fixture
def documents():
    return [Document(text=f"{NOTICE}\n\n\n{body}", id_=f"d{n}") for n, body in enumerate(BODIES)]


def texts(nodes):
    return [node.get_content() for node in nodes]


def steps(*more):
    return [SentenceSplitter(chunk_size=12, chunk_overlap=0), *more]


@pytest.mark.slow
def test_workers_filter_their_share_and_a_second_pass_the_rest(documents):
    step = ChunkFilterTransform("exact")
    pipeline = IngestionPipeline(transformations=steps(step))
    with pytest.warns(ChunkFilterWarning, match="num_workers=2: each worker sees only its share") as caught:
        shares = pipeline.run(documents=documents, num_workers=2)
    assert len([one for one in caught if one.category is ChunkFilterWarning]) == 1
    assert len(WHOLE) < len(shares) < 10
    assert texts(step(shares)) == WHOLE
    assert texts(pipeline.run(documents=documents)) == WHOLE


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["coverage", "exact scope=source"])
def test_a_filter_after_the_workers_gives_what_one_process_gives(documents, policy):
    alone = IngestionPipeline(transformations=steps(ChunkFilterTransform(policy))).run(documents=documents)
    split = IngestionPipeline(transformations=steps()).run(documents=documents, num_workers=2)
    assert texts(ChunkFilterTransform(policy)(split)) == texts(alone)


@pytest.mark.slow
async def test_asynchronous_runs_with_workers_are_warned_too(documents):
    pipeline = IngestionPipeline(transformations=steps(ChunkFilterTransform("exact")))
    with pytest.warns(ChunkFilterWarning, match="sees only its share"):
        await pipeline.arun(documents=documents, num_workers=2)


def test_one_worker_is_one_process(documents, recwarn):
    pipeline = IngestionPipeline(transformations=steps(ChunkFilterTransform("exact")))
    assert texts(pipeline.run(documents=documents, num_workers=1)) == WHOLE
    assert [one for one in recwarn if one.category is ChunkFilterWarning] == []
