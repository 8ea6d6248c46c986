"""What guards keep apart, and what they let go."""

import numpy as np
import pytest
from chunkfilter.filters.guards.numbers import number_words
from chunkfilter.filters.guards.scripts import word_script
from hypothesis import given
from hypothesis import strategies as st

import chunkfilter as cf

from .pairs import veto

STATEMENT = "The crane lifts at most 12 tonnes when the wind stays below gale force."


@pytest.mark.parametrize(
    "copy",
    [
        STATEMENT.replace(" ", "\n"),
        STATEMENT.upper(),
        STATEMENT.replace(".", ""),
        "“" + STATEMENT.replace("force.", "force!”"),
        STATEMENT.replace("crane", "cra\u00adne"),
    ],
)
def test_a_copy_wrapped_punctuated_or_cased_otherwise_may_go(copy: str) -> None:
    assert veto(copy, STATEMENT) == ""


@pytest.mark.parametrize(
    ("changed", "guard"),
    [
        (STATEMENT.replace("12", "21"), "number"),
        (STATEMENT.replace("12", "-12"), "number"),
        (STATEMENT.replace("12 ", ""), "number"),
        (STATEMENT.replace("tonnes", "pounds"), "words"),
        (STATEMENT.replace("lifts", "never lifts"), "words"),
        (STATEMENT.replace("at most ", ""), "words"),
        ("When the wind stays below gale force the crane lifts at most 12 tonnes.", "order"),
        (STATEMENT + " Call the harbour master.", "words"),
    ],
)
def test_a_statement_with_words_changed_left_out_put_in_or_moved_stays(changed: str, guard: str) -> None:
    assert veto(changed, STATEMENT) == guard
    assert veto(STATEMENT, changed) == guard


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("本店三月开门", "本店五月开门"),
        ("المادة ٤ من القانون سارية", "المادة ٥ من القانون سارية"),
        ("धारा ४ के नियम लागू हैं", "धारा ५ के नियम लागू हैं"),
        ("Chapter IX names the heirs", "Chapter XI names the heirs"),
        ("Chapter Ⅳ names the heirs", "Chapter Ⅴ names the heirs"),
        ("Set max_size before the start", "Set min_size before the start"),
    ],
)
def test_numbers_and_identifiers_of_every_script_are_told_as_such(one: str, other: str) -> None:
    assert veto(one, other) == "number"


def test_words_that_only_look_like_roman_numerals_are_words() -> None:
    words = ["i", "mix", "di", "mi", "iv", "xxxix", "b4", "三", "ⅳ", "½", "naïve", "xxxx"]
    assert number_words(words).tolist() == [False] * 4 + [True] * 6 + [False] * 2


PARAPHRASE = (
    "In a gale the harbour crane must not be used; otherwise 12 tonnes is the limit of what it lifts."
)


def test_a_paraphrase_may_go_if_its_numbers_are_in_what_stays() -> None:
    assert veto(STATEMENT, PARAPHRASE) == ""
    assert veto(STATEMENT.replace("12", "13"), PARAPHRASE) == "number"
    assert veto(STATEMENT, PARAPHRASE + " Built in 1999.") == ""
    assert veto(PARAPHRASE + " Built in 1999.", STATEMENT) == "number"


@pytest.mark.parametrize(
    "translation",
    [
        "Der Kran hebt höchstens 12 Tonnen, solange kein Sturm weht.",
        "Кран поднимает не более 12 тонн, пока нет бури.",
        "クレーンは強風でないかぎり12トンまで持ち上げます。",
    ],
)
def test_a_translation_stays(translation: str) -> None:
    assert veto(translation, STATEMENT) == "language"
    assert veto(STATEMENT, translation) == "language"


def test_chinese_and_japanese_are_two_scripts() -> None:
    assert veto("保修期为购买之日起", "保証は購入の日からです") == "language"
    assert [word_script(word) for word in ("の", "ト", "修", "ß", "7", "+")] == [
        "KANA",
        "KANA",
        "CJK",
        "LATIN",
        "",
        "",
    ]


def test_other_wordings_in_a_script_without_spaces_stay() -> None:
    assert veto("ฝนตกหนักมาก", "วันนี้อากาศดี") == "words"


def test_texts_without_words_are_compared_themselves() -> None:
    assert veto("...  !!", "... !!") == ""
    assert veto("...", "!!") == "words"
    assert veto("...", "One word") == "words"


def long_text(end: str) -> str:
    return "Every order placed in the shop is subject to these terms. " * 40 + end


def test_texts_beyond_the_window_never_go_on_vectors_alone() -> None:
    one, other = long_text("Ring the bell."), long_text("Use the back door.")
    assert veto(one, other, "similarity@0.9") == "window"
    assert veto(one, other, "similarity@0.9+topics") == "window"
    assert veto(one, one.upper(), "similarity@0.9") == ""
    assert veto(one, other, "minhash@0.8") == "words"
    assert veto(one, other, "similarity@0.9+minhash@0.8") == "words"
    assert veto(one, other, "similarity@0.9 window=none") == "words"
    assert veto(STATEMENT, STATEMENT + " Really.", "similarity@0.9 window=5") == "window"


@pytest.mark.parametrize("policy", ["similarity@0.9 guards=none", "ner-exact@paper", "exact", "exact+ner"])
def test_no_guard_where_it_is_switched_off_or_only_copies_go(policy: str) -> None:
    assert veto(STATEMENT, STATEMENT + " Really.", policy) == ""


def test_guards_asked_for_also_watch_a_published_rule() -> None:
    policy = "exact@paper guards=default"
    texts = ["It costs 1.5", "It costs 15"]
    assert cf.filter_chunks(texts, "exact@paper").kept == (0,)
    assert cf.filter_chunks(texts, policy).kept == (0, 1)


words_ = st.lists(st.sampled_from(["a", "b", "c", "d", "1", "2", "not", "+", "三", "ม"]), max_size=8).map(
    " ".join
)


@given(one=words_, other=words_)
def test_a_guard_is_silent_only_between_copies_and_paraphrases(one: str, other: str) -> None:
    silent = veto(one, other) == ""
    shared = {*one.split()} & {*other.split()}
    fewer = min(len({*one.split()}), len({*other.split()}))
    if silent and one.split() != other.split():
        assert fewer / 4 <= len(shared) < fewer / 2


class TestConflicts:
    """What a result says about pairs that guards keep apart."""

    def test_the_best_vetoed_keeper_of_a_kept_chunk_is_recorded(self) -> None:
        texts = ["Pay 5 euros on Monday", "Pay 5 dollars on Monday", "Pay 6 euros on Monday"]
        vectors = np.array([[1.0, 0.0], [0.95, 0.3], [0.96, 0.27]])
        result = cf.filter_chunks(texts, "similarity@0.9", vectors=vectors)
        assert result.removed == ()
        assert [(one.index, one.other, one.guard) for one in result.conflicts] == [
            (1, 0, "words"),
            (2, 1, "number"),
        ]

    def test_a_chunk_that_goes_for_another_keeper_has_none(self) -> None:
        texts = ["Pay 5 euros on Monday", "Pay 6 euros on Monday", "PAY 6 euros, on Monday!"]
        result = cf.filter_chunks(texts, "minhash@0.1")
        assert [(one.index, one.kept_by) for one in result.removed] == [(2, (1,))]
        assert cf.filter_chunks(texts, "minhash@0.1 guards=none").kept == (0,)

    def test_conflicts_with_stored_chunks_are_told_by_their_negative_place(self) -> None:
        result = cf.filter_chunks(["a b c d 2"], "minhash@0.1", existing=["z y x", "a b c d 1"])
        assert [(one.index, one.other, one.guard) for one in result.conflicts] == [(0, -2, "number")]

    def test_a_removal_gets_no_new_keeper_that_a_guard_keeps_apart(self) -> None:
        texts = ["a b c d e", "A b c d e", "a b c d f"]
        result = cf.filter_chunks(texts, "minhash@0.9|minhash@0.3")
        assert [(one.index, one.kept_by) for one in result.removed] == [(1, (0,))]
