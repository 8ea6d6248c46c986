"""Set bits, against Python's own count."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.text.bits import bit_counts, bit_sums

WORDS = st.integers(0, (1 << 64) - 1)
ROWS = st.integers(1, 17).flatmap(
    lambda width: st.lists(st.lists(WORDS, min_size=width, max_size=width), min_size=1, max_size=5)
)


@given(ROWS)
def test_bits_of_words_and_rows_are_counted(rows: list[list[int]]) -> None:
    words = np.array(rows, dtype=np.uint64)
    assert bit_counts(words).tolist() == [[word.bit_count() for word in row] for row in rows]
    assert bit_sums(words).tolist() == [sum(word.bit_count() for word in row) for row in rows]


@pytest.mark.parametrize("width", [8, 1016, 1024, 2048])
def test_rows_of_set_bits_alone_are_counted(width: int) -> None:
    assert bit_sums(np.full((2, width), (1 << 64) - 1, dtype=np.uint64)).tolist() == [64 * width] * 2
