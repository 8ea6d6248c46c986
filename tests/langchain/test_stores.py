"""Filtered documents in a persistent Chroma, embedded once."""

from pathlib import Path

import chromadb
import pytest
from langchain_chroma import Chroma
from langchain_classic.embeddings import CacheBackedEmbeddings
from langchain_classic.storage import LocalFileStore

from chunkfilter.errors import InputError
from langchain_chunkfilter import ChunkFilter


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "chroma"


def stored_ids(folder: Path, name: str = "handbook") -> set[str]:
    return set(chromadb.PersistentClient(str(folder)).get_collection(name).get(include=[])["ids"])


def test_what_is_kept_is_found_again_in_a_persistent_store(identified, minilm, folder):
    kept = ChunkFilter().transform_documents(identified)
    Chroma("handbook", minilm, persist_directory=str(folder)).add_documents(kept)
    assert stored_ids(folder) == {document.id for document in kept}
    reopened = Chroma("handbook", minilm, persist_directory=str(folder))
    (best,) = reopened.similarity_search(kept[3].page_content, k=1)
    assert best.page_content == kept[3].page_content


def test_with_a_cache_filter_and_store_embed_each_text_once(identified, minilm, folder, tmp_path):
    cached = CacheBackedEmbeddings.from_bytes_store(
        minilm, LocalFileStore(tmp_path / "vectors"), namespace="all-MiniLM-L6-v2", key_encoder="sha256"
    )
    kept = ChunkFilter(policy="similarity@0.9", embeddings=cached).transform_documents(identified)
    Chroma("handbook", cached, persist_directory=str(folder)).add_documents(kept)
    assert len(minilm.texts) == len(set(minilm.texts))
    assert stored_ids(folder) == {document.id for document in kept}


def test_vectors_are_handed_on_to_the_store(identified, minilm, folder):
    vectors = minilm.embed_documents([document.page_content for document in identified])
    asked = len(minilm.texts)
    kept, result = ChunkFilter(policy="similarity@0.9").filter_with_result(identified, vectors=vectors)
    client = chromadb.PersistentClient(str(folder))
    client.create_collection("handbook").add(
        ids=[document.id for document in kept],
        documents=[document.page_content for document in kept],
        metadatas=[document.metadata for document in kept],
        embeddings=[vectors[position] for position in result.kept],
    )
    store = Chroma("handbook", minilm, client=client)
    assert store.similarity_search(kept[0].page_content, k=1)[0].id == kept[0].id
    assert len(minilm.texts) == asked


def test_annotations_can_be_stored(repeated, minilm, folder):
    kept = ChunkFilter(annotate=True).transform_documents(repeated)
    store = Chroma("handbook", minilm, persist_directory=str(folder))
    store.add_documents(kept)
    assert store.get_by_ids(["first"])[0].metadata["chunkfilter_stands_for"] == ["second"]


def test_ingestion_goes_on_against_what_is_stored(repeated, minilm, folder):
    store = Chroma("handbook", minilm, persist_directory=str(folder))
    store.add_documents(ChunkFilter().transform_documents(repeated[:1]))
    stored = store.get_by_ids(list(stored_ids(folder)))
    store.add_documents(ChunkFilter(existing=stored).transform_documents(repeated[1:]))
    assert stored_ids(folder) == {"first", "third"}


def test_an_empty_result_is_an_empty_list_not_a_call_to_the_store(repeated, minilm):
    kept = ChunkFilter(existing=repeated).transform_documents(repeated)
    assert kept == []
    with pytest.raises(InputError):
        ChunkFilter().transform_documents([*repeated, None])
