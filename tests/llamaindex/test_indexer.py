"""An index and a ledger in step: whatever leaves, no sentence of a current document is lost."""

import pytest
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.node_parser import SentenceSplitter

import chunkfilter as cf
from llamaindex_chunkfilter import ChunkFilterIndexer

PUMP = "The pump starts at six in the morning."
VALVE = "Valve B4 opens when the pressure reaches 12 bar."
PAGE = f"{VALVE} {PUMP} {VALVE}"  # the pump's sentence is at no edge


@pytest.fixture
def index():
    return VectorStoreIndex([], embed_model=MockEmbedding(4))


@pytest.fixture
def indexer(index, tmp_path):
    return ChunkFilterIndexer(index, cf.Ledger(tmp_path / "handbook.ledger"), [SentenceSplitter()])


def document(text, name):
    return Document(text=text, id_=name, metadata={"file": name})


def rows(index):
    nodes = [found.node for found in index.as_retriever(similarity_top_k=20).retrieve("x")]
    assert {node.node_id for node in nodes} == set(index.docstore.docs)
    return sorted((node.text, node.ref_doc_id, node.metadata.get("also_in")) for node in nodes)


def test_a_text_comes_back_when_the_document_that_held_its_copy_leaves(index, indexer):
    assert indexer.refresh_ref_docs([document(PAGE, "a"), document(PUMP, "b")]) == [True, True]
    assert rows(index) == [(PAGE, "a", '["b"]')]
    indexer.delete_ref_doc("a")
    assert rows(index) == [(PUMP, "b", None)]


def test_only_changed_documents_are_refreshed(index, indexer):
    indexer.insert(document(PUMP, "a"))
    assert indexer.refresh_ref_docs([document(PUMP, "a"), document(VALVE, "b")]) == [False, True]
    assert indexer.refresh_ref_docs([document(VALVE, "a")]) == [True]
    assert [text for text, *_ in rows(index)] == [VALVE]


def test_the_next_run_finishes_what_a_failure_left(index, indexer, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(type(index), "insert_nodes", lambda *_: (_ for _ in ()).throw(OSError("gone")))
        with pytest.raises(OSError, match="gone"):
            indexer.insert(document(PUMP, "a"))
    indexer.delete_ref_doc("unknown")
    assert rows(index) == [(PUMP, "a", None)]


async def test_asynchronously(index, indexer):
    await indexer.ainsert(document(PUMP, "a"))
    assert await indexer.arefresh_ref_docs([document(VALVE, "b")]) == [True]
    await indexer.adelete_ref_doc("a")
    assert rows(index) == [(VALVE, "b", None)]
