"""LangChain's splitters for chunkfilter, and chunkfilter's for LangChain."""

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_text_splitters import (
    CharacterTextSplitter,
    MarkdownTextSplitter,
    RecursiveCharacterTextSplitter,
)

from chunkfilter.errors import MissingSignalError, SplitterError
from langchain_chunkfilter import ChunkFilter, ChunkFilterSplitter, to_chunks

SPLITTERS = [
    RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=100, add_start_index=True),
    CharacterTextSplitter(chunk_size=300, chunk_overlap=0, add_start_index=True),
    MarkdownTextSplitter(chunk_size=300, chunk_overlap=50, add_start_index=True),
]


@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda splitter: type(splitter).__name__)
def test_documents_of_any_splitter_become_chunks_with_source_and_span(splitter, load):
    documents = load(None)
    texts = {document.metadata["source"]: document.page_content for document in documents}
    chunks = to_chunks(splitter.split_documents(documents))
    assert {chunk.source for chunk in chunks} == set(texts)
    for chunk in chunks:
        assert texts[chunk.source][chunk.start : chunk.end] == chunk.text


@pytest.mark.parametrize("start", [-1, None, "7", 2.0])
def test_a_start_that_no_splitter_knows_is_no_span(start):
    (chunk,) = to_chunks([Document("text", id="a", metadata={"start_index": start})])
    assert (chunk.spans, chunk.source, chunk.id) == ((), None, "a")


@pytest.mark.parametrize(
    "spec", ["recursive:400:200", "fixed:100:50", "recursive-tokens:100:0", "cluster:100"]
)
def test_documents_know_where_they_were_cut(spec, load, minilm):
    splitter = ChunkFilterSplitter(spec, minilm)
    documents = load(None)[:3]
    texts = {document.metadata["source"]: document.page_content for document in documents}
    chunks = splitter.split_documents(documents)
    assert len(chunks) > len(documents)
    for chunk in chunks:
        start = chunk.metadata["start_index"]
        assert texts[chunk.metadata["source"]][start:].startswith(chunk.page_content)


def test_the_start_is_right_where_a_text_repeats_itself():
    text = "Check the seal.\n" * 40
    starts = [
        chunk.metadata["start_index"]
        for chunk in ChunkFilterSplitter("recursive:64:32").create_documents([text])
    ]
    assert starts == sorted(set(starts))


def test_it_is_a_text_splitter_like_any_other(load):
    splitter = ChunkFilterSplitter("recursive:400:0", add_start_index=False)
    document = load(None)[0]
    assert splitter.split_text(document.page_content) == [
        chunk.page_content for chunk in splitter.transform_documents([document])
    ]
    assert splitter.split_documents([document])[0].metadata == document.metadata
    chain = RunnableLambda(load) | splitter.split_documents | ChunkFilter().transform_documents
    assert chain.invoke(None)


def test_a_mistake_fails_when_the_splitter_is_made():
    with pytest.raises(SplitterError, match="unknown name 'recursiv'; expected one of "):
        ChunkFilterSplitter("recursiv:400:200")
    with pytest.raises(MissingSignalError, match="cluster:200"):
        ChunkFilterSplitter("cluster:200")
