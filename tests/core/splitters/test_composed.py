"""``A>B``: the chunks of A are joined and cut again by B; every chunk knows where its words come from."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter import Chunk, split
from chunkfilter.errors import SplitterError
from chunkfilter.splitters import GAP


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
        split("text", spec)
    assert message in str(caught.value)
