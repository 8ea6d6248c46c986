"""What is odd goes through, what is wrong is named: arguments, answers of models and of retrievers."""

import datetime
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore

from chunkfilter.errors import InputError, VectorError
from langchain_chunkfilter import (
    ChunkFilter,
    ChunkFilterRetriever,
    ChunkFilterSplitter,
    evaluate,
    to_chunks,
)

TEXT = "The pump of the old mill starts at six in the morning."
nothing: Any = None
number: Any = 5


class Answering(Embeddings):
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def embed_documents(self, texts: list[str]) -> Any:
        return self.answer(texts)

    def embed_query(self, text: str) -> list[float]:
        return [1.0, float(len(text))]


def by_length(texts: list[str]) -> list[list[float]]:
    return [[1.0, float(len(text))] for text in texts]


@pytest.fixture
def store() -> InMemoryVectorStore:
    store = InMemoryVectorStore(Answering(by_length))
    others = ("Doors close.", "Fans turn round.", "Lamps shine all night long.")
    store.add_documents([Document(text) for text in (*[TEXT] * 40, *others)])
    return store


def filtered(documents: Any, policy: str = "exact", answer: Any = by_length) -> Any:
    return ChunkFilter(policy, embeddings=Answering(answer)).transform_documents(documents)


TWO = [Document("One is."), Document("Two are.")]
WRONG: dict[str, Any] = {
    "documents: got None; expected several": lambda _: filtered(nothing),
    "documents: got 5; expected several": lambda _: to_chunks(number),
    "documents: got 'One'; expected several": lambda _: filtered("One"),
    "document 1: got None; expected a langchain Document": lambda _: filtered([TWO[0], None]),
    "questions: got None": lambda store: evaluate(store, nothing),
    "k: got 'a'": lambda store: ChunkFilterRetriever(store).invoke("?", k="a"),
    "k: got 1.5": lambda store: ChunkFilterRetriever(store).invoke("?", k=1.5),
    "fetch_k: got 0": lambda store: ChunkFilterRetriever(store).invoke("?", fetch_k=0),
    "retrieved documents: got None": lambda _: ChunkFilterRetriever(RunnableLambda(lambda _: None)).invoke(
        "?"
    ),
    "metadatas: 1 for 2 texts": lambda _: ChunkFilterSplitter("sentences:1").create_documents(
        ["One.", "Two."], [{}]
    ),
}


@pytest.mark.parametrize("message", WRONG)
def test_the_error_names_what_was_got(message: str, store: InMemoryVectorStore) -> None:
    with pytest.raises(InputError, match=message):
        WRONG[message](store)


@pytest.mark.parametrize("answer", [None, [], [[1.0]], 5])
async def test_embeddings_that_do_not_answer_each_text_are_named(answer: Any) -> None:
    with pytest.raises(VectorError, match=r"embeddings Answering: returned .* for 2 texts"):
        filtered(TWO, "similarity@0.9", lambda _: answer)
    step = ChunkFilter("similarity@0.9", embeddings=Answering(lambda _: answer))
    with pytest.raises(VectorError, match=r"embeddings Answering: returned .* for 2 texts"):
        await step.atransform_documents(TWO)


def test_metadata_may_hold_anything() -> None:
    metadata = {"when": datetime.datetime.now(datetime.UTC), "call": print, "set": {1}, "bytes": b"\xff"}
    documents = [Document(TEXT, metadata=metadata) for _ in range(2)]
    assert filtered(documents) == documents[:1]
    assert filtered(documents, "exact scope=call,set keep=newest:when") == documents[:1]


def test_any_iterable_of_documents_is_filtered() -> None:
    assert filtered(iter([*TWO, *TWO])) == TWO
    retriever = ChunkFilterRetriever(RunnableLambda(lambda _: iter([*TWO, *TWO])), "exact")
    assert retriever.invoke("?") == TWO


def test_marginal_relevance_chooses_among_as_many_as_are_asked_for(store: InMemoryVectorStore) -> None:
    found = ChunkFilterRetriever(store.as_retriever(search_type="mmr"), "exact", k=4).invoke(TEXT)
    assert len({document.page_content for document in found}) == 4
