"""After retrieval: the best-ranked of a group stays."""

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.llms.mock import MockLLM
from llama_index.core.schema import ImageNode, NodeWithScore, TextNode
from pydantic import ValidationError

from chunkfilter.errors import TooManyRemovedError
from llamaindex_chunkfilter import ChunkFilterPostprocessor

RETRIEVED = [("best", "alpha beta", 0.91), ("mid", "gamma delta", 0.8), ("worst", "alpha beta", 0.79)]


def scored(rows):
    return [NodeWithScore(node=TextNode(text=text, id_=name), score=score) for name, text, score in rows]


def names(nodes):
    return [node.node_id for node in nodes]


@pytest.mark.parametrize("policy", ["exact", "coverage"])
def test_the_best_ranked_copy_stays_with_its_score(policy):
    nodes = scored([*RETRIEVED, ("none", "epsilon", None)])
    kept = ChunkFilterPostprocessor(policy)._postprocess_nodes(nodes)
    assert [id(one) for one in kept] == [id(nodes[0]), id(nodes[1]), id(nodes[3])]
    assert [one.score for one in kept] == [0.91, 0.8, None]


def test_rows_out_of_score_order_keep_their_order():
    rows = [("low", "alpha beta", 0.1), ("high", "alpha beta", 0.9), ("other", "gamma", 0.5)]
    assert names(ChunkFilterPostprocessor("exact").postprocess_nodes(scored(rows))) == ["low", "other"]


def test_the_best_score_can_be_asked_for():
    rows = [("low", "alpha", 0.1), ("none", "alpha", None), ("high", "alpha", 0.9)]
    kept = ChunkFilterPostprocessor("exact keep=best-score").postprocess_nodes(scored(rows))
    assert names(kept) == ["high"]


LONG = "The desk opens at nine in the morning. Visitors sign the book. Badges are returned at night."


def test_a_longer_node_takes_the_place_of_a_better_ranked_one_that_it_covers():
    rows = [("short", "Visitors sign the book.", 0.9), ("other", "Nothing alike.", 0.8), ("long", LONG, 0.7)]
    assert names(ChunkFilterPostprocessor().postprocess_nodes(scored(rows))) == ["long", "other"]
    assert names(ChunkFilterPostprocessor().postprocess_nodes(scored(rows[::-1]))) == ["long", "other"]


def test_nodes_that_are_not_compared_keep_their_rank():
    picture = NodeWithScore(node=ImageNode(image_path="a.png", id_="picture"), score=0.8)
    short, long = scored([("short", "Visitors sign the book.", 0.9), ("long", LONG, 0.7)])
    assert names(ChunkFilterPostprocessor().postprocess_nodes([short, picture, long])) == ["long", "picture"]
    assert names(ChunkFilterPostprocessor().postprocess_nodes([picture, short, long])) == ["picture", "long"]


def test_a_limit_holds_for_the_whole_list():
    rows = [("short", "Visitors sign the book.", 0.9), ("copy", "Visitors sign the book.", 0.8)]
    with pytest.raises(TooManyRemovedError):
        ChunkFilterPostprocessor("coverage max_removed=0.2").postprocess_nodes(
            scored([*rows, ("long", LONG, 0.7)])
        )


async def test_asynchronous_calls_give_the_same(events):
    nodes = scored(RETRIEVED)
    step = ChunkFilterPostprocessor("exact")
    assert await step.apostprocess_nodes(nodes, query_str="q") == step.postprocess_nodes(nodes, query_str="q")
    assert [(event.received, event.kept, event.removed_by_rule) for event in events] == [
        (3, 2, {"exact": 1})
    ] * 2


def test_pictures_pass_through():
    pictures = [NodeWithScore(node=ImageNode(image_path=name), score=0.5) for name in ("a.png", "b.png")]
    assert ChunkFilterPostprocessor("exact").postprocess_nodes(pictures) == pictures


async def test_retrieved_nodes_without_vectors_are_embedded(minilm):
    rows = [
        ("a", "The library opens at nine.", 0.9),
        ("b", "Bring your own cup.", 0.8),
        ("c", "The library opens at nine o'clock.", 0.7),
    ]
    step = ChunkFilterPostprocessor("similarity@0.9 guards=none", minilm)
    assert names(step.postprocess_nodes(scored(rows))) == ["a", "b"]
    assert names(await step.apostprocess_nodes(scored(rows))) == ["a", "b"]


def test_a_misspelt_field_fails():
    with pytest.raises(ValidationError, match="polcy"):
        ChunkFilterPostprocessor(polcy="exact")


def test_a_query_engine_answers_from_distinct_nodes(minilm):
    texts = ["Lunch is at noon.", "Lunch is at noon.", "Lunch is at noon.", "Dinner is at seven.", "Tea."]
    index = VectorStoreIndex([TextNode(text=text) for text in texts], embed_model=minilm)
    engine = index.as_query_engine(
        llm=MockLLM(), similarity_top_k=4, node_postprocessors=[ChunkFilterPostprocessor()]
    )
    answer = engine.query("When is lunch?")
    assert [one.get_content() for one in answer.source_nodes] == ["Lunch is at noon.", "Dinner is at seven."]
