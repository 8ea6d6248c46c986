"""With LangChain's indexing API: what is unchanged is not embedded again."""

import pytest
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index

from langchain_chunkfilter import ChunkFilter

NOTICE = "Only trained staff may open the rear panel of the freezer."
PLUG = "Pull the plug at the wall before the rear panel is opened."
NEW = "The rear panel has carried a lock since spring."


def document(text, source):
    return Document(text, metadata={"source": source})


class Setup:
    def __init__(self, minilm):
        self.store = Chroma("indexed", minilm)
        self.records = InMemoryRecordManager("indexed")
        self.records.create_schema()

    def index(self, documents, cleanup="full", policy="coverage", **options):
        kept = ChunkFilter(policy=policy, **options).transform_documents(documents)
        return index(
            kept, self.records, self.store, cleanup=cleanup, source_id_key="source", key_encoder="sha256"
        )

    def stored(self):
        found = self.store.get()
        return sorted(zip(found["documents"], (one["source"] for one in found["metadatas"]), strict=True))


@pytest.fixture
def setup(minilm):
    setup = Setup(minilm)
    yield setup
    setup.store.delete_collection()


def counts(added=0, updated=0, skipped=0, deleted=0):
    return {"num_added": added, "num_updated": updated, "num_skipped": skipped, "num_deleted": deleted}


def test_unchanged_documents_are_not_embedded_again(setup, chunks, minilm):
    first = setup.index(chunks)
    asked = len(minilm.texts)
    assert 0 < asked == first["num_added"] < len(chunks)
    assert setup.index(chunks) == counts(skipped=first["num_added"])
    assert len(minilm.texts) == asked


def test_annotations_make_other_documents_of_them(setup):
    documents = [document(NOTICE, "a.md"), document(NOTICE, "b.md")]
    setup.index(documents)
    assert setup.index(documents, annotate=True) == counts(added=1, deleted=1)


def test_a_full_load_brings_a_text_back_from_another_source_when_its_own_changes(setup):
    copy = document(NOTICE, "b.md")
    setup.index([document(NOTICE, "a.md"), copy])
    assert setup.stored() == [(NOTICE, "a.md")]
    assert setup.index([document(NEW, "a.md"), copy]) == counts(added=2, deleted=1)
    assert setup.stored() == sorted([(NEW, "a.md"), (NOTICE, "b.md")])


def test_loading_only_what_changed_loses_a_text_that_stood_for_others(setup):
    setup.index([document(NOTICE, "a.md"), document(NOTICE, "b.md")], cleanup="incremental")
    setup.index([document(NEW, "a.md")], cleanup="incremental")
    assert setup.stored() == [(NEW, "a.md")]


def test_scope_source_makes_loading_only_what_changed_safe(setup):
    policy = "coverage scope=source"
    documents = [document(NOTICE, "a.md"), document(NOTICE, "a.md"), document(NOTICE, "b.md")]
    setup.index(documents, cleanup="incremental", policy=policy)
    assert setup.stored() == [(NOTICE, "a.md"), (NOTICE, "b.md")]
    setup.index([document(NEW, "a.md")], cleanup="incremental", policy=policy)
    assert setup.stored() == sorted([(NEW, "a.md"), (NOTICE, "b.md")])


def test_a_source_whose_chunks_all_went_is_cleaned_up_by_a_full_load_only(setup):
    both = [document(NOTICE, "a.md"), document(PLUG, "a.md"), document(NOTICE, "b.md")]
    setup.index(both, policy="none", cleanup="incremental")
    setup.index(both, cleanup="incremental")
    assert (NOTICE, "b.md") in setup.stored()
    setup.index(both, cleanup="full")
    assert setup.stored() == sorted([(NOTICE, "a.md"), (PLUG, "a.md")])
