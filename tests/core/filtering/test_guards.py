"""Guards: a likeness rule removes only chunks of the same tokens; what else is alike is a conflict."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkfilter as cf
from chunkfilter.filtering.guards import difference
from chunkfilter.text.normalise import tokens

STATEMENT = "The crane lifts at most 12 tonnes when the wind stays below gale force."
LIKENESS = ["minhash@0.1", "similarity@0.9", "ner-exact", "ner-half@0.5"]


def run(texts: list[str], policy: str) -> cf.FilterResult:
    """Everything but the text is equal."""
    signals: dict[str, Any] = {"vectors": [[1.0, 0.0]] * len(texts), "entities": [{"crane"}] * len(texts)}
    result = cf.filter_chunks(texts, policy, **signals)
    result.verify(texts, **signals)
    return result


@pytest.mark.parametrize("policy", LIKENESS)
@pytest.mark.parametrize(
    "copy",
    [
        STATEMENT.replace(" ", "\n"),
        STATEMENT.replace(".", ""),
        STATEMENT.replace(".", "!"),
        STATEMENT.replace("crane", "cra\u00adne"),
        STATEMENT.replace("crane", "*crane*"),
    ],
)
def test_a_copy_is_removed_whatever_its_white_space_and_full_stop(policy: str, copy: str) -> None:
    assert run([STATEMENT, copy], policy).kept == (0,)
    assert run([copy, STATEMENT], policy).kept == (0,)


@pytest.mark.parametrize("policy", LIKENESS)
@pytest.mark.parametrize(
    ("changed", "guard"),
    [
        (STATEMENT.replace("12", "21"), "number"),
        (STATEMENT.replace("12", "-12"), "number"),
        (STATEMENT.replace("12 ", ""), "number"),
        (STATEMENT.replace("tonnes", "pounds"), "words"),
        (STATEMENT.replace("lifts", "never lifts"), "words"),
        (STATEMENT.replace("crane", "Crane"), "words"),
        (STATEMENT.replace(".", "?"), "words"),
        (STATEMENT.replace("at most 12", "12 at most"), "order"),
        (STATEMENT + " Call the harbour master.", "words"),
    ],
)
def test_what_differs_in_a_token_is_kept_and_named(policy: str, changed: str, guard: str) -> None:
    for texts in ([STATEMENT, changed], [changed, STATEMENT]):
        result = run(texts, policy)
        assert result.kept == (0, 1)
        if policy != "minhash@0.1":
            assert result.conflicts == (cf.Conflict(1, 0, guard),)
        assert run(texts, f"{policy} guards=none").kept == (0,)


@pytest.mark.parametrize(
    ("one", "other", "guard"),
    [
        ("本店三月开门", "本店五月开门", "number"),
        ("المادة ٤ سارية", "المادة ٥ سارية", "number"),
        ("Chapter Ⅳ names", "Chapter Ⅴ names", "number"),
        ("Firm A sued firm B", "Firm B sued firm A", "order"),
        ("Der Kran hebt viel", "The crane lifts much", "words"),
    ],
)
def test_how_two_texts_differ_is_told_in_every_script(one: str, other: str, guard: str) -> None:
    assert difference(one, other) == difference(other, one) == guard


@pytest.mark.parametrize(
    "policy", ["similarity@0.9 guards=none", "ner-exact@paper", "exact@paper", "coverage"]
)
def test_no_conflict_where_guards_are_off_or_only_copies_are_removed(policy: str) -> None:
    assert run([STATEMENT, STATEMENT + " Really."], policy).conflicts == ()


def test_guards_asked_for_also_watch_a_published_rule() -> None:
    texts = ["It costs 1.5", "It costs 15"]
    assert cf.filter_chunks(texts, "exact@paper").kept == (0,)
    assert cf.filter_chunks(texts, "exact@paper guards=default").kept == (0, 1)


def test_the_most_similar_earlier_kept_chunk_is_recorded() -> None:
    texts = ["Pay 5 euros on Monday", "Pay 5 dollars on Monday", "Pay 6 euros on Monday"]
    vectors = [[1.0, 0.0], [0.95, 0.3], [0.96, 0.27]]
    result = cf.filter_chunks(texts, "similarity@0.9", vectors=vectors)
    assert result.removed == ()
    assert result.conflicts == (cf.Conflict(1, 0, "words"), cf.Conflict(2, 1, "number"))


def test_a_chunk_that_is_removed_has_no_conflict_and_is_none() -> None:
    texts = ["Pay 5 euros on Monday", "Pay 6 euros on Monday", "Pay 6 euros on Monday!"]
    result = cf.filter_chunks(texts, "minhash@0.1")
    assert [(one.index, one.kept_by) for one in result.removed] == [(2, (1,))]
    assert [(one.index, one.other) for one in result.conflicts] == [(1, 0)]


def test_conflicts_with_existing_chunks_have_a_negative_place() -> None:
    result = cf.filter_chunks(["a b c d 2"], "minhash@0.1", existing=["z y x", "a b c d 1"])
    assert result.conflicts == (cf.Conflict(0, -2, "number"),)


@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "1", "not", "三"]), max_size=5).map(" ".join), max_size=8)
)
def test_only_texts_of_the_same_tokens_are_ever_removed(texts: list[str]) -> None:
    result = cf.filter_chunks(texts, "similarity@0.5 blank=keep", vectors=[[1.0, 0.0]] * len(texts))
    assert len(result.kept) == len({tuple(tokens(text)) for text in texts})
    assert all(tokens(texts[line.index]) == tokens(texts[line.kept_by[0]]) for line in result.removed)
