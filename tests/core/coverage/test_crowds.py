"""Keepers among very many chunks are those that a plain search would name."""

import numpy as np
from chunkfilter.filters.coverage.cover import one_or_two
from chunkfilter.filters.coverage.crowds import one_or_two_of_many
from chunkfilter.filters.coverage.ledger import Ledger
from chunkfilter.filters.coverage.preference import FirstWanted, Settled
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkfilter as cf

ROWS = 12
LISTS = st.lists(
    st.lists(st.integers(0, ROWS - 1), min_size=1, max_size=8).map(sorted), min_size=1, max_size=5
)


@settings(max_examples=300, deadline=None)
@given(LISTS, st.sets(st.integers(0, ROWS - 1)), st.integers(-1, ROWS), st.integers(1, 3))
def test_binary_search_finds_what_sets_find(
    asked: list[list[int]], gone: set[int], now: int, most: int
) -> None:
    stays = np.array([row not in gone for row in range(ROWS)])
    ledger = Ledger(ROWS)
    ledger.name(ROWS - 1, (3, 5))
    staying = [[row for row in rows if stays[row]] for rows in asked]
    for preference in (FirstWanted(), Settled(now, 2, ledger)):
        many = one_or_two_of_many([(np.array(rows),) for rows in asked], stays, most, preference)
        assert many == (one_or_two(staying, most, preference) if all(staying) else None)


def test_answers_may_come_from_two_lists() -> None:
    stays = np.ones(ROWS, dtype=np.bool_)
    asked = [(np.array([4]), np.array([2, 7])), (np.array([7]),)]
    assert one_or_two_of_many(asked, stays, 3, FirstWanted()) == (7,)


def test_pages_that_share_a_notice_stay_once_each() -> None:
    notice, pages = "This notice applies to every page of the manual.", 1200
    plain = [f"{notice} Look at pump {page}." for page in range(pages)]
    again = [f"the manual. {notice} Look at pump {page}." for page in range(pages)]
    result = cf.filter_chunks([*plain, *again])
    assert len(result.kept) == pages
    few = cf.filter_chunks([*plain[:9], *again[:9]])
    assert len(few.kept) == 9
    cf.filter_chunks([*plain[:300], *again[:300]]).verify([*plain[:300], *again[:300]])
