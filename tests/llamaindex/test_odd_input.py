"""What is odd goes through, what is wrong is named: nodes, relationships, arguments."""

import datetime
from typing import Any

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.schema import (
    MediaResource,
    Node,
    NodeRelationship,
    NodeWithScore,
    RelatedNodeInfo,
    TextNode,
)

from chunkfilter.errors import InputError
from llamaindex_chunkfilter import (
    ChunkFilterPostprocessor,
    ChunkFilterRetriever,
    ChunkFilterTransform,
    evaluate,
    to_chunks,
)

TEXT = "The pump of the old mill starts at six in the morning."
nothing: Any = None
number: Any = 5


@pytest.fixture
def index(minilm: Any) -> VectorStoreIndex:
    return VectorStoreIndex([TextNode(text=TEXT)], embed_model=minilm)


def transformed(nodes: Any) -> Any:
    return ChunkFilterTransform("exact")(nodes)


def reranked(nodes: Any) -> Any:
    return ChunkFilterPostprocessor("exact").postprocess_nodes(nodes)


WRONG: dict[str, Any] = {
    "nodes: got None; expected several": lambda _: transformed(nothing),
    "nodes: got 5; expected several": lambda _: reranked(number),
    "nodes: got 'abc'": lambda _: to_chunks("abc"),  # type: ignore[arg-type]  # the fault itself
    r"node 0: got None; expected a LlamaIndex node \(BaseNode\)": lambda _: transformed([None]),
    "node 0: got NodeWithScore": lambda _: transformed([NodeWithScore(node=TextNode(text=TEXT))]),
    r"node 0: got TextNode.* \(NodeWithScore\)": lambda _: reranked([TextNode(text=TEXT)]),
    "embed_model: got 5": lambda _: ChunkFilterTransform(embed_model=number),
    "base: got <llama_index": ChunkFilterRetriever,
    "k: got 'a'; expected at least 1, a whole number": lambda index: ChunkFilterRetriever(
        index.as_retriever(), k="a"
    ),  # type: ignore[arg-type]  # likewise
    "fetch_k: got 2.5": lambda index: ChunkFilterRetriever(index.as_retriever(), k=2, fetch_k=2.5),  # type: ignore[arg-type]  # likewise
    "questions: got None": lambda index: evaluate(index, nothing),
}


@pytest.mark.parametrize("message", WRONG)
def test_the_error_names_what_was_got(message: str, index: VectorStoreIndex) -> None:
    with pytest.raises(InputError, match=message):
        WRONG[message](index)


def test_metadata_may_hold_anything() -> None:
    metadata = {"when": datetime.datetime.now(datetime.UTC), "call": print, "set": {1}, "bytes": b"\xff"}
    nodes = [TextNode(text=TEXT, metadata=metadata) for _ in range(2)]
    assert list(transformed(nodes)) == nodes[:1]
    assert list(ChunkFilterTransform("exact scope=call,set keep=newest:when")(nodes)) == nodes[:1]


def test_nodes_without_text_or_id_are_nodes() -> None:
    blank = [Node(text_resource=None), Node(text_resource=MediaResource(text=None)), TextNode(text="")]
    assert transformed(blank) == []
    kept = transformed(iter([TextNode(text=TEXT, id_="") for _ in range(3)]))
    assert [node.node_id for node in kept] == [""]


def info(name: str) -> RelatedNodeInfo:
    return RelatedNodeInfo(node_id=name)


def linked(text: str, name: str, **links: Any) -> TextNode:
    relationships = {getattr(NodeRelationship, kind): target for kind, target in links.items()}
    return TextNode(text=text, id_=name, relationships=relationships)


def test_relationships_of_the_wrong_form_are_left_alone() -> None:
    odd = [
        linked(TEXT, "a", SOURCE=[info("d")]),
        linked(f"{TEXT} Then it stops.", "b", CHILD=info("c")),
        linked("Valves open.", "c", NEXT=[info("x")]),
    ]
    assert transformed(odd) == odd
    assert [chunk.source for chunk in to_chunks(odd)] == [None, None, None]


def test_links_that_go_in_circles_end() -> None:
    nodes = [
        linked(TEXT, "kept", NEXT=info("a")),
        linked(TEXT, "a", NEXT=info("b")),
        linked(TEXT, "b", NEXT=info("a")),
        linked("Valves open.", "c", NEXT=info("b"), PREVIOUS=info("c")),
    ]
    kept = transformed(nodes)
    assert [node.node_id for node in kept] == ["kept", "c"]
    assert [set(node.relationships) for node in kept] == [set(), {NodeRelationship.PREVIOUS}]


def test_many_links_into_one_long_chain_of_dropped_nodes_lead_to_its_end() -> None:
    count = 4000
    chain = [linked(TEXT, str(place), NEXT=info(str(place + 1))) for place in range(count)]
    end = linked("Valves open.", str(count))
    others = [linked(f"Part {place} is here.", f"part {place}", NEXT=info("1")) for place in range(count)]
    kept = transformed([*chain, end, *others])
    assert len(kept) == count + 2
    assert {node.next_node.node_id for node in kept if node.next_node} == {str(count)}
