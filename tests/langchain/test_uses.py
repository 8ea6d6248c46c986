"""Every way to use a filter keeps the same documents."""

import pytest
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda

from langchain_chunkfilter import ChunkFilter

POLICIES = ("exact", "coverage", "similarity@0.9")


class Everything(BaseRetriever):
    """Returns all documents, for every question, in their order."""

    documents: list[Document]

    def _get_relevant_documents(self, query, *, run_manager):
        return self.documents


def ids(documents):
    return [document.id for document in documents]


@pytest.mark.parametrize("policy", POLICIES)
async def test_every_use_keeps_the_same_ids(policy, identified, minilm):
    chunk_filter = ChunkFilter(policy=policy, embeddings=minilm)
    everything = Everything(documents=identified)
    compressed = ContextualCompressionRetriever(base_compressor=chunk_filter, base_retriever=everything)
    pipeline = DocumentCompressorPipeline(transformers=[chunk_filter])
    chain = RunnableLambda(lambda _: identified) | chunk_filter.transform_documents
    achain = RunnableLambda(lambda _: identified) | RunnableLambda(
        chunk_filter.transform_documents, afunc=chunk_filter.atransform_documents
    )
    expected = ids(chunk_filter.transform_documents(identified))
    assert 0 < len(expected) < len(identified)
    uses = {
        "filter_with_result": chunk_filter.filter_with_result(identified)[0],
        "afilter_with_result": (await chunk_filter.afilter_with_result(identified))[0],
        "atransform_documents": await chunk_filter.atransform_documents(identified),
        "compress_documents": chunk_filter.compress_documents(identified, "any"),
        "acompress_documents": await chunk_filter.acompress_documents(identified, "any"),
        "chain": chain.invoke(None),
        "chain, async": await achain.ainvoke(None),
        "chain of sync functions, async": await chain.ainvoke(None),
        "contextual compression": compressed.invoke("any"),
        "contextual compression, async": await compressed.ainvoke("any"),
        "pipeline": pipeline.compress_documents(identified, "any"),
        "pipeline, async": await pipeline.acompress_documents(identified, "any"),
    }
    ranked = ids(chunk_filter.compress_documents(identified, "any"))
    assert sorted(ranked) == sorted(expected)
    compressing = ("compress", "contextual", "pipeline")
    assert {name: ids(documents) for name, documents in uses.items()} == {
        name: ranked if any(word in name for word in compressing) else expected for name in uses
    }


def test_files_go_through_loader_splitter_and_filter_in_one_chain(load, splitter):
    chunk_filter = ChunkFilter()
    chain = RunnableLambda(load) | splitter.split_documents | chunk_filter.transform_documents
    kept = chain.invoke(None)
    everything = splitter.split_documents(load(None))
    assert 0 < len(kept) < len(everything)
    assert kept == chunk_filter.transform_documents(everything)


def test_a_longer_document_takes_the_place_of_a_better_ranked_one_that_it_covers():
    short = Document("The fan runs for ninety seconds.", id="short")
    other = Document("Shelf three carries six boxes.", id="other")
    long = Document(f"{short.page_content} The lamp stays off meanwhile.", id="long")
    assert ids(ChunkFilter().compress_documents([short, other, long], "fan")) == ["long", "other"]
    assert ids(ChunkFilter().transform_documents([short, other, long])) == ["other", "long"]


def test_the_best_ranked_copy_is_kept(repeated):
    ranked = [repeated[2], repeated[1], repeated[0]]
    assert ids(ChunkFilter().compress_documents(ranked, "freezer")) == ["third", "second"]
