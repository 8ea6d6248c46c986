"""Framework objects: those around a store we know are pruned, the others say what they cannot do."""

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings
from langchain_chroma import Chroma
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core import Document, MockEmbedding, StorageContext, VectorStoreIndex
from llama_index.vector_stores.chroma import ChromaVectorStore
from qdrant_client import QdrantClient, models

from chunkfilter.errors import InputError
from chunkfilter.stores import apply_plan, make_plan, open_store, undo_plan

TEXTS = ["The pump runs.", "The door is open.", "The pump runs.", "The fan is off."]


class Counting(DeterministicFakeEmbedding):
    """Counts how often it is asked."""

    calls: int = 0

    def embed_documents(self, texts):
        self.calls += 1
        return super().embed_documents(texts)

    def embed_query(self, text):
        self.calls += 1
        return super().embed_query(text)


def client():
    return chromadb.EphemeralClient(Settings(anonymized_telemetry=False))


def prune_and_undo(store, tmp_path):
    plan = make_plan(store, "exact", tmp_path / "plan")
    assert apply_plan(store, plan).rows == len(TEXTS) - 1
    assert undo_plan(store, plan).restored == 1


def test_a_langchain_chroma_is_pruned_and_restored_without_embedding(tmp_path):
    embedding = Counting(size=8)
    kept = Chroma("langchain_rows", embedding, client=client(), collection_configuration={})
    kept.add_texts(TEXTS, [{"n": place} for place in range(len(TEXTS))])
    asked = embedding.calls
    prune_and_undo(open_store(kept), tmp_path)
    assert embedding.calls == asked
    found = kept.similarity_search_by_vector(embedding.embed_query("The pump runs."), k=4)
    assert sorted(one.page_content for one in found) == sorted(TEXTS)
    kept.delete_collection()


def test_a_llamaindex_index_over_chroma_is_pruned_and_restored(tmp_path):
    collection = client().create_collection("llamaindex_rows", embedding_function=None)
    context = StorageContext.from_defaults(vector_store=ChromaVectorStore(chroma_collection=collection))
    index = VectorStoreIndex.from_documents(
        [Document(text=text) for text in TEXTS], context, embed_model=MockEmbedding(8)
    )
    prune_and_undo(open_store(index), tmp_path)
    assert len(index.as_retriever(similarity_top_k=10).retrieve("pump")) == len(TEXTS)


class QdrantHolder:
    """What LangChain's QdrantVectorStore shows of itself."""

    def __init__(self, held, name):
        self.client, self.collection_name, self.content_payload_key = held, name, "page_content"


def test_an_object_around_a_qdrant_client_is_pruned_and_restored(tmp_path):
    held = QdrantClient(":memory:")
    held.create_collection("rows", models.VectorParams(size=8, distance=models.Distance.DOT))
    values = np.random.default_rng(0).normal(size=(len(TEXTS), 8)).astype(np.float32)
    held.upsert(
        "rows",
        [
            models.PointStruct(
                id=place,
                vector=values[place].tolist(),
                payload={"page_content": text, "metadata": {"n": place}},
            )
            for place, text in enumerate(TEXTS)
        ],
    )
    store = open_store(QdrantHolder(held, "rows"))
    assert next(iter(store.pages(vectors=False)))[1].metadata == {"n": 1}
    prune_and_undo(store, tmp_path)
    store.close()
    assert held.count("rows").count == len(TEXTS), "the caller's client must stay open"
    held.close()


@pytest.mark.parametrize(
    "given",
    [
        InMemoryVectorStore(DeterministicFakeEmbedding(size=8)),
        VectorStoreIndex.from_documents([Document(text="One.")], embed_model=MockEmbedding(8)),
    ],
)
def test_an_object_that_cannot_list_its_rows_says_what_can_be_done(given):
    with pytest.raises(InputError, match=r"(?s)no way to list its rows.*evaluate and ChunkFilterRetriever"):
        open_store(given)


def test_anything_else_is_refused():
    with pytest.raises(InputError, match="got int; expected a URL"):
        open_store(3)
