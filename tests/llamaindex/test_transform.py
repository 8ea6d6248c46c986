"""What the transform keeps, leaves alone, says and refuses."""

import pickle

import pytest
from llama_index.core import Settings
from llama_index.core.schema import (
    Document,
    ImageNode,
    IndexNode,
    MediaResource,
    Node,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from pydantic import ValidationError

from chunkfilter.errors import MissingSignalError, PolicyError, TooManyRemovedError, VectorError
from llamaindex_chunkfilter import ChunkFilterTransform, to_chunks


def in_document(text, document, **fields):
    node = TextNode(text=text, **fields)
    node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=document)
    return node


def texts(nodes):
    return [node.get_content() for node in nodes]


def test_kept_nodes_are_the_callers_objects_in_order_and_unchanged():
    nodes = [TextNode(text=text, metadata={"page": 1}) for text in ("b", "a", "b", "c", "a")]
    before = [node.model_copy(deep=True) for node in nodes]
    kept = ChunkFilterTransform("exact")(nodes)
    assert [id(node) for node in kept] == [id(nodes[0]), id(nodes[1]), id(nodes[3])]
    assert nodes == before


def test_metadata_does_not_enter_the_comparison():
    nodes = [TextNode(text="The same.", metadata={"file": name}) for name in ("a.txt", "b.txt")]
    assert len(ChunkFilterTransform("exact")(nodes)) == 1


def test_metadata_is_read_where_the_policy_names_it():
    nodes = [TextNode(text="The same.", metadata={"tenant": name}) for name in ("a", "b", "a")]
    assert ChunkFilterTransform("exact scope=tenant")(nodes) == nodes[:2]


def test_scope_source_keeps_a_copy_in_each_document():
    nodes = [in_document("Notice.", name) for name in ("a", "a", "b")]
    assert ChunkFilterTransform("exact scope=source")(nodes) == [nodes[0], nodes[2]]


def test_nodes_that_carry_more_than_text_pass_through():
    picture = MediaResource(path="c.png")
    others = [
        ImageNode(id_="im1", image_path="a.png"),
        ImageNode(id_="im2", image_path="b.png"),
        ImageNode(id_="im3", image_path="c.png", text="Plain text."),
        IndexNode(id_="ix1", text="", index_id="sub1"),
        IndexNode(id_="ix2", text="Plain text.", index_id="sub2"),
        Node(id_="nd1", image_resource=picture),
        Node(id_="nd2", image_resource=picture, text_resource=MediaResource(text="Plain text.")),
    ]
    plain = [TextNode(id_="tx1", text="Plain text."), TextNode(id_="tx2", text="Plain text.")]
    step = ChunkFilterTransform("exact")
    kept = step([*others, *plain])
    assert kept == [*others, plain[0]]
    assert [type(node) for node in kept] == [*(type(node) for node in others), TextNode]
    assert step.last_report is not None
    assert (step.last_report.received, step.last_report.passed) == (9, 7)


def test_blank_text_nodes_go_but_not_blank_nodes_of_unknown_classes():
    class Table(TextNode):
        rows: list[str] = []  # noqa: RUF012  # a pydantic field

    blank, table = TextNode(text=" \n"), Table(text="", rows=["1"])
    assert ChunkFilterTransform("exact")([blank, table, table.model_copy()]) == [table, table]


def test_documents_are_filtered_before_they_are_split():
    documents = [Document(text="One.", id_="a"), Document(text="One.", id_="b")]
    step = ChunkFilterTransform("exact")
    assert step(documents) == documents[:1]
    assert step.last_report.emptied_documents == ("b",)
    assert step.last_report.needed_by == {"a": ("b",)}


def test_an_empty_batch_stays_empty():
    assert ChunkFilterTransform()([]) == []


def test_chunks_know_document_and_place():
    node = in_document("some text", "doc", start_char_idx=3, end_char_idx=12, id_="n")
    chunk = to_chunks([node])[0]
    assert (chunk.id, chunk.source, chunk.spans) == ("n", "doc", ((3, 12),))
    node.relationships[NodeRelationship.PARENT] = RelatedNodeInfo(node_id="parent")
    assert to_chunks([node])[0].spans == ()  # they count in the parent, not in the document


def test_the_report_names_documents_that_lost_all_nodes_and_those_that_others_need():
    nodes = [
        in_document("Safety notice.", "A", id_="a1"),
        in_document("Only in A.", "A"),
        in_document("Safety notice.", "B", id_="b1"),
        in_document("Only in B.", "B"),
        in_document("Safety notice.", "C", id_="c1"),
    ]
    step = ChunkFilterTransform("exact")
    step(nodes)
    report = step.last_report
    assert report.kept == 3
    assert report.emptied_documents == ("C",)
    assert report.needed_by == {"A": ("B", "C")}
    assert [(one.node_id, one.document, one.kept_by, one.rule) for one in report.removals] == [
        ("b1", "B", ("a1",), "exact"),
        ("c1", "C", ("a1",), "exact"),
    ]
    scoped = ChunkFilterTransform("exact scope=source")
    scoped(nodes)
    assert (scoped.last_report.emptied_documents, scoped.last_report.needed_by) == ((), {})


def test_what_concerns_deletes_is_logged(caplog):
    ChunkFilterTransform("exact")([in_document("Notice.", name) for name in ("A", "B")])
    assert "1 documents have no node left ('B')" in caplog.text
    assert "1 documents hold the only copy of text of others ('A')" in caplog.text


def test_handlers_are_told_counts_and_never_texts(events):
    nodes = [in_document(text, name) for name, text in (("A", "Notice."), ("B", "Notice."), ("B", "More."))]
    ChunkFilterTransform("exact")([*nodes, ImageNode(image_path="a.png")])
    (event,) = events
    assert (event.policy, event.received, event.kept, event.passed) == ("exact", 4, 3, 1)
    assert (event.removed_by_rule, event.needed_documents) == ({"exact": 1}, ("A",))
    assert "Notice" not in str(event.model_dump())


def test_a_misspelt_field_and_a_wrong_policy_fail():
    with pytest.raises(ValidationError, match="polcy"):
        ChunkFilterTransform(polcy="exact")
    with pytest.raises(ValidationError, match="relnk"):
        ChunkFilterTransform("exact", relnk=False)
    with pytest.raises(PolicyError, match="unknown rule 'exct'"):
        ChunkFilterTransform("exct")


def test_settings_that_decide_the_result_cannot_change_behind_the_cache():
    step = ChunkFilterTransform("exact")
    for name, value in (("policy", "none"), ("relink", False), ("embed_model_id", "other")):
        with pytest.raises(ValidationError, match="frozen"):
            setattr(step, name, value)


def test_a_limit_on_removals_stops_the_run_and_changes_nothing(chain):
    nodes = chain(["same", "same", "same"])
    before = [node.model_copy(deep=True) for node in nodes]
    with pytest.raises(TooManyRemovedError):
        ChunkFilterTransform("exact max_removed=0.5")(nodes)
    assert nodes == before


def test_a_pickled_copy_gives_the_same_result(chain):
    step = ChunkFilterTransform("exact keep=longest scope=source")
    copy = pickle.loads(pickle.dumps(step))
    many = ["one", "two", "One", "two", "three"]
    assert texts(copy(chain(many))) == texts(step(chain(many)))
    assert copy.to_dict() == step.to_dict()


class TestVectors:
    """Similarity in its places: vectors of nodes, a given model, the model of the settings."""

    same = ("The library opens at nine.", "The library opens at nine o'clock.", "Bring your own cup.")

    def test_a_model_is_asked_once_for_each_distinct_text(self, minilm):
        nodes = [TextNode(text=text) for text in (*self.same, self.same[2], " ")]
        kept = ChunkFilterTransform("similarity@0.9 guards=none", minilm)(nodes)
        assert texts(kept) == [self.same[0], self.same[2]]
        assert [len(call) for call in minilm._calls] == [3]

    def test_vectors_on_nodes_are_used(self, minilm):
        nodes = minilm([TextNode(text=text) for text in self.same])
        minilm._calls.clear()
        kept = ChunkFilterTransform("similarity@0.9 guards=none", minilm)(nodes)
        assert texts(kept) == [self.same[0], self.same[2]]
        assert minilm._calls == []

    def test_the_model_of_the_settings_is_resolved_only_for_policies_that_need_one(self, minilm, monkeypatch):
        monkeypatch.setattr(Settings, "_embed_model", minilm)
        assert ChunkFilterTransform("exact").embed_model_id is None
        step = ChunkFilterTransform("similarity@0.9 guards=none")
        assert step.embed_model_id.startswith("MiniLM:all-MiniLM-L6-v2#")
        assert len(step([TextNode(text=text) for text in self.same])) == 2

    def test_without_a_model_nodes_without_vectors_are_an_error(self, monkeypatch):
        monkeypatch.setattr(Settings, "_embed_model", None)
        monkeypatch.delenv("IS_TESTING", raising=False)
        step = ChunkFilterTransform("similarity@0.9")
        with pytest.raises(MissingSignalError, match="pass embed_model="):
            step([TextNode(text="a"), TextNode(text="b")])

    def test_vectors_of_two_lengths_are_an_error(self):
        nodes = [TextNode(text="a", embedding=[1.0, 0.0]), TextNode(text="b", embedding=[1.0, 0.0, 0.0])]
        with pytest.raises(VectorError, match="two lengths"):
            ChunkFilterTransform("similarity@0.9", embed_model_id="mine")(nodes)

    def test_a_pickled_copy_takes_its_model_along(self, minilm):
        step = ChunkFilterTransform("similarity@0.9 guards=none", minilm)
        copy = pickle.loads(pickle.dumps(step))
        assert texts(copy([TextNode(text=text) for text in self.same])) == [self.same[0], self.same[2]]

    def test_a_copy_that_lost_its_model_raises(self, minilm, monkeypatch):
        monkeypatch.setattr(Settings, "_embed_model", None)
        step = ChunkFilterTransform.from_dict(ChunkFilterTransform("similarity@0.9", minilm).to_dict())
        with pytest.raises(MissingSignalError, match="MiniLM:all-MiniLM-L6-v2#"):
            step([TextNode(text="a"), TextNode(text="b")])

    def test_a_model_that_cannot_be_pickled_is_missed_and_not_ignored(self, minilm, monkeypatch):
        class Local(type(minilm)):
            pass

        monkeypatch.setattr(Settings, "_embed_model", None)
        copy = pickle.loads(pickle.dumps(ChunkFilterTransform("similarity@0.9", Local())))
        with pytest.raises(MissingSignalError, match="can be pickled"):
            copy([TextNode(text="a"), TextNode(text="b")])

    def test_entities_are_found_by_the_named_model(self, minilm):
        names = ("Berlin is worth a visit.", "Paris is worth a visit.", "Berlin is well worth a visit.")
        step = ChunkFilterTransform(
            "similarity@0.5+ner guards=none", minilm, entities="package:en_core_web_sm"
        )
        assert texts(step([TextNode(text=text) for text in names])) == list(names[:2])

    def test_another_model_is_never_taken_in_its_place(self, minilm, monkeypatch):
        monkeypatch.setattr(Settings, "_embed_model", type(minilm)(text_prefix="passage: "))
        step = ChunkFilterTransform(
            "similarity@0.9", embed_model_id=ChunkFilterTransform("exact", minilm).embed_model_id
        )
        with pytest.raises(MissingSignalError, match="is not here"):
            step([TextNode(text="a"), TextNode(text="b")])
