"""Splitters that look at characters, paragraphs and sentences alone."""

import itertools
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter import split
from chunkfilter.errors import MissingExtraError
from chunkfilter.splitters.sentences import LONGEST, load_finder


def texts_of(text: str, spec: str) -> list[str]:
    return [chunk.text for chunk in split(text, spec)]


def test_characters_end_between_words():
    assert texts_of("one two three four", "characters:9") == ["one two", "three", "four"]
    assert texts_of("one two three", "characters:7") == ["one two", "three"]
    assert texts_of("one  \n two", "characters:5") == ["one", "two"]


def test_only_a_word_that_is_longer_than_the_size_is_cut():
    assert texts_of("a incomprehensible b", "characters:6") == ["a", "incomp", "rehens", "ible b"]


@given(st.text("ab \n", max_size=60), st.integers(1, 12))
def test_characters_takes_as_many_whole_words_as_fit(text, size):
    chunks = split(text, f"characters:{size}")
    assert all(len(chunk.text) <= size for chunk in chunks)
    for one, two in itertools.pairwise(chunks):
        assert text[one.start : two.end].split()[0]
        next_word = text[two.start :].split()[0]
        cut_inside = one.end == two.start
        assert two.start + len(next_word) - one.start > size or cut_inside
        if cut_inside:
            assert " " not in one.text
            assert len(one.text) == size


def test_a_paragraph_is_a_chunk_however_short():
    text = "# Title\n\nOne line\nand another.\r\n \r\nLast."
    assert texts_of(text, "paragraphs:600") == ["# Title", "One line\nand another.", "Last."]


def test_a_long_paragraph_is_cut_between_sentences_and_a_long_sentence_between_words():
    text = "Aa bb. Cc dd! Ee ff? Gggg hhhh iiii jjjj. Kk."
    assert texts_of(text, "paragraphs:14") == ["Aa bb. Cc dd!", "Ee ff?", "Gggg hhhh iiii", "jjjj.", "Kk."]


def test_runs_of_sentences_begin_with_the_last_of_the_run_before():
    text = "A. B. C. D. E."
    assert texts_of(text, "sentences:2:sentences=marks") == ["A. B.", "C. D.", "E."]
    assert texts_of(text, "sentences:3:1:sentences=marks") == ["A. B. C.", "C. D. E."]
    assert texts_of(text, "sentences:2:1:sentences=marks") == ["A. B.", "B. C.", "C. D.", "D. E."]
    assert texts_of(text, "sentences:overlap=1:size=3:sentences=marks") == ["A. B. C.", "C. D. E."]


def test_a_document_can_be_cut_into_a_number_of_chunks():
    text = "A. B. C. D. E."
    assert texts_of(text, "sentences:chunks=2:sentences=marks") == ["A. B.", "C. D. E."]
    assert texts_of(text, "sentences:chunks=2:overlap=1:sentences=marks") == ["A. B.", "B. C. D. E."]
    assert texts_of(text, "sentences:chunks=9:sentences=marks") == ["A.", "B.", "C.", "D.", "E."]


@given(st.integers(1, 40), st.integers(1, 45))
def test_chunks_of_a_document_differ_by_at_most_one_sentence(count, chunks):
    text = "Word. " * count
    sizes = [chunk.text.count("W") for chunk in split(text, f"sentences:chunks={chunks}:sentences=marks")]
    assert len(sizes) == min(count, chunks)
    assert sum(sizes) == count
    assert max(sizes) - min(sizes) <= 1


def test_the_sentencizer_knows_abbreviations_blank_lines_and_scripts_without_spaces():
    text = "Mr. Smith paid 3.5 EUR. He left.\n\n# Heading\n\n你好。世界很大！「走吧。」好"
    assert texts_of(text, "sentences:1:0") == [
        "Mr. Smith paid 3.5 EUR.",
        "He left.",
        "# Heading",
        "你好。",
        "世界很大！",
        "「走吧。」",
        "好",
    ]


def test_the_parser_of_a_model_finds_sentences_too():
    text = "Mr. Smith paid. He left at 5 p.m. Then he came back."
    assert texts_of(text, "sentences:1:0:sentences=en_core_web_sm")[0] == "Mr. Smith paid."


def test_a_sentence_without_end_is_cut_where_the_finder_stops_reading():
    text = "word " * (3 * LONGEST // 5)
    chunks = split(text, "sentences:1:0")
    assert max(len(chunk.text) for chunk in chunks) <= LONGEST
    assert len(chunks) == 4
    assert all(set(chunk.text.split()) == {"word"} for chunk in chunks)


def test_without_spacy_the_pip_line_is_given_before_any_text_is_read(monkeypatch):
    load_finder.cache_clear()
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r'pip install "chunkfilter\[ner\]"'):
        split("", "sentences:1:0")
    load_finder.cache_clear()
    assert texts_of("A. B.", "sentences:1:0:sentences=marks") == ["A.", "B."]
