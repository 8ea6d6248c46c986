"""Arguments of a wrong type at the public entries: an error that says what was got and what was expected."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

import chunkfilter as cf
from chunkfilter.errors import InputError, VectorError
from chunkfilter.evaluate.stitching import stitched
from chunkfilter.studies.answers import bert_scores, generate_answers, question_cosine
from chunkfilter.studies.grid import run_grid
from chunkfilter.studies.propositions import PropositionMemory, read_propositions
from chunkfilter.studies.splitters import SharedSentences

GRID = cf.Dataset("d", {"a": "Tea is boiled."}, ())
QUESTIONS = [cf.Question("1", "What is boiled?", (cf.Reference("Tea is boiled."),))]
nothing: Any = None
number: Any = 5

CALLS: dict[str, Callable[[], object]] = {
    "chunks: got NoneType": lambda: cf.filter_chunks(nothing),
    "chunks: got int": lambda: cf.filter_chunks(number),
    "existing chunks: got NoneType": lambda: cf.filter_chunks(["a"], existing=nothing),
    "vectors: got 5": lambda: cf.filter_chunks(["a"], "similarity@0.9", vectors=number),
    "embedder: got 5": lambda: cf.filter_chunks(["a"], "similarity@0.9", embedder=number),
    "metadata is 5": lambda: cf.Chunk("a", metadata=number),
    "spans are 5": lambda: cf.Chunk("a", spans=number),
    r"span \(0,\)": lambda: cf.Chunk("a", spans=((0,),)),  # type: ignore[arg-type]  # the fault itself
    r"span \('a', 'b'\)": lambda: cf.Chunk("a", spans=(("a", "b"),)),  # type: ignore[arg-type]  # likewise
    "documents: got None": lambda: cf.split_documents(nothing, "recursive:400:0"),
    "path: got None; expected the path of a file": lambda: cf.load_questions(nothing),
    "path: got 5; expected the path of a file": lambda: cf.load_dataset(number),
    "path: got None; expected the path of a saved": lambda: cf.FilterResult.load(nothing),
    "questions: got None": lambda: cf.compare(["Tea is boiled."], nothing),
    "policies: got None": lambda: cf.compare(["Tea is boiled."], QUESTIONS, nothing),
    "policies: got 'exact'": lambda: cf.compare(["Tea is boiled."], QUESTIONS, "exact"),
    "embedder: got None": lambda: cf.load_embedder(nothing),
    "budgets: got None; expected whole numbers": lambda: cf.compare(["a"], QUESTIONS, budgets=nothing),
    "depths: got 5; expected whole numbers": lambda: cf.compare(["a"], QUESTIONS, depths=number),
    "tokens: got 'word'; expected kinds": lambda: cf.compare(["a"], QUESTIONS, tokens="word"),
    "measures: got None": lambda: cf.compare(["a"], QUESTIONS, measures=nothing),
    "beside: got None": lambda: cf.compare(["a"], QUESTIONS, beside=nothing),
    "seeds: got None": lambda: cf.compare(["a"], QUESTIONS, seeds=nothing),
    "k: got None": lambda: cf.evaluate_retrieved(QUESTIONS, [["a"]], k=nothing),
    "retrieved: got None": lambda: cf.evaluate_retrieved(QUESTIONS, nothing),
    "question '1': text is None": lambda: cf.Question("1", nothing, ()),
    "question '1': references: got 'Tea'": lambda: cf.Question("1", "What?", "Tea"),  # type: ignore[arg-type]  # the fault itself
    "question '1': references hold 'Tea'; expected References": lambda: cf.Question("1", "?", ("Tea",)),  # type: ignore[arg-type]  # likewise
    "question '1': answers hold 5": lambda: cf.Question("1", "What?", (), answers=(number,)),
    "relevance is {'a': nan}": lambda: cf.Question("1", "What?", (), relevance={"a": float("nan")}),
    "reference: text is None": lambda: cf.Reference(nothing),
    "reference 'Tea': start is 'a'": lambda: cf.Reference("Tea", "a", "a"),  # type: ignore[arg-type]  # likewise
    "splitter: got None": lambda: run_grid(GRID, [nothing], ["none"], {"e": TwoLengths()}),
    "chunkers: got 'sentences:1'": lambda: run_grid(GRID, "sentences:1", ["none"], {}),
    "embedders: got None; expected a mapping": lambda: run_grid(GRID, ["sentences:1"], ["none"], nothing),
    "sentences: got 'a'": lambda: stitched(GRID, "a"),  # type: ignore[arg-type]  # likewise
    "model: got None; expected a function": lambda: generate_answers(QUESTIONS, [["a"]], nothing),
    "prompt: got None": lambda: generate_answers(QUESTIONS, [["a"]], str, prompt=nothing),
    "the prompt is 5": lambda: generate_answers(QUESTIONS, [["a"]], str, prompt=lambda *_: number),
    "k: got 'a'": lambda: generate_answers(QUESTIONS, [["a"]], str, k="a"),  # type: ignore[arg-type]  # likewise
    "BERTScore model: got 5": lambda: bert_scores(["a"], [["b"]], number),
    "written: got None": lambda: read_propositions(nothing),
    "folder: got 5": lambda: PropositionMemory(Stating(), number),
    "folder: got '~nobody": lambda: PropositionMemory(Stating(), "~nobody-of-this-name/x"),
}


class Stating:
    name = "stating"

    def propositions(self, passages: Sequence[str], /) -> list[list[str]]:
        return [["A fact."] for _ in passages]


class TwoLengths:
    def encode(self, texts: Sequence[str], /) -> list[list[float]]:
        return [[1.0, 2.0] for _ in texts]

    def encode_queries(self, texts: Sequence[str], /) -> list[list[float]]:
        return [[1.0, 2.0, 3.0] for _ in texts]


def test_vectors_of_questions_and_texts_have_one_length() -> None:
    told = "embedder TwoLengths: its vectors of texts have 2 dimensions, those of questions 3"
    with pytest.raises(VectorError, match=told):
        cf.compare(["Tea is boiled."], QUESTIONS, ["none"], embedder=TwoLengths(), tokens=["word"])
    with pytest.raises(VectorError, match=told):
        question_cosine(["What?"], ["Tea."], TwoLengths())


class TooFew(TwoLengths):
    def encode(self, texts: Sequence[str], /) -> list[list[float]]:
        return super().encode(texts)[1:]


@pytest.mark.parametrize(
    ("embedder", "called"),
    [(TooFew(), "TooFew"), (TooFew().encode, "TooFew.encode"), (SharedSentences(TooFew()), "TooFew")],
)
def test_a_splitter_names_the_embedder_that_the_caller_gave(embedder: Any, called: str) -> None:
    with pytest.raises(VectorError, match=f"embedder {called}: returned shape"):
        cf.split("One is here. Two is there.", "breakpoint:percentile=50", embedder=embedder)


@pytest.mark.parametrize("message", CALLS)
def test_the_error_names_the_argument_and_what_was_got(message: str) -> None:
    with pytest.raises(InputError, match=message):
        CALLS[message]()
