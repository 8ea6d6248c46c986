"""A sketch never says that two sets share less than they do, and is near the truth where they are large."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.text.ragged import Ragged, offsets_of
from chunkfilter.text.row_sets import distinct_counts
from chunkfilter.text.set_sketches import SetSketches


def sketches_of(rows: list[list[int]]) -> SetSketches:
    flat = [value for row in rows for value in row]
    bags = Ragged(np.array(flat, dtype=np.int64), offsets_of([len(row) for row in rows]))
    half = len(rows) // 2
    return SetSketches([bags.part(slice(0, half)), bags.part(slice(half, len(rows)))], distinct_counts(bags))


@given(st.lists(st.lists(st.integers(-(1 << 62), 1 << 62), max_size=90), min_size=1, max_size=8))
def test_the_bound_is_never_below_what_is_shared(rows: list[list[int]]) -> None:
    rows = [*rows, rows[0] + rows[-1]]
    left, right = np.divmod(np.arange(len(rows) ** 2), len(rows))
    most = sketches_of(rows).most_shared(left, right)
    shared = [len(set(rows[one]) & set(rows[other])) for one, other in zip(left, right, strict=True)]
    assert (most >= shared).all()


def test_the_bound_is_near_what_is_shared() -> None:
    draw = np.random.default_rng(0)
    rows = [draw.integers(0, 1 << 40, 100).tolist() for _ in range(40)]
    rows += [row[:50] + draw.integers(0, 1 << 40, 50).tolist() for row in rows]
    most = sketches_of(rows).most_shared(np.arange(40), np.arange(40, 80))
    assert (most < 75).all()


def test_no_sets_and_empty_sets_share_nothing() -> None:
    nothing = np.empty(0, np.int64)
    assert sketches_of([]).most_shared(nothing, nothing).tolist() == []
    assert sketches_of([[], []]).most_shared(np.array([0]), np.array([1])).tolist() == [0]
