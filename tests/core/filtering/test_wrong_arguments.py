"""Arguments of a wrong type: an error that says what was got and what was expected."""

from collections.abc import Callable
from typing import Any

import pytest

import chunkfilter as cf
from chunkfilter.errors import InputError

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
    "path: got None; expected the path of a saved": lambda: cf.FilterResult.load(nothing),
    "embedder: got None": lambda: cf.load_embedder(nothing),
}


@pytest.mark.parametrize("message", CALLS)
def test_the_error_names_the_argument_and_what_was_got(message: str) -> None:
    with pytest.raises(InputError, match=message):
        CALLS[message]()
