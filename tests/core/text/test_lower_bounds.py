"""Binary search in many slices at once, against counting."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.text.lower_bounds import lower_bounds
from chunkfilter.text.ragged import offsets_of

SLICES = st.lists(st.lists(st.integers(-9, 9), max_size=20).map(sorted), max_size=12)


@given(SLICES, st.integers(-10, 10))
def test_the_first_place_of_a_value_in_each_slice_is_found(slices: list[list[int]], wanted: int) -> None:
    values = np.array([value for one in slices for value in one], dtype=np.int64)
    offsets = offsets_of([len(one) for one in slices])
    found = lower_bounds(values, offsets[:-1], offsets[1:], wanted)
    assert (found - offsets[:-1]).tolist() == [sum(value < wanted for value in one) for one in slices]
