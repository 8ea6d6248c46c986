"""``A>B``: the chunks of A are joined and cut again by B; every chunk knows where its words come from."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter import Chunk, split, split_documents
from chunkfilter.errors import MissingSignalError, SplitterError
from chunkfilter.splitters import GAP
from chunkfilter.studies.propositions import PropositionMemory

PASSAGES = "The tower is in Paris. It is 330 m high.\n\nIt was built in 1889.\n\nNobody lives there."
STATED = {
    "The tower is in Paris. It is 330 m high.": ["The tower is in Paris.", "The tower is 330 m high."],
    "It was built in 1889.": ["The tower was built in 1889."],
}


class FromTable:
    """Knows the propositions of two passages and fails on every other."""

    def propositions(self, passages, /):
        return [STATED.get(passage) or ValueError("not in the table") for passage in passages]


def test_each_proposition_is_a_chunk_with_the_span_of_its_passage():
    chunks = split(PASSAGES, "propositions:600", source="a", propositionizer=FromTable())
    assert [(chunk.text, PASSAGES[chunk.start : chunk.end]) for chunk in chunks] == [
        ("The tower is in Paris.", "The tower is in Paris. It is 330 m high."),
        ("The tower is 330 m high.", "The tower is in Paris. It is 330 m high."),
        ("The tower was built in 1889.", "It was built in 1889."),
        ("Nobody lives there.", "Nobody lives there."),
    ]
    assert {chunk.source for chunk in chunks} == {"a"}


def test_regrouped_propositions_keep_the_spans_of_all_their_passages():
    chunks = split(PASSAGES, "propositions>paragraphs:60", propositionizer=FromTable())
    assert [chunk.text for chunk in chunks] == [
        "The tower is in Paris.\nThe tower is 330 m high.",
        "The tower was built in 1889.\nNobody lives there.",
    ]
    assert [chunk.spans for chunk in chunks] == [((0, 40),), ((42, 63), (65, 84))]


def test_a_passage_that_failed_keeps_its_text_and_is_reported(caplog):
    memory = PropositionMemory(FromTable())
    split_documents({"a": PASSAGES, "b": PASSAGES}, "propositions>sentences:2", propositionizer=memory)
    assert [(one.passage, one.reason) for one in memory.failures] == [
        ("Nobody lives there.", "ValueError: not in the table")
    ]
    assert "keeps its text: ValueError: not in the table" in caplog.text
    assert "Nobody" not in caplog.text


def test_clusters_cut_again_come_in_reading_order():
    (chunk,) = split("A b. C d. E f.", "sentences:1:sentences=marks>paragraphs:100")
    assert (chunk.text, chunk.spans) == ("A b.\nC d.\nE f.", ((0, 4), (5, 9), (10, 14)))


def test_what_overlapping_chunks_share_is_said_once():
    (chunk,) = split("A b. C d. E f.", "sentences:2:1:sentences=marks>paragraphs:100")
    assert (chunk.text, chunk.spans) == ("A b. C d. E f.", ((0, 14),))


STAGES = st.sampled_from(
    [
        "characters:7",
        "paragraphs:9",
        "sentences:1:sentences=marks",
        "sentences:3:2:sentences=marks",
        "sentences:chunks=3:sentences=marks",
    ]
)
TEXTS = st.lists(st.sampled_from(["a", "bc ", "D. ", "\n\n", "\r\n", "longer", "! ", "\u2028"]), max_size=30)


@given(TEXTS.map("".join), st.lists(STAGES, min_size=2, max_size=3))
def test_composed_cuts_keep_exact_spans_and_lose_only_white_space(text, stages):
    chunks: list[Chunk] = split(text, ">".join(stages))
    kept = bytearray(len(text))
    for chunk in chunks:
        assert chunk.text == GAP.join(text[start:end] for start, end in chunk.spans)
        for start, end in chunk.spans:
            kept[start:end] = b"\1" * (end - start)
        assert all(one[1] <= two[0] for one, two in itertools.pairwise(chunk.spans))
    assert not "".join(one for one, flag in zip(text, kept, strict=True) if not flag).strip()


@given(TEXTS.map("".join), STAGES)
def test_a_stage_after_one_that_cuts_nothing_is_that_stage(text, stage):
    once = [chunk.spans for chunk in split(text, stage)]
    assert [chunk.spans for chunk in split(text, f"fixed:1000000:0>{stage}")] == once


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("paragraphs:5>", "unknown name ''"),
        (">paragraphs:5", "unknown name ''"),
        ("paragraphs:5>propositions", "'propositions': expected only before the first '>'"),
        ("paragraphs:5>paragraphs:0", "'paragraphs:0': size is '0'"),
        ("propositions:0", "size is '0'; expected a whole number from 1"),
        ("propositions:5:6", "got the field '6'; expected propositions[:SIZE]"),
    ],
)
def test_each_stage_is_checked(spec, message):
    with pytest.raises(SplitterError) as caught:
        split("text", spec, propositionizer=FromTable())
    assert message in str(caught.value)


def test_without_a_propositionizer_the_error_says_what_to_give():
    with pytest.raises(
        MissingSignalError, match=r"give a propositionizer, any object with .* propositions\("
    ):
        split("text", "propositions>paragraphs:500")
