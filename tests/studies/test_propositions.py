"""Propositions: models of every shape state them, each passage is asked for once, failures stay their own."""

import json
import sqlite3
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.language_models import FakeListChatModel, FakeListLLM
from langchain_core.output_parsers import JsonOutputParser
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import RunnableLambda
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata, MockLLM
from llama_index.core.llms.callbacks import llm_completion_callback

from chunkfilter import split, split_documents
from chunkfilter.errors import InputError, MissingSignalError, PropositionError
from chunkfilter.studies.propositions import (
    PROMPT,
    PromptedPropositionizer,
    PropositionMemory,
    filled,
    read_propositions,
)

ANSWER = '["A is B.", "A is C."]'


class Shouting:
    """Says passages in capitals; raises for a batch with a passage it hates."""

    name = "shouting"

    def __init__(self, hated: str = "never") -> None:
        self.hated = hated
        self.asked: list[list[str]] = []

    def propositions(self, passages, /):
        self.asked.append(list(passages))
        if any(self.hated in passage for passage in passages):
            raise RuntimeError(f"I hate {self.hated}")
        return [[passage.upper(), " "] for passage in passages]


def test_each_distinct_passage_is_asked_for_once():
    model = Shouting()
    memory = PropositionMemory(model)
    assert memory.propositions(["a", "b", "a"]) == [("A",), ("B",), ("A",)]
    assert memory.propositions(["b", "c"]) == [("B",), ("C",)]
    assert model.asked == [["a", "b"], ["c"]]
    assert memory.propositions([]) == []


def test_one_passage_that_makes_the_model_fail_does_not_cost_the_others(caplog):
    memory = PropositionMemory(Shouting(hated="b"))
    assert memory.propositions(["a", "b", "c"]) == [("A",), None, ("C",)]
    assert [(one.passage, one.reason) for one in memory.failures] == [("b", "RuntimeError: I hate b")]
    assert "a passage of 1 characters keeps its text: RuntimeError: I hate b" in caplog.text
    assert memory.propositions(["b"]) == [None]
    assert len(memory.failures) == 1


class Answering:
    def __init__(self, *answers) -> None:
        self.answers = answers

    def propositions(self, passages, /):
        return self.answers


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ([], "PropositionError: got no proposition"),
        (["  "], "PropositionError: got no proposition"),
        ("text", "got 'text'; expected a list of sentences"),
        (None, "'NoneType' object is not iterable"),
        ({"a": 1}, "expected a list of sentences"),
        (ValueError, "is not iterable"),
        ([1], r"got \[1\]; expected a list of sentences"),
        (ValueError("no"), "ValueError: no"),
    ],
)
def test_an_answer_that_states_nothing_is_a_failure(answer, reason):
    memory = PropositionMemory(Answering(answer))
    assert memory.propositions(["a"]) == [None]
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(memory.failures[0].reason)


def test_a_model_that_does_not_answer_each_passage_is_an_error():
    with pytest.raises(PropositionError, match="Answering: 1 answers for 2 passages; expected one each"):
        PropositionMemory(Answering(["A"])).propositions(["a", "b"])


def test_many_failures_in_a_row_are_the_models():
    passages = [f"bad {number}" for number in range(30)]
    with pytest.raises(PropositionError, match="20 passages in a row failed; the last: RuntimeError: I hate"):
        PropositionMemory(Shouting(hated="bad")).propositions(passages)


def test_propositions_stay_on_disk_by_model_and_failures_do_not(tmp_path):
    PropositionMemory(Shouting(hated="b"), tmp_path).propositions(["a", "b", "\ud800"])
    later = Shouting()
    assert PropositionMemory(later, tmp_path).propositions(["a", "b", "\ud800"]) == [
        ("A",),
        ("B",),
        ("\ud800",),
    ]
    assert later.asked == [["b"]]
    other = Shouting()
    other.name = "other"
    PropositionMemory(other, tmp_path).propositions(["a"])
    assert other.asked == [["a"]]
    assert (tmp_path / "propositions.sqlite").stat().st_mode & 0o777 == 0o600


def test_damaged_rows_and_files_are_asked_for_again(tmp_path, caplog):
    PropositionMemory(Shouting(), tmp_path).propositions(["a"])
    path = tmp_path / "propositions.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("UPDATE propositions SET sentences = '[\"forged\"]'")
    database.close()
    assert PropositionMemory(Shouting(), tmp_path).propositions(["a"]) == [("A",)]
    path.write_bytes(b"no database" * 100)
    assert PropositionMemory(Shouting(), tmp_path).propositions(["a"]) == [("A",)]
    assert "start anew" in caplog.text
    again = Shouting()
    assert PropositionMemory(again, tmp_path).propositions(["a"]) == [("A",)]
    assert again.asked == []


def test_a_folder_that_cannot_be_used_only_costs_time(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    assert PropositionMemory(Shouting(), tmp_path / "file").propositions(["a"]) == [("A",)]
    assert "are not used" in caplog.text


def test_a_model_without_a_name_is_not_stored(tmp_path):
    with pytest.raises(InputError, match="Answering: name is None; expected a text"):
        PropositionMemory(Answering(), tmp_path)


@pytest.mark.parametrize(
    "written",
    [
        '["One.", "Two."]',
        'Here they are:\n```json\n["One.", "Two.", "One."]\n```',
        'See [1]: [] is empty, but ["One.", " Two. "]'.replace("[] is empty, but ", ""),
        "Facts:\n- One.\n- Two.\n",
        "1. One.\n2) Two.",
        "* One.\n\n• Two.",
    ],
)
def test_arrays_and_lists_are_read(written):
    assert read_propositions(written) == ["One.", "Two."]


@pytest.mark.parametrize(
    "written", ["", "One. Two.", '["One.", "Two', "[]", "[1, 2]", '[""]', "[" * 5000, PROMPT]
)
def test_anything_else_is_an_error(written):
    with pytest.raises(PropositionError, match="expected a JSON array of sentences"):
        read_propositions(written)


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1), st.sampled_from(["", "[", '["', "- "]))
def test_what_json_writes_is_read_back(sentences, before):
    expected = list(dict.fromkeys(" ".join(sentence.split()) for sentence in sentences))
    assert read_propositions(f"{before} {json.dumps(sentences)} ]") == expected


@pytest.mark.parametrize("unit", ['["', '[ "a", ', '["a", ["b", ', '[","', "[ "])
def test_a_long_answer_is_read_once_not_once_a_bracket(unit):
    with pytest.raises(PropositionError):
        read_propositions(unit * 300_000)


@given(st.text(max_size=200))
def test_nothing_else_is_ever_raised(written):
    try:
        assert all(read_propositions(written))
    except PropositionError:
        assert not written.startswith('["a"]')


def test_braces_in_a_passage_are_plain_characters():
    assert filled("<{passage}>", "{x} {passage} %s") == "<{x} {passage} %s>"


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
    chunks = split("A is B and C.", "propositions", propositionizer=PromptedPropositionizer(runnable))
    assert [(chunk.text, chunk.spans) for chunk in chunks] == [
        ("A is B.", ((0, 13),)),
        ("A is C.", ((0, 13),)),
    ]


def test_a_failure_costs_its_own_passage_alone():
    def answer(prompt: str) -> object:
        if "bad" in prompt:
            raise TimeoutError("too slow")
        return 7 if "odd" in prompt else ANSWER

    memory = PropositionMemory(PromptedPropositionizer(RunnableLambda(answer), max_concurrency=2))
    chunks = split("bad.\n\ngood.\n\nodd.", "propositions", propositionizer=memory)
    assert [chunk.text for chunk in chunks] == ["bad.", "A is B.", "A is C.", "odd."]
    assert [failure.reason.split(":")[0] for failure in memory.failures] == [
        "TimeoutError",
        "PropositionError",
    ]


def test_the_prompt_holds_the_passage_and_a_chain_may_have_its_own():
    seen = []
    echo = RunnableLambda(lambda given: seen.append(given) or ANSWER)
    PromptedPropositionizer(echo).propositions(["P {x}"])
    PromptedPropositionizer(echo, prompt=None).propositions(["P"])
    chain = PromptTemplate.from_template("Facts of {passage}?") | echo
    PromptedPropositionizer(chain, prompt=None).propositions(["P"])
    assert "P {x}" in seen[0]
    assert "JSON array" in seen[0]
    assert [seen[1], seen[2].to_string()] == ["P", "Facts of P?"]


def test_a_named_one_can_be_kept_on_disk(tmp_path):
    runnable = RunnableLambda(lambda prompt: ANSWER)
    memory = PropositionMemory(PromptedPropositionizer(runnable, name="mine"), tmp_path)
    assert memory.propositions(["A."]) == [("A is B.", "A is C.")]
    failing = PromptedPropositionizer(RunnableLambda(lambda prompt: 1 / 0), name="mine")
    assert PropositionMemory(failing, tmp_path).propositions(["A."]) == [("A is B.", "A is C.")]


class StatingLLM(CustomLLM):
    """Answers with facts, slowly with "bad" passages."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        if prompt.rstrip().endswith("bad."):
            raise TimeoutError("too slow")
        return CompletionResponse(text='["A is B.", "A is C."]')

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError


def test_a_llm_of_llamaindex_is_asked_through_complete():
    memory = PropositionMemory(PromptedPropositionizer(StatingLLM()))
    chunks = split("A is B and C.\n\nbad.", "propositions", propositionizer=memory)
    assert [(chunk.text, chunk.start) for chunk in chunks] == [("A is B.", 0), ("A is C.", 0), ("bad.", 15)]
    assert [failure.reason for failure in memory.failures] == ["TimeoutError: too slow"]


def test_a_model_that_repeats_the_prompt_has_stated_nothing():
    memory = PropositionMemory(PromptedPropositionizer(MockLLM()))
    assert memory.propositions(["A is B and C."]) == [None]


def test_a_function_from_a_prompt_to_an_answer_states_propositions():
    stating = PromptedPropositionizer(lambda prompt: ANSWER if "good" in prompt else 1 / 0)
    first, second = stating.propositions(["good.", "bad."])
    assert first == ["A is B.", "A is C."]
    assert isinstance(second, ZeroDivisionError)


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(
        InputError, match="model: got None; expected a LangChain Runnable, a LlamaIndex LLM or"
    ):
        PromptedPropositionizer(None)


PASSAGES = "The tower is in Paris. It is 330 m high.\n\nIt was built in 1889.\n\nNobody lives there."
STATED = {
    "The tower is in Paris. It is 330 m high.": ["The tower is in Paris.", "The tower is 330 m high."],
    "It was built in 1889.": ["The tower was built in 1889."],
}


class FromTable:
    """Knows the propositions of two passages and fails on every other."""

    def propositions(self, passages, /):
        return [STATED.get(passage) or ValueError("not in the table") for passage in passages]


def test_each_proposition_is_a_chunk_with_the_span_of_its_passage():
    chunks = split(PASSAGES, "propositions:600", source="a", propositionizer=FromTable())
    assert [(chunk.text, PASSAGES[chunk.start : chunk.end]) for chunk in chunks] == [
        ("The tower is in Paris.", "The tower is in Paris. It is 330 m high."),
        ("The tower is 330 m high.", "The tower is in Paris. It is 330 m high."),
        ("The tower was built in 1889.", "It was built in 1889."),
        ("Nobody lives there.", "Nobody lives there."),
    ]
    assert {chunk.source for chunk in chunks} == {"a"}


def test_regrouped_propositions_keep_the_spans_of_all_their_passages():
    chunks = split(PASSAGES, "propositions>paragraphs:60", propositionizer=FromTable())
    assert [chunk.text for chunk in chunks] == [
        "The tower is in Paris.\nThe tower is 330 m high.",
        "The tower was built in 1889.\nNobody lives there.",
    ]
    assert [chunk.spans for chunk in chunks] == [((0, 40),), ((42, 63), (65, 84))]


def test_a_passage_that_failed_keeps_its_text_and_is_reported(caplog):
    memory = PropositionMemory(FromTable())
    split_documents({"a": PASSAGES, "b": PASSAGES}, "propositions>sentences:2", propositionizer=memory)
    assert [(one.passage, one.reason) for one in memory.failures] == [
        ("Nobody lives there.", "ValueError: not in the table")
    ]
    assert "keeps its text: ValueError: not in the table" in caplog.text
    assert "Nobody" not in caplog.text


def test_without_a_propositionizer_the_error_says_what_to_give():
    with pytest.raises(
        MissingSignalError, match=r"give a propositionizer, any object with .* propositions\("
    ):
        split("text", "propositions>paragraphs:500")
