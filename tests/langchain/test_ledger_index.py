"""``index`` with a ledger: the store is in step whatever was removed before."""

import uuid

import pytest
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore

import chunkfilter as cf
from chunkfilter.errors import InputError
from langchain_chunkfilter import aindex, index

PUMP = "The pump starts at six in the morning."
VALVE = "Valve B4 opens when the pressure reaches 12 bar."
PAGE = f"{VALVE} {PUMP} {VALVE}"  # the pump's sentence is at no edge
NOTHING = dict.fromkeys(
    ("num_added", "num_updated", "num_skipped", "num_deleted", "num_removed", "num_restored"), 0
)


class Counting(DeterministicFakeEmbedding):
    texts: list[str] = []  # noqa: RUF012  # a field of pydantic

    def embed_documents(self, texts):
        self.texts.extend(texts)
        return super().embed_documents(texts)


@pytest.fixture(params=["memory", "chroma"])
def store(request):
    embedding = Counting(size=8, texts=[])
    if request.param == "memory":
        return InMemoryVectorStore(embedding)
    return Chroma(f"test-{uuid.uuid4()}", embedding)


@pytest.fixture
def ledger(tmp_path):
    return cf.Ledger(tmp_path / "handbook.ledger")


def document(text, source, **metadata):
    return Document(text, metadata={"source": source, **metadata})


def rows(store):
    found = store.similarity_search("x", k=20)
    return sorted((row.page_content, row.metadata["source"], row.metadata.get("also_in")) for row in found)


def embedded(store):
    return store.embeddings.texts


def test_a_text_comes_back_when_the_document_that_held_its_copy_changes(store, ledger):
    both = [document(PAGE, "a.md"), document(PUMP, "b.md")]
    assert index(both, ledger, store) == {**NOTHING, "num_added": 1, "num_removed": 1}
    assert rows(store) == [(PAGE, "a.md", ["b.md"])]
    change = index([document(VALVE, "a.md")], ledger, store)
    assert change == {**NOTHING, "num_added": 2, "num_deleted": 1, "num_restored": 1}
    assert rows(store) == [(PUMP, "b.md", None), (VALVE, "a.md", None)]


def test_a_run_that_changes_nothing_embeds_nothing(store, ledger):
    documents = [document(PUMP, "a.md"), document(PUMP, "b.md"), document(VALVE, "b.md")]
    index(documents, ledger, store)
    assert sorted(embedded(store)) == [PUMP, VALVE]
    assert index(documents, ledger, store) == {**NOTHING, "num_skipped": 2, "num_removed": 1}
    assert len(embedded(store)) == 2


def test_a_shared_row_changes_its_metadata_without_being_embedded(store, ledger):
    index([document(PUMP, "a.md", draft=True), document(PUMP, "b.md")], ledger, store)
    assert rows(store) == [(PUMP, "a.md", ["b.md"])]
    index([document(PUMP, "b.md")], ledger, store, cleanup="full")
    assert rows(store) == [(PUMP, "b.md", None)]
    assert "draft" not in store.similarity_search("x")[0].metadata
    assert embedded(store) == [PUMP]


def test_without_cleanup_nothing_is_deleted(store, ledger):
    index([document(PUMP, "a.md")], ledger, store)
    index([document(VALVE, "a.md")], ledger, store, cleanup=None)
    assert rows(store) == [(PUMP, "a.md", None), (VALVE, "a.md", None)]


def test_force_update_embeds_every_row_again(store, ledger):
    index([document(PUMP, "a.md")], ledger, store)
    again = index([document(PUMP, "a.md")], ledger, store, force_update=True)
    assert again == {**NOTHING, "num_updated": 1}
    assert embedded(store) == [PUMP, PUMP]


def test_the_next_run_finishes_what_a_failure_left(store, ledger, monkeypatch):
    index([document(PAGE, "a.md"), document(PUMP, "b.md")], ledger, store)
    with monkeypatch.context() as patch:
        patch.setattr(type(store), "delete", lambda *_, **__: (_ for _ in ()).throw(OSError("gone")))
        with pytest.raises(OSError, match="gone"):
            index([], ledger, store, cleanup="full")
    assert len(rows(store)) == 1
    index([document(VALVE, "c.md")], ledger, store)
    assert rows(store) == [(VALVE, "c.md", None)]


async def test_asynchronously(store, ledger):
    documents = [document(PUMP, "a.md"), document(PUMP, "b.md")]
    result = await aindex(iter(documents), ledger, store, batch_size=1)
    assert result == {**NOTHING, "num_added": 1, "num_removed": 1}


def test_wrong_arguments(store, ledger):
    with pytest.raises(InputError, match="document 0: no source"):
        index([Document(PUMP)], ledger, store)
    with pytest.raises(InputError, match="cleanup: got 'all'"):
        index([], ledger, store, cleanup="all")
    with pytest.raises(InputError, match="batch_size: got 0"):
        index([], ledger, store, batch_size=0)
