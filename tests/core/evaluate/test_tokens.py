"""What counts as a token."""

import re

import pytest

from chunkfilter.errors import InputError
from chunkfilter.evaluate.tokens import checked_tokens, token_tables, word_tokens

ENGLISH = (
    "Don't go_there: 1,240 of 5.5% (see Fig. 3a) — “quoted”, e-mail x@y.example; "
    "naïve café\n\nNEXT line\tÆsir №5 x² ½"
)


def test_english_words_are_those_of_the_study() -> None:
    assert word_tokens(ENGLISH) == re.findall(r"\w+", ENGLISH.lower())


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("東京タワー", ["東", "京", "タ", "ワ"]),
        ("ราคา", ["ร", "า", "ค", "า"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("GPU价格A100", ["gpu", "价", "格", "a100"]),
    ],
)
def test_scripts_without_spaces_give_characters_and_marks_stay_with_their_letter(
    text: str, tokens: list[str]
) -> None:
    found = word_tokens(text)
    assert [token for token in found if token != "ー"] == tokens


def test_repetitions_are_paid_for_and_sets_are_not() -> None:
    table = token_tables(["a b a"], ["b b"], ["word"])["word"]
    assert table.sequences.lengths.tolist() == [3]
    assert table.chunks.lengths.tolist() == [2]
    assert table.references.lengths.tolist() == [1]


def test_lemmas_drop_stop_words_and_join_forms_of_a_word() -> None:
    table = token_tables(
        ["the buses were running", "children wrote"], ["A bus runs", "child write"], ["lemma"]
    )
    lemma = table["lemma"]
    assert lemma.chunks[0].tolist() == lemma.references[0].tolist()
    assert sorted(lemma.chunks[1].tolist()) == sorted(lemma.references[1].tolist())


@pytest.mark.parametrize("word", ["bus", "glass", "news", "species", "covid", "2020"])
def test_words_that_only_look_inflected_stay(word: str) -> None:
    lemma = token_tables([word], [f"{word} {word[:-1]}"], ["lemma"])["lemma"]
    assert lemma.references.lengths.tolist() == [2]


@pytest.mark.parametrize("kinds", [(), ("stem",), "word"])
def test_unknown_kinds_are_refused_with_the_known_ones(kinds: object) -> None:
    with pytest.raises(InputError, match="word, lemma"):
        checked_tokens(kinds)  # type: ignore[arg-type]  # the error is about it
