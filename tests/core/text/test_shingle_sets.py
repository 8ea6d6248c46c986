"""Shingles as numbers are equal exactly when the shingles are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.text.shingle_sets import shingle_sets, text_shingles
from chunkfilter.text.words import Vocabulary

TEXTS = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "1.5", "…"]), max_size=7).map(" ".join), max_size=10
)


@given(TEXTS, st.sampled_from([None, 10**9]))
def test_two_texts_share_as_many_numbers_as_shingles(texts: list[str], vocabulary: int | None) -> None:
    known = Vocabulary()
    rows = known.encode(texts)
    sets = [set(row.tolist()) for row in shingle_sets(texts, rows, vocabulary or len(known))]
    shingles = [set(text_shingles(text)) for text in texts]
    for one in range(len(texts)):
        for other in range(len(texts)):
            assert len(sets[one] & sets[other]) == len(shingles[one] & shingles[other])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One, two; three four", [("one", "two", "three"), ("two", "three", "four")]),
        ("Two words", [("two", "words")]),
        ("…", [("", "…")]),
        ("", [("", "")]),
    ],
)
def test_a_text_shorter_than_a_shingle_is_its_own(text: str, expected: list[tuple[str, ...]]) -> None:
    assert text_shingles(text) == expected


def test_no_texts_have_no_shingles() -> None:
    assert len(shingle_sets([], Vocabulary().encode([]), 0)) == 0
    assert np.issubdtype(shingle_sets([], Vocabulary().encode([]), 0).values.dtype, np.integer)
