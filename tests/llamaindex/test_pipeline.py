"""In an ingestion pipeline with a cache, a document store and Chroma; in an index made from documents."""

import chromadb
import pytest
from llama_index.core import SimpleDirectoryReader, VectorStoreIndex
from llama_index.core.ingestion import DocstoreStrategy, IngestionCache, IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import Document
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.vector_stores.chroma import ChromaVectorStore

from chunkfilter.errors import TooManyRemovedError
from llamaindex_chunkfilter import ChunkFilterTransform, ChunkFilterWarning


def paragraph(subject):
    """About 120 tokens: one fits a chunk, two do not, whatever metadata take of it."""
    return " ".join(f"Rule {n} about {subject} says what visitors may do there." for n in range(10))


NOTICE = paragraph("safety")


def texts(nodes):
    return [node.get_content() for node in nodes]


def splitter():
    return SentenceSplitter(chunk_size=200, chunk_overlap=0)


def document(name, *paragraphs, **metadata):
    return Document(text="\n\n\n".join(paragraphs), id_=name, metadata=metadata)


@pytest.fixture
def collection(tmp_path):
    settings = chromadb.Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(tmp_path / "chroma"), settings)
    yield client.create_collection("nodes")
    client.delete_collection("nodes")


def stored(collection):
    return sorted(collection.get()["documents"])


@pytest.fixture
def pipeline(collection, minilm):
    def make(strategy=DocstoreStrategy.UPSERTS, policy="exact", **options):
        return IngestionPipeline(
            transformations=[splitter(), ChunkFilterTransform(policy), minilm],
            vector_store=ChromaVectorStore(chroma_collection=collection),
            docstore=SimpleDocumentStore(),
            docstore_strategy=strategy,
            **options,
        )

    return make


A = ("A", NOTICE, paragraph("A"))
B = ("B", NOTICE, paragraph("B"))
C = ("C", NOTICE)


def test_files_run_twice_give_the_same_texts(tmp_path):
    for name, paragraphs in (("a.txt", A[1:]), ("b.txt", B[1:]), ("c.txt", C[1:])):
        (tmp_path / name).write_text("\n\n\n".join(paragraphs), encoding="utf-8")
    pipeline = IngestionPipeline(transformations=[splitter(), ChunkFilterTransform()])
    documents = SimpleDirectoryReader(tmp_path).load_data()
    runs = [texts(pipeline.run(documents=documents)) for _ in range(2)]
    assert runs[0] == [NOTICE, A[2], B[2]]
    assert runs[1] == runs[0]


def test_a_cache_on_disk_answers_the_same_policy_and_no_other(tmp_path):
    documents = [document(*A, file="a"), document(*B, file="b")]
    first = IngestionPipeline(transformations=[splitter(), ChunkFilterTransform("exact")])
    expected = texts(first.run(documents=documents))
    first.persist(str(tmp_path))
    cache = IngestionCache.from_persist_path(str(tmp_path / "llama_cache"))

    same = ChunkFilterTransform("exact")
    again = IngestionPipeline(transformations=[splitter(), same], cache=cache)
    assert texts(again.run(documents=documents)) == expected
    assert same.last_report is None  # the cache answered

    other = ChunkFilterTransform("exact scope=file")
    changed = IngestionPipeline(transformations=[splitter(), other], cache=cache)
    assert texts(changed.run(documents=documents)) == [NOTICE, A[2], NOTICE, B[2]]
    assert other.last_report is not None


def test_a_report_of_an_earlier_run_is_not_taken_for_that_of_a_cached_one():
    step = ChunkFilterTransform("exact")
    pipeline = IngestionPipeline(transformations=[splitter(), step])
    documents = [document(*A), document(*B)]
    pipeline.run(documents=documents)
    assert step.last_report.needed_by == {"A": ("B",)}
    pipeline.run(documents=documents)
    assert step.last_report is None


def test_an_index_from_documents_holds_kept_nodes_only(minilm):
    index = VectorStoreIndex.from_documents(
        [document(*A), document(*B), document(*C)],
        transformations=[splitter(), ChunkFilterTransform()],
        embed_model=minilm,
    )
    assert sorted(texts(index.docstore.docs.values())) == sorted([NOTICE, A[2], B[2]])


async def test_asynchronous_runs_give_the_same():
    documents = [document(*A), document(*B), document(*C)]
    pipeline = IngestionPipeline(transformations=[splitter(), ChunkFilterTransform()], disable_cache=True)
    assert texts(await pipeline.arun(documents=documents)) == texts(pipeline.run(documents=documents))


class TestUpserts:
    """What stays, what is lost and what is said when documents change."""

    def test_users_of_upserts_are_warned(self, pipeline, collection):
        run = pipeline()
        with pytest.warns(ChunkFilterWarning) as caught:
            run.run(documents=[document(*A), document(*B), document(*C)])
        said = " ".join(str(one.message) for one in caught)
        assert "no node left ('C')" in said
        assert "only copy of text of others ('A')" in said
        assert run.transformations[1].last_report.needed_by == {"A": ("B", "C")}
        assert stored(collection) == sorted([NOTICE, A[2], B[2]])

    def test_users_of_duplicates_only_are_not_warned(self, pipeline, collection, recwarn):
        pipeline(DocstoreStrategy.DUPLICATES_ONLY).run(documents=[document(*A), document(*B)])
        assert [one for one in recwarn if one.category is ChunkFilterWarning] == []
        assert stored(collection) == sorted([NOTICE, A[2], B[2]])

    def test_duplicates_only_skips_what_it_has_and_loses_nothing(self, pipeline, collection):
        run = pipeline(DocstoreStrategy.DUPLICATES_ONLY)
        run.run(documents=[document(*A), document(*B)])
        assert run.run(documents=[document(*B), document(*C)]) != []
        # a run compares its own nodes only: C is new, and the notice is stored once more
        assert stored(collection) == sorted([NOTICE, A[2], B[2], NOTICE])

    @pytest.mark.filterwarnings("ignore::llamaindex_chunkfilter.ChunkFilterWarning")
    def test_an_update_of_the_only_holder_takes_the_text_from_the_others(self, pipeline, collection):
        run = pipeline()
        run.run(documents=[document(*A), document(*B)])
        needed = run.transformations[1].last_report.needed_by
        run.run(documents=[document("A", A[2]), document(*B)])
        assert NOTICE not in stored(collection)
        assert needed == {"A": ("B",)}  # so B must be ingested again
        for name in needed["A"]:
            run.docstore.delete_document(name)
            run.vector_store.delete(name)
        run.run(documents=[document("A", A[2]), document(*B)])
        assert stored(collection) == sorted([NOTICE, A[2], B[2]])

    @pytest.mark.filterwarnings("ignore::llamaindex_chunkfilter.ChunkFilterWarning")
    def test_a_delete_of_the_only_holder_takes_the_text_from_the_others(self, pipeline, collection):
        run = pipeline(DocstoreStrategy.UPSERTS_AND_DELETE)
        run.run(documents=[document(*A), document(*B)])
        run.run(documents=[document(*B)])
        assert stored(collection) == [B[2]]

    @pytest.mark.parametrize("strategy", [DocstoreStrategy.UPSERTS, DocstoreStrategy.UPSERTS_AND_DELETE])
    def test_scope_source_makes_deletes_harmless(self, pipeline, collection, strategy):
        run = pipeline(strategy, "coverage scope=source")
        run.run(documents=[document(*A), document(*B), document(*C)])
        assert run.transformations[1].last_report.warnings == ()
        run.run(documents=[document("A", A[2]), document(*B), document(*C)])
        assert stored(collection).count(NOTICE) == 2

    @pytest.mark.filterwarnings("ignore::llamaindex_chunkfilter.ChunkFilterWarning")
    def test_a_document_without_nodes_counts_as_ingested(self, pipeline):
        run = pipeline()
        run.run(documents=[document(*A), document(*C)])
        assert run.run(documents=[document(*A), document(*C)]) == []


class TestCacheOfEqualTexts:
    """LlamaIndex's cache compares texts, not documents."""

    def test_nodes_of_a_document_that_was_not_in_the_run_are_reported(self):
        pipeline = IngestionPipeline(transformations=[splitter(), ChunkFilterTransform("exact")])
        pipeline.run(documents=[document("X", "The same body.")])
        with pytest.warns(ChunkFilterWarning, match=r"not in this run: 'X'.*disable_cache=True"):
            nodes = pipeline.run(documents=[document("Y", "The same body.")])
        assert [node.ref_doc_id for node in nodes] == ["X"]

    @pytest.mark.parametrize("cure", ["metadata", "no cache"])
    def test_metadata_or_no_cache_cures_it(self, cure, recwarn):
        pipeline = IngestionPipeline(
            transformations=[splitter(), ChunkFilterTransform("exact")], disable_cache=cure == "no cache"
        )
        for name in ("X", "Y"):
            metadata = {"path": name} if cure == "metadata" else {}
            nodes = pipeline.run(documents=[document(name, "The same body.", **metadata)])
            assert [node.ref_doc_id for node in nodes] == [name]
        assert [one for one in recwarn if one.category is ChunkFilterWarning] == []

    def test_texts_that_are_equal_only_when_joined_are_reported(self):
        pipeline = IngestionPipeline(transformations=[ChunkFilterTransform("exact")])
        pipeline.run(documents=[document("X", "Price is 10"), document("Y", "0 EUR")])
        with pytest.warns(ChunkFilterWarning, match="not in this run: 'X', 'Y'"):
            pipeline.run(documents=[document("V", "Price is 1"), document("W", "00 EUR")])

    def test_an_embedding_step_before_the_filter_is_reported_unless_named(self, minilm, recwarn):
        def run(step):
            IngestionPipeline(transformations=[splitter(), minilm, step]).run(documents=[document(*A)])

        with pytest.warns(ChunkFilterWarning, match="embeds with MiniLM:all-MiniLM-L6-v2#"):
            run(ChunkFilterTransform("exact"))
        recwarn.clear()
        run(ChunkFilterTransform("exact", minilm))
        assert [one for one in recwarn if one.category is ChunkFilterWarning] == []

    def test_nodes_that_went_in_as_nodes_are_known(self, recwarn):
        pipeline = IngestionPipeline(transformations=[ChunkFilterTransform("exact")])
        nodes = splitter()([document(*A), document(*B)])
        assert len(pipeline.run(nodes=nodes)) == 3
        assert [one for one in recwarn if one.category is ChunkFilterWarning] == []


def test_a_refused_run_stores_nothing(pipeline, collection):
    run = pipeline(policy="exact max_removed=0.1")
    with pytest.raises(TooManyRemovedError):
        run.run(documents=[document(*A), document(*B), document(*C)])
    assert stored(collection) == []
