"""Pipelines with worker processes: each sees a share, a second pass in one process makes it whole."""

from pathlib import Path

import llama_index.core
import pytest
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import Document

from llamaindex_chunkfilter import ChunkFilterTransform, ChunkFilterWarning

pytestmark = [
    pytest.mark.slow,
    # LlamaIndex forks for asynchronous runs; Python 3.12 warns of that where threads were started
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning"),
]

NOTICE = "Boilerplate notice."
BODIES = [f"The body of document number {number}." for number in range(5)]
WHOLE = [NOTICE, *BODIES]


@pytest.fixture(autouse=True)
def token_table(monkeypatch):
    """A splitter that is unpickled in a worker looks its tokens up before LlamaIndex tells it where."""
    folder = Path(llama_index.core.__file__).parent / "_static" / "tiktoken_cache"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))


@pytest.fixture
def documents():
    return [Document(text=f"{NOTICE}\n\n\n{body}", id_=f"d{n}") for n, body in enumerate(BODIES)]


def texts(nodes):
    return [node.get_content() for node in nodes]


def steps(*more):
    return [SentenceSplitter(chunk_size=12, chunk_overlap=0), *more]


def test_workers_filter_their_share_and_a_second_pass_the_rest(documents):
    step = ChunkFilterTransform("exact")
    pipeline = IngestionPipeline(transformations=steps(step))
    with pytest.warns(ChunkFilterWarning, match="num_workers=2: each worker sees only its share") as caught:
        shares = pipeline.run(documents=documents, num_workers=2)
    assert len([one for one in caught if one.category is ChunkFilterWarning]) == 1
    assert len(WHOLE) < len(shares) < 10
    assert texts(step(shares)) == WHOLE
    assert texts(pipeline.run(documents=documents)) == WHOLE


@pytest.mark.parametrize("policy", ["coverage", "exact scope=source"])
def test_a_filter_after_the_workers_gives_what_one_process_gives(documents, policy):
    alone = IngestionPipeline(transformations=steps(ChunkFilterTransform(policy))).run(documents=documents)
    split = IngestionPipeline(transformations=steps()).run(documents=documents, num_workers=2)
    assert texts(ChunkFilterTransform(policy)(split)) == texts(alone)


async def test_asynchronous_runs_with_workers_are_warned_too(documents):
    pipeline = IngestionPipeline(transformations=steps(ChunkFilterTransform("exact")))
    with pytest.warns(ChunkFilterWarning, match="sees only its share"):
        await pipeline.arun(documents=documents, num_workers=2)


def test_one_worker_is_one_process(documents, recwarn):
    pipeline = IngestionPipeline(transformations=steps(ChunkFilterTransform("exact")))
    assert texts(pipeline.run(documents=documents, num_workers=1)) == WHOLE
    assert [one for one in recwarn if one.category is ChunkFilterWarning] == []
