"""Cases that are chunks, batches of chunks, nodes or ranked results: what every policy owes them."""

import datetime
import decimal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langchain_core.documents import Document
from llama_index.core import schema

import chunkfilter as cf
from chunkfilter.errors import ChunkFilterError, InputError
from chunkfilter.policy import Policy
from langchain_chunkfilter import ChunkFilter
from llamaindex_chunkfilter import ChunkFilterPostprocessor, ChunkFilterTransform

Case = dict[str, Any]
Signals = dict[str, Any]

#: Policies that let go of copies, however they are wrapped and punctuated;
COPIES_GO = [
    "exact",
    "coverage",
    "coverage@0.9",
    "coverage@0.8",
    "coverage@0.5",
    "minhash@0.8",
    "minhash@0.3",
    "simhash@8",
    "similarity@0.9",
    "similarity@0.5",
    "exact|similarity@0.8",
    "coverage|minhash@0.8",
]
#: and policies that ask for more than that.
COPIES_MAY_STAY = [
    "coverage keep=longest",
    "similarity@0.5 keep=longest",
    "similarity@0.5+topics",
    "similarity@0.5+ner",
    "ner-exact",
    "ner-half@0.5",
]

_VALUES: dict[str, Callable[[], Any]] = {
    "datetime": lambda: datetime.datetime(2031, 1, 2),  # as the case has it
    "set": lambda: {1, 2},
    "bytes": lambda: b"\x00",
    "decimal": lambda: decimal.Decimal("1.10"),
    "nan": lambda: float("nan"),
    "float32": lambda: np.float32(0.5),
    "object": object,
}


def chunks_behave(case: Case, policy: str, signals: Signals) -> None:
    """Run a policy over the chunks of a case, and look at all that it expects."""
    given, expect = case["input"], case["expect"]
    rows = _built(given, expect)
    chunks = [chunk for _, chunk in rows]
    before = [(chunk.text, repr(chunk.metadata), chunk.metadata) for chunk in chunks]
    if any("embedding" in row for row, _ in rows):
        signals = {
            "vectors": [_vector(row["embedding"]) for row, _ in rows],
            "entities": signals["entities"],
        }
    scope = given.get("config", {}).get("scope")
    scoped = f"{policy} scope={','.join(scope)}" if scope else policy
    if _must_be_refused(expect, policy):
        with pytest.raises(ChunkFilterError) as caught:
            cf.filter_chunks(chunks, scoped, **signals)
        assert all(size in str(caught.value) for size in _sizes(expect))
        return
    result = cf.filter_chunks(chunks, scoped, **signals)
    _stays(expect, result, chunks)
    _goes(expect, result, chunks, copies_go=policy in COPIES_GO)
    _is_said(expect, result, chunks, policy)
    result.verify(chunks, **signals)
    assert before == [(chunk.text, repr(chunk.metadata), chunk.metadata) for chunk in chunks]
    if "second_run_without_scope" in expect:
        again = cf.filter_chunks(chunks, policy, **signals)
        said = "\n".join(again.report.warnings)
        wanted = expect["second_run_without_scope"]["warns_about"]
        assert not again.removed or all(key in said for key in wanted)


def _built(given: Case, expect: Case) -> list[tuple[Case, cf.Chunk]]:
    """The chunks of a case; those that may be refused are left out once the error names them."""
    template = given.get("template")
    built: list[tuple[Case, cf.Chunk]] = []
    for row in given["chunks"]:
        text = row["text"]
        if template:
            text = text.replace("{prefix*repeat}", template["prefix"] * template["repeat"])
        metadata = {key: _value(value) for key, value in row.get("metadata", {}).items()}
        if text is None:
            with pytest.raises(InputError, match=row["id"]):
                cf.Chunk(text, id=row["id"])
            assert f"message contains {row['id']}" in expect["error_ok"]
        else:
            built.append((row, cf.Chunk(text, id=row["id"], metadata=metadata)))
    return built


def _value(value: Any) -> Any:
    if isinstance(value, str) and value.startswith("__py__"):
        return _VALUES[value.removeprefix("__py__")]()
    return value


def _vector(values: list[Any] | None) -> list[float] | None:
    return None if values is None else [float(value) for value in values]


def _sizes(expect: Case) -> list[str]:
    said = next((one["raises"] for one in expect.get("any_of", ()) if "raises" in one), "")
    return said.removeprefix("message contains ").split(" and ") if said else []


def _must_be_refused(expect: Case, policy: str) -> bool:
    return bool(_sizes(expect)) and Policy.parse(policy).needs_vectors


def _stays(expect: Case, result: cf.FilterResult, chunks: Sequence[cf.Chunk]) -> None:
    kept = [chunks[place].id for place in result.kept]
    assert list(result.kept) == sorted(result.kept)
    assert {*expect.get("must_keep", ())} <= {*kept}
    for group in expect.get("exactly_one_of", ()):
        assert any(name in kept for name in group)
    if expect.get("coverage_of_kept") == 1.0:
        held = " ".join(chunks[place].text for place in result.kept)
        assert all(_sentences(chunk.text) <= _sentences(held) for chunk in chunks)


def _sentences(text: str) -> set[str]:
    return {sentence.strip(" .") for sentence in text.split(". ")}


def _goes(expect: Case, result: cf.FilterResult, chunks: Sequence[cf.Chunk], *, copies_go: bool) -> None:
    """Whatever goes stands for itself; where copies go, they all do, for the one that is named."""
    kept = [chunks[place].id for place in result.kept]
    allowed = {*expect.get("dropped", ()), *expect.get("may_drop", ()), *expect.get("reported_reason", ())}
    allowed |= {
        name for kind in ("may_merge", "exactly_one_of") for pair in expect.get(kind, ()) for name in pair
    }
    removed = {chunks[line.index].id: line for line in result.removed}
    if "must_keep" in expect:
        assert {*removed} <= allowed | {row.id for row in chunks if not row.text}
    reasons = {name: removed[name].rule for name in expect.get("reported_reason", ())}
    assert reasons == expect.get("reported_reason", {})
    if not copies_go:
        return
    assert all(sum(name in kept for name in group) == 1 for group in expect.get("exactly_one_of", ()))
    assert {*expect.get("dropped", ())} <= {*removed}
    assert len(kept) == expect.get("keep_count", len(kept))
    assert kept == expect.get("kept", kept)
    texts = [chunks[place].text for place in result.kept]
    assert texts == expect.get("kept_texts", texts)
    keepers = {name: chunks[removed[name].kept_by[0]].id for name in expect.get("dropped_map", ())}
    assert keepers == expect.get("dropped_map", {})


def _is_said(expect: Case, result: cf.FilterResult, chunks: Sequence[cf.Chunk], policy: str) -> None:
    said = "\n".join(result.report.warnings)
    assert all(name in said for name in expect.get("warns_about", ()))
    if "not_comparable" in expect and Policy.parse(policy).needs_vectors:
        names = expect["not_comparable"]
        assert f"{len(names)} chunks are not comparable" in said
        assert sum(name in said for name in names) >= 3


def batches_behave(case: Case, policy: str, signals: Signals) -> None:
    """Batches of which nothing goes."""
    for batch, expected in zip(case["input"]["batches"], case["expect"]["kept"], strict=True):
        chunks = [cf.Chunk(row["text"], id=row["id"]) for row in batch]
        result = cf.filter_chunks(chunks, policy, **signals)
        assert [chunks[place].id for place in result.kept] == expected


def nodes_behave(case: Case, folder: Path) -> None:
    """Nodes of LlamaIndex, some of which hold something other than text."""
    del folder
    nodes = [_node(dict(row)) for row in case["input"]["nodes"]]
    for policy in ("exact", "coverage", "coverage@0.9", "minhash@0.8"):
        kept = ChunkFilterTransform(policy)(nodes)
        names = [node.node_id for node in kept]
        assert {*case["expect"]["must_keep"]} <= {*names}
        assert all(sum(name in names for name in group) == 1 for group in case["expect"]["exactly_one_of"])
        assert all(any(node is one and type(node) is type(one) for one in nodes) for node in kept)


def _node(row: Case) -> schema.BaseNode:
    cls, name = getattr(schema, row.pop("cls")), row.pop("id")
    if "image_resource" in row:
        row["image_resource"] = schema.MediaResource(path=Path(row["image_resource"]))
    node: schema.BaseNode = cls(id_=name, **row)
    return node


def results_behave(case: Case, folder: Path) -> None:
    """Ranked results of a query, through both adapters."""
    del folder
    rows, expect = case["input"]["results"], case["expect"]
    documents = [Document(row["text"], id=row["id"], metadata={"score": row["score"]}) for row in rows]
    nodes = [
        schema.NodeWithScore(node=schema.TextNode(text=row["text"], id_=row["id"]), score=row["score"])
        for row in rows
    ]
    for policy in ("exact", "coverage", "coverage@0.9", "minhash@0.8"):
        left = ChunkFilter(policy).compress_documents(documents, case["input"]["query"])
        assert [document.id for document in left] == expect["kept"]
        assert all(any(document is one for one in documents) for document in left)
        kept = ChunkFilterPostprocessor(policy).postprocess_nodes(nodes, query_str=case["input"]["query"])
        assert [one.node.node_id for one in kept] == expect["kept"]
        assert all(any(one.node is other.node for other in nodes) for one in kept)
        assert {one.node.node_id: one.score for one in kept} == expect["scores"]
