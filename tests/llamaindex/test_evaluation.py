"""How much a retriever or an index brings back, with and without a policy."""

import logging

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.schema import TextNode

from chunkfilter import Question, Reference
from chunkfilter.errors import InputError, PolicyError
from llamaindex_chunkfilter import evaluate

LUNCH, DINNER, TEA = "Lunch is served at noon.", "Dinner is served at seven.", "Tea is poured at five."
QUESTIONS = [Question("q", "When are lunch and dinner served?", (Reference(LUNCH), Reference(DINNER)))]


@pytest.fixture
def index(minilm):
    texts = (LUNCH, LUNCH, LUNCH, DINNER, TEA)
    nodes = [TextNode(text=text, metadata={"page": page}) for page, text in enumerate(texts)]
    for node in nodes:
        node.excluded_embed_metadata_keys = ["page"]
    return VectorStoreIndex(nodes, embed_model=minilm)


def test_copies_take_the_place_of_what_was_asked_for(index):
    plain = evaluate(index, QUESTIONS, k=2, budgets=(5, 100))
    filtered = evaluate(index, QUESTIONS, "coverage", k=2, budgets=(5, 100))
    assert plain.rates["recall"] < filtered.rates["recall"] == 1.0
    assert plain.rates["evidence_recall"] == 0.5
    assert (plain.questions, plain.k, plain.retrieved) == (1, 2, 2.0)
    # a budget of all words is filled by asking for more nodes
    assert plain.rates["budget_recall@100"] == 1.0


def test_a_retriever_may_be_given_instead_of_its_index(index):
    retriever = index.as_retriever(similarity_top_k=1)
    assert evaluate(retriever, QUESTIONS, k=3).rates == evaluate(index, QUESTIONS, k=3).rates
    assert retriever.similarity_top_k == 1


def test_policies_that_need_vectors_ask_the_model(index, minilm):
    report = evaluate(index, QUESTIONS, "similarity@0.95", embed_model=minilm, k=2)
    assert report.rates["recall"] == 1.0


def test_one_run_of_many_questions_logs_no_line_for_each(index, caplog):
    with caplog.at_level(logging.INFO, "chunkfilter"):
        evaluate(index, QUESTIONS * 2, "exact")
    assert not caplog.records


def test_what_cannot_be_evaluated_is_refused(index):
    with pytest.raises(InputError, match="expected a LlamaIndex retriever or index"):
        evaluate("index", QUESTIONS)
    with pytest.raises(InputError, match="at least one question"):
        evaluate(index, [])
    with pytest.raises(InputError, match="k: got 0"):
        evaluate(index, QUESTIONS, k=0)
    with pytest.raises(InputError, match="question 0: got 'How'"):
        evaluate(index, ["How"])
    with pytest.raises(PolicyError):
        evaluate(index, QUESTIONS, "exct")
