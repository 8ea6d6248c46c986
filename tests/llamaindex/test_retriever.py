"""The retriever that fills up to k."""

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode

from chunkfilter.errors import InputError
from llamaindex_chunkfilter import ChunkFilterRetriever


@pytest.fixture
def index(minilm):
    texts = ["Lunch is at noon."] * 9 + ["Lunch may be late.", "Dinner is at seven.", "Tea is at five."]
    nodes = [TextNode(text=text, metadata={"page": page}) for page, text in enumerate(texts)]
    for node in nodes:
        node.excluded_embed_metadata_keys = ["page"]
    return VectorStoreIndex(nodes, embed_model=minilm)


def texts(nodes):
    return [node.get_content() for node in nodes]


WANTED = ["Lunch is at noon.", "Lunch may be late.", "Dinner is at seven."]


async def test_more_are_fetched_until_k_are_left(index):
    base = index.as_retriever(similarity_top_k=2)
    retriever = ChunkFilterRetriever(base, k=3)
    found = retriever.retrieve("When is lunch served?")
    assert texts(found) == WANTED
    assert texts(await retriever.aretrieve("When is lunch served?")) == WANTED
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert base.similarity_top_k == 2


def test_a_small_index_gives_all_it_has(index):
    assert len(ChunkFilterRetriever(index.as_retriever(), k=20).retrieve("lunch")) == 4


def test_a_retriever_of_fixed_size_is_asked_once():
    class Fixed(BaseRetriever):
        asked = 0

        def _retrieve(self, query_bundle):
            self.asked += 1
            return [NodeWithScore(node=TextNode(text=text), score=1.0) for text in ("a", "a", "b", "c")]

    base = Fixed()
    assert texts(ChunkFilterRetriever(base, "exact", k=2).retrieve("q")) == ["a", "b"]
    assert base.asked == 1


@pytest.mark.parametrize("sizes", [{"k": 0}, {"k": 3, "fetch_k": 2}])
def test_sizes_that_make_no_sense_are_refused(index, sizes):
    with pytest.raises(InputError, match="expected"):
        ChunkFilterRetriever(index.as_retriever(), **sizes)
