"""Relationships of kept nodes lead past dropped ones."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.node_parser import HierarchicalNodeParser, get_leaf_nodes
from llama_index.core.postprocessor import PrevNextNodePostprocessor
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import Document, NodeRelationship, NodeWithScore
from llama_index.core.storage.docstore import SimpleDocumentStore

from llamaindex_chunkfilter import ChunkFilterTransform

FIVE = ["Repeated one.", "Repeated one.", "The middle.", "Repeated one.", "The end."]


def ids(nodes):
    return [node.node_id for node in nodes]


def links(nodes):
    return [
        (node.prev_node and node.prev_node.node_id, node.next_node and node.next_node.node_id)
        for node in nodes
    ]


def test_previous_and_next_lead_past_dropped_nodes(chain):
    kept = ChunkFilterTransform("exact")(chain(FIVE))
    assert ids(kept) == ["doc-0", "doc-2", "doc-4"]
    assert links(kept) == [(None, "doc-2"), ("doc-0", "doc-4"), ("doc-2", None)]


def test_links_end_where_the_rest_was_dropped(chain):
    kept = ChunkFilterTransform("exact")(chain(["a", "b", "a", "b"]))
    assert links(kept) == [(None, "doc-1"), ("doc-0", None)]


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(letters=st.lists(st.sampled_from("abcd"), max_size=12))
def test_kept_nodes_are_linked_as_if_the_others_had_never_been(chain, letters):
    kept = ChunkFilterTransform("exact")(chain([f"word {letter}" for letter in letters]))
    names = [None, *ids(kept), None]
    assert links(kept) == list(zip(names[:-2], names[2:], strict=True))


def test_relinking_can_be_left_out(chain):
    nodes = chain(FIVE)
    before = [node.model_copy(deep=True) for node in nodes]
    ChunkFilterTransform("exact", relink=False)(nodes)
    assert nodes == before


def test_links_in_a_circle_come_to_an_end(chain):
    nodes = chain(["a", "a", "a"])
    nodes[2].relationships[NodeRelationship.NEXT] = nodes[1].as_related_node_info()
    (kept,) = ChunkFilterTransform("exact")(nodes)
    assert kept.next_node is None


def test_an_id_used_twice_still_leads_to_the_kept_node(chain):
    nodes = chain(["a", "b", "c"])
    twin = nodes[1].model_copy()
    kept = ChunkFilterTransform("exact")([*nodes, twin])
    assert links(kept)[0] == (None, "doc-1")


@pytest.mark.parametrize("mode", ["previous", "next", "both"])
@pytest.mark.parametrize("reach", [1, 2])
def test_neighbours_are_found_in_a_store_of_kept_nodes(chain, mode, reach):
    kept = ChunkFilterTransform("exact")(chain(FIVE))
    store = SimpleDocumentStore()
    store.add_documents(kept)
    finder = PrevNextNodePostprocessor(docstore=store, num_nodes=reach, mode=mode)
    for position, node in enumerate(kept):
        low = position - reach if mode != "next" else position
        high = position + reach if mode != "previous" else position
        found = finder.postprocess_nodes([NodeWithScore(node=node, score=1.0)])
        assert set(ids(one.node for one in found)) == set(ids(kept[max(low, 0) : high + 1]))


class TestHierarchy:
    """Leaves are filtered; parents wait in the document store to be merged into."""

    @pytest.fixture
    def nodes(self):
        subjects = ["lizards", "violins", "glaciers", "bakeries", "harbours", "meteors", "looms", "orchards"]
        notice = "All visitors must report to the front desk before they enter the building. "
        parts = [
            f"{notice}This paragraph number {number} is about {subject}: what {subject} are known for. "
            for number, subject in enumerate(subjects)
        ]
        parser = HierarchicalNodeParser.from_defaults(chunk_sizes=[96, 32], chunk_overlap=0)
        return parser.get_nodes_from_documents([Document(text="".join(parts), id_="doc")])

    def test_parents_pass_through_and_forget_dropped_children(self, nodes):
        parents = [node for node in nodes if node.child_nodes]
        kept = ChunkFilterTransform("exact")(nodes)
        assert len(kept) < len(nodes)
        assert [node for node in kept if NodeRelationship.CHILD in node.relationships] == parents
        known = set(ids(kept))
        listed = itertools.chain.from_iterable(ids(parent.child_nodes) for parent in parents)
        assert set(listed) == set(ids(get_leaf_nodes(kept)))
        assert {leaf.parent_node.node_id for leaf in get_leaf_nodes(kept)} <= known

    def test_coverage_does_not_take_leaves_for_copies_of_their_parents(self, nodes):
        kept = ChunkFilterTransform("coverage")(nodes)
        assert len(get_leaf_nodes(kept)) >= 8

    @pytest.mark.parametrize("whole_hierarchy", [True, False])
    def test_filtered_leaves_still_merge(self, nodes, minilm, whole_hierarchy):
        step = ChunkFilterTransform("exact")
        if whole_hierarchy:
            kept = step(nodes)
            leaves = get_leaf_nodes(kept)
        else:
            kept, leaves = nodes, step(get_leaf_nodes(nodes))
        assert len(leaves) < len([node for node in nodes if not node.child_nodes])
        context = StorageContext.from_defaults()
        context.docstore.add_documents(kept)
        index = VectorStoreIndex(leaves, storage_context=context, embed_model=minilm)
        retriever = AutoMergingRetriever(index.as_retriever(similarity_top_k=len(leaves)), context)
        merged = retriever.retrieve("What are glaciers known for?")
        assert any(found.node.child_nodes for found in merged)
