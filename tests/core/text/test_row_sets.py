"""Sets as sorted rows, against Python's own sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.text import row_sets, shared_counts
from chunkfilter.text.bags import HeldBags, held_sets
from chunkfilter.text.ragged import Ragged, offsets_of
from chunkfilter.text.row_sets import distinct_counts, sorted_sets, tiles

ROWS = st.lists(st.lists(st.integers(-5, 9), max_size=8), max_size=12)


def ragged(rows: list[list[int]], kind: type = np.int64) -> Ragged:
    flat = [value for row in rows for value in row]
    return Ragged(np.array(flat, dtype=kind), offsets_of([len(row) for row in rows]))


@given(st.lists(st.sampled_from([0, 1, 7, 8, 9, 100, 10**6]) | st.integers(0, 5000), max_size=60))
def test_one_long_row_does_not_widen_the_tiles_of_short_ones(lengths: list[int]) -> None:
    widths = np.array(lengths, dtype=np.int64)
    order = np.argsort(widths, kind="stable")
    parts = tiles(order, widths)
    assert [row for part in parts for row in part.tolist()] == [row for row in order if widths[row]]
    for part in parts:
        assert len(part) * widths[part].max() <= max(2 * widths[part].sum(), 8 * len(part))


@given(ROWS, st.sampled_from([3, 1 << 19]), st.sampled_from([np.int32, np.int64]))
def test_rows_are_sorted_and_hold_each_value_once(rows: list[list[int]], tile: int, kind: type) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_sets, "_TILE", tile)
        sets, sizes = sorted_sets(ragged(rows, kind)), distinct_counts(ragged(rows, kind))
    assert sizes.tolist() == [len(set(row)) for row in rows]
    assert [row.tolist() for row in sets] == [sorted(set(row)) for row in rows]


@given(
    ROWS,
    st.data(),
    st.sampled_from([3, 1 << 19]),
    st.sampled_from([1, 3, 16]),
    st.sampled_from([np.int32, np.int64]),
)
def test_shared_values_are_counted(
    rows: list[list[int]], data: st.DataObject, tile: int, run: int, kind: type
) -> None:
    place = st.integers(0, max(len(rows) - 1, 0))
    pairs = data.draw(st.lists(st.tuples(place, place), max_size=20 if rows else 0))
    pairs.sort(key=lambda pair: pair[0])  # runs of pairs of one row, as the walk makes them
    left, right = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (0, 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_sets, "_TILE", tile)
        patch.setattr(shared_counts, "_RUN", run)
        counts = shared_counts.shared_counts(HeldBags(ragged(rows, kind)), left, right)
        of_sets = shared_counts.shared_counts(held_sets(sorted_sets(ragged(rows, kind))), left, right)
    assert counts.tolist() == of_sets.tolist()
    assert counts.tolist() == [len(set(rows[one]) & set(rows[other])) for one, other in pairs]
