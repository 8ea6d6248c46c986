"""What grows part by part is what joined parts are."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.text import growing
from chunkfilter.text.growing import Growing


@given(st.lists(st.lists(st.integers(0, 9), max_size=growing._LEAST // 100), max_size=150))
def test_all_parts_are_there_in_order(parts: list[list[int]]) -> None:
    values = Growing(np.int32)
    for part in parts * 4:
        values.add(np.array(part, dtype=np.int32))
    assert values.whole().tolist() == [value for part in parts * 4 for value in part]


def test_no_parts_are_an_empty_array_of_the_kind() -> None:
    assert Growing(np.int32).whole().dtype == np.int32
    assert len(Growing(np.int64).whole()) == 0
