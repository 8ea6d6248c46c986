"""Shingles as numbers are equal exactly when the shingles are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.text import shingle_sets
from chunkfilter.text.shingle_sets import ShingleBags, text_shingles
from chunkfilter.text.vocabulary import Vocabulary

TEXTS = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "1.5", "…"]), max_size=7).map(" ".join), max_size=10
)


@given(TEXTS, st.sampled_from([None, 10**9]), st.sampled_from([3, 1 << 20]))
def test_two_texts_share_as_many_numbers_as_shingles(
    texts: list[str], vocabulary: int | None, block: int
) -> None:
    known = Vocabulary()
    rows = known.encode(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shingle_sets, "_BLOCK", block)
        bags = ShingleBags(rows, vocabulary or len(known))
    taken = np.split(bags.taken(np.arange(len(texts))), np.cumsum(bags.lengths)[:-1])
    hashed = [row.tolist() for block in bags.hashes() for row in block]
    shingles = [text_shingles(text) for text in texts]
    assert bags.sizes.tolist() == [len(set(found)) for found in shingles]
    assert [len(row) for row in hashed] == bags.lengths.tolist() == [len(found) for found in shingles]
    for one in range(len(texts)):
        for other in range(len(texts)):
            shared = len({*shingles[one]} & {*shingles[other]})
            assert len({*taken[one].tolist()} & {*taken[other].tolist()}) == shared
            assert len({*hashed[one]} & {*hashed[other]}) >= bool(shared)


def test_texts_that_are_not_chosen_have_no_shingles() -> None:
    texts = ["one two three four", "one two", "one two three"]
    known = Vocabulary()
    bags = ShingleBags(known.encode(texts), len(known), np.array([True, False, False]))
    assert bags.sizes.tolist() == [2, 0, 0]
    assert len(bags.taken(np.array([1, 2]))) == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One, two; three four", [("One,", "two;", "three"), ("two;", "three", "four")]),
        ("Two words", [("Two", "words")]),
        ("…", [("…",)]),
        ("", [()]),
    ],
)
def test_a_text_shorter_than_a_shingle_is_its_own(text: str, expected: list[tuple[str, ...]]) -> None:
    assert text_shingles(text) == expected


def test_no_texts_have_no_shingles() -> None:
    bags = ShingleBags(Vocabulary().encode([]), 0)
    assert len(bags.sizes) == len(bags.taken(np.empty(0, np.int64))) == 0
