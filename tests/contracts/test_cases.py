"""Inputs of the kinds that public bug reports are about, with the right behaviour.

One file a kind in ``cases``; a new input is a new file or a new row. ``policies`` names the policies that are
tried (all of ``POLICIES`` by default), ``scope`` is added to each. ``CHUNKFILTER_CASES`` names a folder with
more of them.
"""

import os
from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chunkfilter as cf
from chunkfilter.errors import VectorError
from chunkfilter.signals.embedders import Embedder, load_embedder
from chunkfilter.signals.entities import load_entities

from .case_files import COPIES_GO, ChunkCase, read_cases

OURS = sorted((Path(__file__).parent / "cases").glob("*.json"))
FOLDER = os.environ.get("CHUNKFILTER_CASES", "")
GIVEN = sorted(Path(FOLDER).glob("[0-9]*.json")) if FOLDER else []
TEXT_POLICIES = ["exact", "coverage", "minhash@0.8", "minhash@0.3", "simhash@8", "similarity@0.9"]


def rows(paths: list[Path], kind: str) -> list[Any]:
    cases = [(path, number, case) for path in paths for number, case in enumerate(read_cases(path))]
    return [pytest.param(case, id=f"{path.stem}-{n}") for path, n, (of, case) in cases if of == kind]


class Remembering:
    """MiniLM that reads each text of the suite once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Any] = {}

    def encode(self, texts: Sequence[str], /) -> Any:
        new = [text for text in texts if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._embedder.encode(new), strict=True))
        return np.array([self._vectors[text] for text in texts])

    def visible_ends(self, texts: Sequence[str], /) -> Any:
        return self._embedder.visible_ends(texts)  # type: ignore[attr-defined]  # MiniLM tells its window


@pytest.fixture(scope="module")
def minilm() -> Remembering:
    return Remembering(load_embedder("package:all-MiniLM-L6-v2"))


@pytest.fixture(scope="module")
def spacy_model() -> Callable[[Sequence[str]], Any]:
    model, known = load_entities("package:en_core_web_sm"), dict[str, Any]()

    def found(texts: Sequence[str]) -> list[Any]:
        new = [text for text in texts if text not in known]
        known.update(zip(new, model(new), strict=True))
        return [known[text] for text in texts]

    return found


@pytest.mark.parametrize(
    ("case", "policy"),
    [
        pytest.param(row.values[0], policy, id=f"{row.id}-{policy}")
        for row in rows(OURS, "chunks")
        for policy in row.values[0].policies
    ],
)
def test_chunks_get_the_right_behaviour(
    case: ChunkCase, policy: str, minilm: Remembering, spacy_model: Any
) -> None:
    check_chunks(case, policy, minilm, spacy_model)


@pytest.mark.parametrize("texts", rows([*OURS, *GIVEN], "groups"))
@pytest.mark.parametrize("policy", TEXT_POLICIES)
@pytest.mark.parametrize("source", [None, "one source"])
def test_texts_that_differ_in_what_matters_are_all_kept(
    texts: list[str], policy: str, source: str | None
) -> None:
    """In any order, as texts and as parts of one source, and with vectors that are all equal."""
    for order in permutations(texts):
        chunks = [cf.Chunk(text, source=source) for text in order]
        vectors = [[1.0, 0.0]] * len(chunks)
        result = cf.filter_chunks(chunks, policy + (" scope=source" if source else ""), vectors=vectors)
        assert result.removed == ()


@pytest.mark.parametrize("texts", rows([*OURS, *GIVEN], "copies"))
@pytest.mark.parametrize("policy", TEXT_POLICIES)
def test_of_copies_exactly_one_is_kept(texts: list[str], policy: str) -> None:
    for order in permutations(texts):
        result = cf.filter_chunks(order, policy, vectors=[[1.0, 0.0]] * len(texts))
        assert result.kept == (0,)
        result.verify(order, vectors=[[1.0, 0.0]] * len(texts))


@pytest.mark.skipif(not GIVEN, reason="set CHUNKFILTER_CASES to a folder with more cases to run this test")
@pytest.mark.parametrize("case", rows(GIVEN, "chunks"))
def test_chunks_of_the_folder_get_the_right_behaviour(
    case: ChunkCase, minilm: Remembering, spacy_model: Any
) -> None:
    for policy in COPIES_GO:
        check_chunks(case, policy, minilm, spacy_model)


def check_chunks(case: ChunkCase, policy: str, minilm: Remembering, spacy_model: Any) -> None:
    before = [(chunk.text, repr(chunk.metadata)) for chunk in case.chunks]
    signals: dict[str, Any] = {"entities": case.entities or spacy_model}
    signals |= {"embedder": minilm} if case.vectors is None else {"vectors": case.vectors}
    if "error" in case.expect and cf.Policy.parse(policy).needs_vectors:
        with pytest.raises(VectorError) as caught:
            cf.filter_chunks(case.chunks, policy + case.scope, **signals)
        assert all(said in str(caught.value) for said in case.expect["error"])
        return
    result = cf.filter_chunks(case.chunks, policy + case.scope, **signals)
    _check_kept(case, result)
    _check_warnings(case.expect, result.report.warnings)
    assert before == [(chunk.text, repr(chunk.metadata)) for chunk in case.chunks]
    result.verify(case.chunks, **signals)


def _check_kept(case: ChunkCase, result: cf.FilterResult) -> None:
    expect, ids = case.expect, [chunk.id for chunk in case.chunks]
    kept = [ids[position] for position in result.kept]
    removed = {ids[removal.index]: removal for removal in result.removed}
    texts = [case.chunks[place].text for place in result.kept]
    assert {*expect.get("stay", ())} <= {*kept}
    assert kept == expect.get("kept", kept)
    assert texts == expect.get("kept_texts", texts)
    assert len(kept) == expect.get("count", len(kept))
    assert len(kept) <= expect.get("max_kept", len(kept))
    assert all(sum(name in kept for name in group) == 1 for group in expect.get("one_of", ()))
    assert all(any(name in kept for name in group) for group in expect.get("some_of", ()))
    assert {name: removed[name].rule for name in expect.get("rules", ())} == expect.get("rules", {})
    keepers = {name: [ids[place] for place in removed[name].kept_by] for name in expect.get("keepers", ())}
    assert keepers == expect.get("keepers", {})


def _check_warnings(expect: dict[str, Any], warnings: tuple[str, ...]) -> None:
    said = "\n".join(warnings)
    assert all(part in said for part in expect.get("warns", ()))
    assert not any(part in said for part in expect.get("never_warns", ()))
    for part, count in expect.get("warnings_about", {}).items():
        assert sum(part in warning for warning in warnings) == count
