"""When two texts are the same, and when they are not."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkfilter.text.normalise import INVISIBLE, normalise, token_weight, tokens
from chunkfilter.text.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("café", "cafe\N{COMBINING ACUTE ACCENT}"),
        ("a  b\tc\r\nd\n", "a b c d"),
        ("a\N{NO-BREAK SPACE}b\N{NARROW NO-BREAK SPACE}c", "a b c"),
        *((f"soft{mark}ware", "software") for mark in INVISIBLE),
        ("It’s “fine”, ‘really’ „so“", 'It\'s "fine", \'really\' "so"'),
        ("a `quoted word", "a 'quoted word"),
        ("ﬁrst ﬂow oﬀ aﬃx waﬄe", "first flow off affix waffle"),
        ("a **bold** and *slanted* word", "a bold and slanted word"),
        ("a __bold face__ and _slanted words_ here", "a bold face and slanted words here"),
        ("**All of it.", "**All of it."),
        ("(see *note*)", "(see *note*)"),
    ],
)
def test_these_texts_are_the_same(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Salt", "salt"),
        ("5 mW", "5 MW"),
        ("-5", "5"),
        ("–5", "-5"),
        ("(5)", "5"),
        ("a - b", "a * b"),
        ("a * b * c", "a b c"),
        ("2*3*4", "234"),
        ("r**2", "r2"),
        ("*5*", "5"),
        ("_private_", "private"),
        ("__init__", "init"),
        ("snake_case_name", "snakecasename"),
        ("`a **b** c`", "`a b c`"),
        ("    x = '*a*'", "    x = 'a'"),
        ("```\n*a*\n```", "```\na\n```"),
        ("`code`", "'code'"),
        ("- item", "item"),
        ("• item", "- item"),
        ("| a | |", "| | a |"),
        ("a\t\tb", "a\tb"),
        ("a\tb\t", "a\t\tb"),
        ("end.", "end"),
        ("end?", "end."),
        ("你好。", "你好"),
        ("１", "1"),
        ("Ⅳ", "IV"),
        ("m²", "m2"),
        ("…", "..."),
        ("می\N{ZERO WIDTH NON-JOINER}خواهم", "میخواهم"),
        ("\N{WOMAN}\N{ZERO WIDTH JOINER}\N{ROCKET}", "\N{WOMAN}\N{ROCKET}"),
        ("\N{RIGHT-TO-LEFT OVERRIDE}12", "12"),
    ],
)
def test_everything_else_is_content(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


def test_white_space_that_only_indents_is_no_empty_cell() -> None:
    assert normalise("\t\titem") == normalise("item")
    assert normalise("key\t\t\n") != normalise("key")


@given(st.text())
def test_a_normal_form_without_marks_of_emphasis_is_its_own(text: str) -> None:
    text = re.sub(r"[*_`~\t]", "", text)
    assert normalise(normalise(text)) == normalise(text)


@given(st.text() | st.text("a*_`‘\"'~ \t\n.1é\u0301水\u200b", max_size=40))
def test_no_text_is_refused_and_white_space_is_single(text: str) -> None:
    found = normalise(text)
    assert found == found.strip()
    assert "  " not in found
    assert "".join(tokens(text)) == found.replace(" ", "")


@given(st.text(max_size=30))
def test_letters_and_digits_are_never_lost(text: str) -> None:
    def kept(value: str) -> list[str]:
        plain = unicodedata.normalize("NFKC", value)
        return [character for character in plain if character.isalnum()]

    assert kept(normalise(text)) == kept(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize("mark", ["*", "**a", "_a_ ", "`", "``a", "~~~\n", "\u0301", "\t", " *a", "“", "\n"])
def test_long_hostile_texts_are_not_made_longer(mark: str) -> None:
    text = mark * 100_000
    assert len(normalise(text)) <= 2 * len(text)


def test_tokens_are_words_and_characters_of_scripts_without_spaces() -> None:
    assert tokens("The pump,  v1.2 (new)!") == ["The", "pump,", "v1.2", "(new)!"]
    assert tokens("水在0度 结冰。") == ["水", "在", "0", "度", "结", "冰", "。"]
    assert [token_weight(token) for token in ("word", "水", "の", "ก", "。")] == [4, 2, 2, 1, 4]


@given(st.lists(st.text(), max_size=8))
def test_a_vocabulary_numbers_exactly_the_tokens_of_each_text(texts: list[str]) -> None:
    vocabulary = Vocabulary()
    rows = vocabulary.encode(texts)
    known = vocabulary.tokens()
    assert [[known[number] for number in row] for row in rows] == [tokens(text) for text in texts]


def test_a_vocabulary_gives_the_numbers_it_gave_before() -> None:
    vocabulary = Vocabulary()
    first, again = vocabulary.encode(["a b", "c"]), vocabulary.encode(["c", "a d"])
    assert first[1].tolist() == again[0].tolist() == [2]
    assert again[1].tolist() == [0, 3]


@settings(max_examples=30)
@given(st.lists(st.sampled_from("ab"), max_size=6).map(" ".join))
def test_a_vocabulary_with_tokens_of_its_own_is_not_normalised(text: str) -> None:
    vocabulary = Vocabulary(lambda piece: [piece.upper()])
    vocabulary.encode([text])
    assert set(vocabulary.tokens()) == set(text.upper().split())
