"""A LlamaIndex LLM states propositions."""

from typing import Any

from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata, MockLLM
from llama_index.core.llms.callbacks import llm_completion_callback

from chunkfilter import split
from chunkfilter.propositions import PropositionMemory
from llamaindex_chunkfilter import LLMPropositionizer


class Stating(CustomLLM):
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


def test_facts_become_chunks_and_a_failure_costs_its_own_passage_alone():
    memory = PropositionMemory(LLMPropositionizer(Stating()))
    chunks = split("A is B and C.\n\nbad.", "propositions", propositionizer=memory)
    assert [(chunk.text, chunk.start) for chunk in chunks] == [("A is B.", 0), ("A is C.", 0), ("bad.", 15)]
    assert [failure.reason for failure in memory.failures] == ["TimeoutError: too slow"]


def test_a_model_that_repeats_the_prompt_has_stated_nothing():
    memory = PropositionMemory(LLMPropositionizer(MockLLM()))
    assert memory.propositions(["A is B and C."]) == [None]


def test_a_named_one_can_be_kept_on_disk(tmp_path):
    memory = PropositionMemory(LLMPropositionizer(Stating(), name="mine"), tmp_path)
    assert memory.propositions(["A."]) == [("A is B.", "A is C.")]
    assert PropositionMemory(LLMPropositionizer(MockLLM(), name="mine"), tmp_path).propositions(["A."]) == [
        ("A is B.", "A is C.")
    ]
