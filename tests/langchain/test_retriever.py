"""ChunkFilterRetriever: as many documents as asked for, none of them redundant."""

import warnings

import pytest
from langchain_chroma import Chroma
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import ConfigurableField, RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests
from pydantic import ValidationError

from chunkfilter.errors import InputError
from langchain_chunkfilter import ChunkFilter, ChunkFilterRetriever

QUESTION = "How cold does the freezer get?"


def copies_and_others(copies=30, others=6):
    """Many copies of the best answer, then other ones."""
    answer = [Document("The freezer gets as cold as -80 degrees.", id=f"copy-{n}") for n in range(copies)]
    rest = [
        Document(f"Model {n} of the freezer has a door with {n + 2} seals.", id=f"other-{n}")
        for n in range(others)
    ]
    return [*answer, *rest]


@pytest.fixture
def store(minilm):
    store = InMemoryVectorStore(minilm)
    store.add_documents(copies_and_others())
    return store


@pytest.mark.parametrize("fetch_k", [None, 4])
async def test_it_fetches_until_k_different_documents_are_found(store, fetch_k):
    retriever = ChunkFilterRetriever(base=store, policy="exact", k=4, fetch_k=fetch_k)
    found = retriever.invoke(QUESTION)
    assert len({document.page_content for document in found}) == len(found) == 4
    assert found[0].page_content.endswith("-80 degrees.")
    assert await retriever.ainvoke(QUESTION) == found


async def test_k_at_call_time_wins_also_above_fetch_k(store):
    retriever = ChunkFilterRetriever(base=store, policy="exact", k=2, fetch_k=3)
    for k in (1, 3, 6):
        assert len(retriever.invoke(QUESTION, k=k)) == k
        assert len(await retriever.ainvoke(QUESTION, k=k)) == k


def test_fewer_come_back_where_the_store_has_no_more(store):
    assert len(ChunkFilterRetriever(base=store, policy="exact", k=50).invoke(QUESTION)) == 7


def test_the_base_is_not_changed(store):
    base = store.as_retriever(search_kwargs={"k": 3})
    ChunkFilterRetriever(base=base, policy="exact", k=4).invoke(QUESTION)
    assert base.search_kwargs == {"k": 3}


def test_arguments_of_the_call_reach_the_base(store):
    retriever = ChunkFilterRetriever(base=store, policy="exact", k=2)
    found = retriever.invoke(QUESTION, filter=lambda document: "seals" in document.page_content)
    assert len(found) == 2
    assert all("seals" in document.page_content for document in found)


class Ranked(BaseRetriever):
    """Returns its documents in their order; has a field ``k``, as BM25 has."""

    documents: list[Document]
    k: int = 4

    def _get_relevant_documents(self, query, *, run_manager):
        return self.documents[: self.k]


def test_a_retriever_with_a_field_k_is_asked_for_more():
    base = Ranked(documents=copies_and_others())
    assert len(ChunkFilterRetriever(base=base, policy="exact", k=5).invoke(QUESTION)) == 5
    assert base.k == 4


def test_a_keyword_retriever_is_asked_for_more():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # langchain-community is being sunset
        from langchain_community.retrievers import TFIDFRetriever
    base = TFIDFRetriever.from_documents(copies_and_others())
    assert len(ChunkFilterRetriever(base=base, policy="exact", k=5).invoke("freezer seals cold")) == 5


def test_contextual_compression_passes_the_number_on(store):
    base = ContextualCompressionRetriever(
        base_compressor=ChunkFilter(policy="none"), base_retriever=store.as_retriever()
    )
    assert len(ChunkFilterRetriever(base=base, policy="exact", k=5).invoke(QUESTION)) == 5


def test_one_that_cannot_be_asked_for_more_is_named_in_a_warning(caplog):
    base = RunnableLambda(lambda _: copies_and_others(3, 1))
    retriever = ChunkFilterRetriever(base=base, policy="exact", k=2)
    assert "RunnableLambda cannot be asked for a number of documents" in caplog.text
    assert [document.id for document in retriever.invoke(QUESTION)] == ["copy-0", "other-0"]


def test_the_place_of_a_covered_text_passes_to_the_one_that_stands_for_it():
    short = Document("The fan runs for ninety seconds after every defrost.", id="short")
    others = [
        Document(f"Shelf number {n} carries {n + 3} boxes of samples.", id=f"other-{n}") for n in range(4)
    ]
    long = Document(f"{short.page_content} The lamp stays off meanwhile.", id="long")
    retriever = ChunkFilterRetriever(base=Ranked(documents=[short, *others, long]), policy="coverage", k=2)
    assert [document.id for document in retriever.invoke(QUESTION)] == ["long", "other-0"]


def test_vectors_serve_where_the_policy_needs_them(store, minilm):
    retriever = ChunkFilterRetriever(base=store, policy="similarity@0.95", embeddings=minilm, k=3)
    texts = [document.page_content for document in retriever.invoke(QUESTION)]
    assert len(set(texts)) == len(texts) == 3


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"polcy": "exact"}, "polcy"),
        ({"policy": "exct"}, "unknown rule 'exct'; known"),
        ({"policy": "similarity@0.9"}, "needs vectors: pass embeddings="),
        ({"policy": "ner-exact"}, "needs entities: pass entities="),
        ({"k": 0}, "greater than or equal to 1"),
        ({"k": 5, "fetch_k": 4}, "fetch_k: got 4; expected at least k, which is 5"),
        ({"base": "chroma"}, "instance of Runnable"),
    ],
)
def test_a_mistake_fails_when_the_retriever_is_made(fields, words, store):
    with pytest.raises(ValidationError, match=words):
        ChunkFilterRetriever(**{"base": store, **fields})


def test_a_mistake_in_a_call_is_not_ignored(store):
    with pytest.raises(InputError, match="k: got 0"):
        ChunkFilterRetriever(base=store).invoke(QUESTION, k=0)
    with pytest.raises(
        InputError, match="argument 'top_k': Ranked takes no such argument; known: k, fetch_k"
    ):
        ChunkFilterRetriever(base=Ranked(documents=[])).invoke(QUESTION, top_k=3)


def test_fields_can_be_configured_at_run_time(store):
    retriever = ChunkFilterRetriever(base=store, policy="exact", k=2).configurable_fields(
        k=ConfigurableField(id="k")
    )
    assert len(retriever.invoke(QUESTION)) == 2
    assert len(retriever.with_config(configurable={"k": 5}).invoke(QUESTION)) == 5


class TestStandardSuite(RetrieversIntegrationTests):
    """LangChain's own tests of retrievers, on a store of unique texts."""

    @pytest.fixture(autouse=True)
    def _store(self, minilm):
        self.store = Chroma("unique", minilm)
        self.store.add_texts(
            [f"Note {n}: shelf {n} of the freezer was cleaned on day {n + 1}." for n in range(12)]
        )
        yield
        self.store.delete_collection()

    @property
    def retriever_constructor(self):
        return ChunkFilterRetriever

    @property
    def retriever_constructor_params(self):
        return {"base": self.store.as_retriever()}

    @property
    def retriever_query_example(self):
        return QUESTION
