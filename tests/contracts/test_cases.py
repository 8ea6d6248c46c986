"""Inputs of the kinds that public bug reports on filters of this kind are about, with the right behaviour.

One file a kind in ``cases``; a new input is a new file or a new chunk. ``policies`` names the policies
that are tried (all of ``POLICIES`` by default), ``scope`` is added to each.
"""

import datetime
import decimal
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chunkfilter as cf
from chunkfilter.errors import VectorError
from chunkfilter.signals.embedders import Embedder, load_embedder
from chunkfilter.signals.spacy_entities import load_entities

FILES = sorted((Path(__file__).parent / "cases").glob("*.json"))
POLICIES = [
    "exact",
    "coverage",
    "minhash@0.8",
    "minhash@0.3",
    "simhash@8",
    "similarity@0.9",
    "similarity@0.5",
    "similarity@0.5 keep=longest",
    "similarity@0.5+topics",
    "similarity@0.5+ner",
    "ner-exact",
    "ner-half@0.5",
    "exact|similarity@0.8",
    "coverage|minhash@0.8",
]
#: Metadata values that JSON cannot hold.
VALUES: dict[str, Callable[[], Any]] = {
    "$datetime": lambda: datetime.datetime(2030, 5, 6, tzinfo=datetime.UTC),
    "$set": lambda: {3, 4},
    "$bytes": lambda: b"\x00\xff",
    "$decimal": lambda: decimal.Decimal("2.50"),
    "$nan": lambda: float("nan"),
    "$float32": lambda: np.float32(0.25),
    "$object": object,
    "$generator": lambda: (letter for letter in "ab"),
}


class Hard:
    """A file of ``cases``."""

    def __init__(self, path: Path) -> None:
        read = json.loads(path.read_text(encoding="utf-8"))
        rows = read["chunks"]
        self.expect: dict[str, Any] = read["expect"]
        self.policies: list[str] = read.get("policies", POLICIES)
        self.scope: str = f" scope={read['scope']}" if "scope" in read else ""
        self.chunks = [
            cf.Chunk("".join([*_repeated(row), row["text"]]), id=row["id"], metadata=_metadata(row))
            for row in rows
        ]
        self.vectors = [_vector(row["vector"]) for row in rows] if rows and "vector" in rows[0] else None
        self.entities = [row["entities"] for row in rows] if rows and "entities" in rows[0] else None


def _repeated(row: dict[str, Any]) -> list[str]:
    text, times = row.get("repeat", ("", 0))
    return [text] * times


def _metadata(row: dict[str, Any]) -> dict[str, Any] | None:
    given = row.get("metadata")
    return given and {
        key: VALUES[value]() if isinstance(value, str) and value in VALUES else value
        for key, value in given.items()
    }


def _vector(values: list[Any] | None) -> list[float] | None:
    return None if values is None else [float(value) for value in values]


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


ALL = [
    pytest.param(path, policy, id=f"{path.stem}-{policy}") for path in FILES for policy in Hard(path).policies
]


@pytest.mark.parametrize(("path", "policy"), ALL)
def test_the_right_behaviour(path: Path, policy: str, minilm: Remembering, spacy_model: Any) -> None:
    hard = Hard(path)
    before = [(chunk.text, repr(chunk.metadata)) for chunk in hard.chunks]
    signals: dict[str, Any] = {"vectors": hard.vectors, "entities": hard.entities or spacy_model}
    if hard.vectors is None:
        signals = {"embedder": minilm, "entities": hard.entities or spacy_model}
    if "error" in hard.expect:
        with pytest.raises(VectorError) as caught:
            cf.filter_chunks(hard.chunks, policy + hard.scope, **signals)
        assert all(said in str(caught.value) for said in hard.expect["error"])
        return
    result = cf.filter_chunks(hard.chunks, policy + hard.scope, **signals)
    _check_kept(hard, result)
    _check_warnings(hard.expect, result.report.warnings)
    assert before == [(chunk.text, repr(chunk.metadata)) for chunk in hard.chunks]
    result.verify(hard.chunks, **signals)


def _check_kept(hard: Hard, result: cf.FilterResult) -> None:
    expect, ids = hard.expect, [chunk.id for chunk in hard.chunks]
    kept = [ids[position] for position in result.kept]
    removed = {ids[removal.index]: removal for removal in result.removed}
    assert {*expect.get("stay", ())} <= {*kept}
    assert kept == expect.get("kept", kept)
    assert [hard.chunks[place].text for place in result.kept] == expect.get(
        "kept_texts", [hard.chunks[place].text for place in result.kept]
    )
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
