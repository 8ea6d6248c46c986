"""The greedy walk and the stages: nothing chains, the first is named, representatives are kept to the end."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkfilter as cf
from chunkfilter.filtering import select
from chunkfilter.filtering.stages import with_kept_representatives
from chunkfilter.rules.rule import Removed


def test_nothing_chains_a_chunk_is_removed_only_for_a_kept_one() -> None:
    steps = [(1.0, 0.0), (0.9, 0.4359), (0.62, 0.7846)]  # neighbours are alike, the ends are not
    result = cf.filter_chunks(["a", "b", "c"], "similarity@0.85 guards=none", vectors=steps)
    assert result.kept == (0, 2)


def test_the_first_of_several_representatives_is_named() -> None:
    vectors = [(1.0, 0.0), (0.0, 1.0), (0.7, 0.7)]
    result = cf.filter_chunks(["a", "b", "c"], "similarity@0.7 guards=none", vectors=vectors)
    assert result.removed[0].kept_by == (0,)


def test_existing_chunks_represent_new_ones_and_are_never_removed() -> None:
    result = cf.filter_chunks(
        ["new", "other"],
        "similarity@0.9 guards=none",
        existing=["old", "old twin"],
        vectors=[(1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 0.0)],
    )
    assert result.removed == (cf.Removal(0, (), (0,), "similarity@0.9", 1.0),)


@given(
    st.lists(st.integers(0, 11), min_size=1, max_size=40),
    st.tuples(*[st.integers(1, 8)] * 4),
    st.integers(0, 3),
)
def test_the_walk_is_that_of_plain_python_whatever_the_sizes(
    places: list[int], sizes: tuple[int, ...], existing: int
) -> None:
    """Points on a line: two are alike if at most one apart."""
    existing = min(existing, len(places))
    kept, expected = list(range(existing)), {}
    for row in range(existing, len(places)):
        alike = [other for other in kept if abs(places[other] - places[row]) <= 1]
        if alike:
            expected[row - existing] = alike[0] - existing
        else:
            kept.append(row)
    angles = [place * 0.1 for place in places]
    vectors = [[1 - angle**2 / 2 + angle**4 / 24, angle - angle**3 / 6 + angle**5 / 120] for angle in angles]
    texts = [str(row) for row in range(len(places))]
    with pytest.MonkeyPatch.context() as patch:
        for name, size in zip(("BLOCK", "LEAST_PART", "MOST_PART", "WINDOW"), sizes, strict=True):
            patch.setattr(select, name, size)
        result = cf.filter_chunks(
            texts[existing:],
            "similarity@0.99 guards=none",
            existing=texts[:existing],
            vectors=vectors[existing:] + vectors[:existing],
        )
    found = {
        line.index: line.kept_by[0] if line.kept_by else line.kept_by_existing[0] - existing
        for line in result.removed
    }
    assert found == expected


def test_a_copy_among_a_swarm_of_near_copies_is_removed() -> None:
    text = "the pump of line four starts at six, pressure %d, and stops when its valve reports"
    swarm = [text % number for number in range(150)]
    result = cf.filter_chunks([*swarm, swarm[140], swarm[3]], "minhash@0.6")
    assert {removal.index: removal.kept_by for removal in result.removed} == {150: (140,), 151: (3,)}
    assert len(result.conflicts) == 149


def line(row: int, *representatives: int, rule: str = "one") -> Removed:
    return Removed(row, representatives, rule, 1.0)


LINES = [line(3, 2), line(2, 1, rule="two"), line(1, 0, rule="three")]


def test_a_removal_whose_representative_is_removed_later_gets_another_if_the_rule_holds() -> None:
    found = with_kept_representatives(LINES, lambda entry, others: replace(entry, representatives=others))
    assert [(one.row, one.representatives) for one in found] == [(1, (0,)), (2, (0,)), (3, (0,))]


def test_else_the_representative_is_kept_after_all() -> None:
    found = with_kept_representatives(LINES, lambda _entry, _others: None)
    assert [(one.row, one.representatives) for one in found] == [(3, (2,))]


def test_a_later_stage_never_leaves_a_chunk_to_one_it_is_not_like() -> None:
    """b is a copy of a, c is like a but not like b: a may only be removed for c if b is like c too."""
    texts = ["one two three four", "one  two three four", "c c c c"]
    vectors = [(1.0, 0.0), (0.0, 1.0), (1.0, 0.0)]
    result = cf.filter_chunks(texts, "exact|similarity@0.9 guards=none", vectors=vectors)
    assert result.kept == (0,)
    newest = cf.filter_chunks(
        [cf.Chunk(text, metadata={"day": day}) for text, day in zip(texts, (2, 1, 3), strict=True)],
        "exact|similarity@0.9 keep=newest:day guards=none",
        vectors=vectors,
    )
    assert newest.kept == (0, 2)
    assert newest.removed[0].kept_by == (0,)
