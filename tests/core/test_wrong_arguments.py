"""Arguments of a wrong type at the public entries: an error that says what was got and what was expected."""

from collections.abc import Callable
from typing import Any

import pytest

import chunkfilter as cf
from chunkfilter.errors import InputError

QUESTIONS = [cf.Question("1", "What is boiled?", (cf.Reference("Tea is boiled."),))]
nothing: Any = None
number: Any = 5

CALLS: dict[str, Callable[[], object]] = {
    "chunks: got NoneType": lambda: cf.filter_chunks(nothing),
    "chunks: got int": lambda: cf.filter_chunks(number),
    "stored chunks: got NoneType": lambda: cf.filter_chunks(["a"], against=nothing),
    "embeddings: got 5": lambda: cf.filter_chunks(["a"], "similarity@0.9", embeddings=number),
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
}


@pytest.mark.parametrize("message", CALLS)
def test_the_error_names_the_argument_and_what_was_got(message: str) -> None:
    with pytest.raises(InputError, match=message):
        CALLS[message]()
