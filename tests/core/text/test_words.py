"""Words that are equal mean the same; words that differ in a number, a sign or a letter never are."""

import numpy as np
import pytest
from chunkfilter.text.words import Vocabulary, word_spans, words
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("-1,240", "1,240"),
        ("1.5", "15"),
        ("1.022", "1.032"),
        ("(1,240)", "1,240"),
        ("-$5", "$5"),
        ("$5", "€5"),
        ("5%", "5"),
        (".5", "5"),
        ("6'", '6"'),
        ("C++", "C"),
        ("C#", "C"),
        ("a != b", "a == b"),
        ("!ready", "ready"),
        ("-v", "v"),
        ("1|2|300$", "12300$"),
        ("m²", "m2"),
        ("ı", "i"),
        ("Iİ", "Iı"),
        ("can't", "can t"),
        ("v1.2", "v1 2"),
        ("२५", "२६"),
        ("三", "四"),
        ("🚀", "🐢"),
        ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"),
        ("می‌خواهم", "میخواهم"),
        ("and/or", "and or"),
        ("Ⅳ", "Ⅴ"),
    ],
)
def test_texts_that_differ_in_meaning_differ_in_words(one: str, other: str) -> None:
    assert words(one) != words(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It’s “fine”, really.", "it's fine really"),
        ("café", "cafe\N{COMBINING ACUTE ACCENT}"),
        ("soft\N{SOFT HYPHEN}ware", "software"),
        ("a\N{ZERO WIDTH SPACE}b \N{RIGHT-TO-LEFT MARK}c", "ab c"),
        ("well-known facts", "well known facts"),
        ("| a | b |", "a b"),
        ("你好。", "你好"),
        ("one\n\n  two", "One two"),
        ("**Note** this", "note this"),
    ],
)
def test_typography_case_and_invisible_marks_make_no_difference(one: str, other: str) -> None:
    assert words(one) == words(other)


def test_a_text_of_typography_alone_has_no_words() -> None:
    assert words("... --- *** “”\N{ZERO WIDTH SPACE}") == []


@given(st.text())
def test_every_word_stands_where_its_span_says(text: str) -> None:
    spans = word_spans(text)
    assert len(spans) == len(words(text))
    for (start, end), word in zip(spans, words(text), strict=True):
        assert 0 <= start < end <= len(text)
        assert word in words(text[start:end]) or len(words(text[start:end])) != 1


@given(st.lists(st.text(), max_size=8))
def test_a_vocabulary_numbers_exactly_the_words_of_each_text(texts: list[str]) -> None:
    vocabulary = Vocabulary()
    rows = vocabulary.encode(texts)
    known = vocabulary.words()
    assert [[known[number] for number in row] for row in rows] == [words(text) for text in texts]


def test_a_vocabulary_gives_the_same_numbers_when_asked_again() -> None:
    vocabulary = Vocabulary()
    first, again = vocabulary.encode(["a b", "c"]), vocabulary.encode(["c", "a d"])
    assert np.array_equal(first[1], again[0])
    assert again[1].tolist() == [0, 3]


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(["a", "1.", "'", "-", "\u0301", "a'", "(1", "!", "🚀", "中", "$.", "\u200d"]))
def test_long_runs_of_one_mark_take_time_in_proportion(mark: str) -> None:
    assert len("".join(words(mark * 100_000))) <= 200_000 * len(mark)
