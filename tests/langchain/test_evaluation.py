"""The evaluator over retrievers and vector stores."""

import logging

import numpy as np
import pytest
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore
from pydantic import ValidationError

from chunkfilter import compare, evaluate_retrieved, load_questions
from chunkfilter.demo.corpus import questions_file
from chunkfilter.errors import InputError
from langchain_chunkfilter import ChunkFilter, ChunkFilterRetriever, evaluate, to_chunks


@pytest.fixture(scope="module")
def questions():
    with questions_file() as path:
        return load_questions(path)[::6]


@pytest.fixture
def store(chunks, minilm):
    store = InMemoryVectorStore(minilm)
    store.add_documents(chunks)
    return store


def test_a_store_and_its_retriever_measure_the_same_as_what_they_return(store, questions):
    report = evaluate(store, questions, k=4, budgets=[200])
    by_hand = [
        [one.page_content for one in store.similarity_search(question.text, k=64)] for question in questions
    ]
    expected = evaluate_retrieved(questions, by_hand, k=4, budgets=[200])
    assert report.rates == expected.rates
    assert 0 < report.rates["recall"] <= 1
    assert evaluate(store.as_retriever(), questions, k=4, budgets=[200]).rates == report.rates


def test_no_question_loses_recall_when_copies_make_room_for_other_texts(store, questions):
    plain = evaluate(store, questions, k=5)
    filtered = evaluate(store, questions, "exact", k=5)
    assert plain.retrieved == filtered.retrieved == 5
    assert (filtered.values["recall"] >= plain.values["recall"]).all()
    assert (filtered.values["recall"] > plain.values["recall"]).any()


def test_a_filtering_retriever_is_measured_by_its_own_policy(store, questions):
    retriever = ChunkFilterRetriever(base=store, policy="exact", k=5)
    assert (
        evaluate(retriever, questions).rates["recall"] == evaluate(store, questions, "exact").rates["recall"]
    )


def test_a_budget_is_filled_however_few_documents_k_allows(store, questions):
    shallow, deep = (evaluate(store, questions, k=k, budgets=[1000]) for k in (1, 20))
    assert np.array_equal(shallow.values["budget_recall@1000"], deep.values["budget_recall@1000"])


def test_a_store_of_kept_documents_is_measured_like_any_other(chunks, minilm, questions):
    kept = ChunkFilter().transform_documents(chunks)
    store = InMemoryVectorStore(minilm)
    store.add_documents(kept)
    assert evaluate(store, questions).rates["recall"] > 0.3


def test_a_retriever_of_fixed_size_is_measured_on_what_it_returns(chunks, questions):
    report = evaluate(RunnableLambda(lambda _: chunks[:3]), questions, k=5)
    assert report.retrieved == 3


def test_documents_of_any_splitter_go_into_compare(chunks, questions, minilm):
    comparison = compare(to_chunks(chunks), questions, ["exact", "coverage"], embedder=minilm, seeds=1)
    assert [row.policy for row in comparison.rows] == ["exact", "coverage"]
    assert comparison.chunks == len(chunks)


def test_one_run_of_many_questions_logs_no_line_for_each(store, questions, caplog):
    with caplog.at_level(logging.INFO, "chunkfilter"):
        evaluate(store, questions[:2], "exact")
    assert not caplog.records
    with caplog.at_level(logging.DEBUG, "chunkfilter"):
        evaluate(store, questions[:2], "exact")
    assert {record.levelname for record in caplog.records} == {"DEBUG"}


def test_mistakes_are_named(store, questions):
    with pytest.raises(InputError, match="at least one question"):
        evaluate(store, [])
    with pytest.raises(InputError, match="budgets: got None"):
        evaluate(store, questions, budgets=None)
    with pytest.raises(InputError, match="question 0: got 'How'"):
        evaluate(store, ["How"])
    with pytest.raises(ValidationError, match="unknown rule 'exct'"):
        evaluate(store, questions, "exct")
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        evaluate(store, questions, k=0)
