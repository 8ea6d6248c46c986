"""Runnables of every shape state propositions."""

import pytest
from langchain_core.language_models import FakeListChatModel, FakeListLLM
from langchain_core.output_parsers import JsonOutputParser
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import RunnableLambda

from chunkfilter import split
from chunkfilter.propositions import PropositionMemory
from langchain_chunkfilter import RunnablePropositionizer

ANSWER = '["A is B.", "A is C."]'


@pytest.mark.parametrize(
    "runnable",
    [
        FakeListLLM(responses=[ANSWER]),
        FakeListChatModel(responses=[f"Sure:\n{ANSWER}"]),
        FakeListChatModel(responses=[ANSWER]) | JsonOutputParser(),
        RunnableLambda(lambda prompt: ["A is B.", "A is C."]),
    ],
    ids=["LLM", "chat model", "parsed", "function"],
)
def test_answers_of_every_shape_are_read(runnable):
    chunks = split("A is B and C.", "propositions", propositionizer=RunnablePropositionizer(runnable))
    assert [(chunk.text, chunk.spans) for chunk in chunks] == [
        ("A is B.", ((0, 13),)),
        ("A is C.", ((0, 13),)),
    ]


def test_a_failure_costs_its_own_passage_alone():
    def answer(prompt: str) -> object:
        if "bad" in prompt:
            raise TimeoutError("too slow")
        return 7 if "odd" in prompt else ANSWER

    memory = PropositionMemory(RunnablePropositionizer(RunnableLambda(answer), max_concurrency=2))
    chunks = split("bad.\n\ngood.\n\nodd.", "propositions", propositionizer=memory)
    assert [chunk.text for chunk in chunks] == ["bad.", "A is B.", "A is C.", "odd."]
    assert [failure.reason.split(":")[0] for failure in memory.failures] == [
        "TimeoutError",
        "PropositionError",
    ]


def test_the_prompt_holds_the_passage_and_a_chain_may_have_its_own():
    seen = []
    echo = RunnableLambda(lambda given: seen.append(given) or ANSWER)
    RunnablePropositionizer(echo).propositions(["P {x}"])
    RunnablePropositionizer(echo, prompt=None).propositions(["P"])
    chain = PromptTemplate.from_template("Facts of {passage}?") | echo
    RunnablePropositionizer(chain, prompt=None).propositions(["P"])
    assert "P {x}" in seen[0]
    assert "JSON array" in seen[0]
    assert [seen[1], seen[2].to_string()] == ["P", "Facts of P?"]


def test_a_named_one_can_be_kept_on_disk(tmp_path):
    runnable = RunnableLambda(lambda prompt: ANSWER)
    memory = PropositionMemory(RunnablePropositionizer(runnable, name="mine"), tmp_path)
    assert memory.propositions(["A."]) == [("A is B.", "A is C.")]
    failing = RunnablePropositionizer(RunnableLambda(lambda prompt: 1 / 0), name="mine")
    assert PropositionMemory(failing, tmp_path).propositions(["A."]) == [("A is B.", "A is C.")]
