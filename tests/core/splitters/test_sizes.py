"""Recursive and fixed splitters: sizes, overlaps, and places in texts that repeat themselves."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkfilter import split
from chunkfilter.splitters.recursive import recursive_spans
from chunkfilter.splitters.tokens import count_tokens, token_ends

# pieces that repeat, merge, strip and straddle tokens: what a search for the chunk's text would misplace
PIECES = st.sampled_from(
    (
        *("a", "a ", "ab", ".", "?", "!", " ", "\n", "\n\n", "\t", "\r\n", "\u2028", "\x1c", "\u3000"),
        *("e\u0301", "ß", "🙂", "👨‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "漢字", "ำ", "\u200b"),
        *("1,240.5", "<|endoftext|>", "word. ", "Same line.\n"),
    )
)
TEXTS = st.one_of(st.lists(PIECES, max_size=60).map("".join), st.text(max_size=80))


def spans_of(text: str, spec: str) -> list[tuple[int, int]]:
    chunks = split(text, spec)
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
    return [(chunk.start, chunk.end) for chunk in chunks]


@given(TEXTS, st.integers(2, 40), st.data())
@settings(max_examples=150)
def test_recursive_chunks_respect_size_and_overlap(text, size, data):
    overlap = data.draw(st.integers(0, size - 1))
    spans = spans_of(text, f"recursive:{size}:{overlap}")
    assert all(end - start <= size for start, end in spans)
    assert all(one[1] - two[0] <= overlap for one, two in itertools.pairwise(spans))


def utf8_bytes(text: str) -> int:
    return len(text.encode())


@given(TEXTS, st.integers(5, 60), st.data())
@settings(max_examples=100)
def test_recursive_chunks_respect_sizes_in_any_measure_that_adds_up(text, size, data):
    overlap = data.draw(st.integers(0, size - 1))
    spans = recursive_spans(text, size, overlap, utf8_bytes)
    assert all(utf8_bytes(text[start:end]) <= size for start, end in spans)
    assert all(utf8_bytes(text[two[0] : one[1]]) <= overlap for one, two in itertools.pairwise(spans))


@given(TEXTS, st.integers(1, 12), st.data())
@settings(max_examples=150)
def test_fixed_windows_respect_size_and_overlap_counted_in_tokens_of_the_whole_text(text, size, data):
    overlap = data.draw(st.integers(0, size - 1))
    ends = token_ends(text)
    spans = spans_of(text, f"fixed:{size}:{overlap}")
    for start, end in spans:
        # the tokens that end inside the window; the one that ends at its start belongs to the window before
        assert len(np.unique(ends[(ends > start) & (ends <= end)])) <= size
    for (_, before), (start, _) in itertools.pairwise(spans):
        assert len(np.unique(ends[(ends > start) & (ends <= before)])) <= overlap


@given(TEXTS, st.integers(1, 12))
@settings(max_examples=80)
def test_fixed_windows_without_overlap_divide_the_whole_text(text, size):
    assert "".join(chunk.text for chunk in split(text, f"fixed:{size}:0")) == text


@given(TEXTS)
@settings(max_examples=100)
def test_token_ends_stand_where_the_tokens_decode_to(text):
    ends = token_ends(text)
    assert len(ends) == count_tokens(text)
    assert (np.diff(ends) >= 0).all()
    assert text == "" or ends[-1] == len(text)


def test_a_token_boundary_inside_a_character_moves_to_its_end():
    assert count_tokens("🏴󠁧󠁢") > 3
    assert [chunk.text for chunk in split("a🦜b", "fixed:2:0")] == ["a🦜", "b"]


def test_repeated_text_with_overlap_is_placed_where_it_was_cut():
    spans = spans_of("a b " * 50, "recursive:10:5")
    assert spans[:-1] == [(start, start + 9) for start in range(0, 6 * (len(spans) - 1), 6)]
    assert spans[-1][1] == 199


def test_separators_alone_are_chunks_and_white_space_is_not():
    assert [chunk.text for chunk in split("a" * 10 + "." + "b" * 10, "recursive:10:0")][:1] == ["a" * 10]
    assert [chunk.text for chunk in split(". ? !", "recursive:2:0")] == [".", "?", "!"]


@pytest.mark.parametrize("letter", ["a", "🙂", "."])
@pytest.mark.parametrize("spec", ["fixed:400:200", "recursive:400:200", "recursive-tokens:400:200"])
def test_a_word_of_a_million_characters_is_cut(spec, letter):
    text = letter * 1_000_000
    spans = spans_of(text, spec)
    assert set(range(len(text))) == {place for span in spans for place in range(*span)}
