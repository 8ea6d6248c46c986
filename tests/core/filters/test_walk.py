"""The greedy walk: nothing chains, the first keeper is named, guards only keep, keepers stay to the end."""

import numpy as np
import pytest
from chunkfilter.filters import select
from chunkfilter.filters import vetoes as vetoes_module
from chunkfilter.filters.batch import Batch, Given
from chunkfilter.filters.groups import group_rule
from chunkfilter.filters.rehome import rehomed
from chunkfilter.filters.select import select_pairs
from chunkfilter.filters.selection import Dropped
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkfilter as cf
from chunkfilter.policy import Policy, Term


def test_nothing_chains_a_chunk_goes_only_for_one_that_stays() -> None:
    steps = [(1.0, 0.0), (0.9, 0.4359), (0.62, 0.7846)]  # neighbours are alike, the ends are not
    result = cf.filter_chunks(["a", "b", "c"], "similarity@0.85 guards=none", vectors=steps)
    assert result.kept == (0, 2)


def test_the_first_of_several_keepers_is_named() -> None:
    vectors = [(1.0, 0.0), (0.0, 1.0), (0.7, 0.7)]
    result = cf.filter_chunks(["a", "b", "c"], "similarity@0.7 guards=none", vectors=vectors)
    assert result.removed[0].kept_by == (0,)


def test_stored_chunks_stand_for_new_ones_and_never_go() -> None:
    result = cf.filter_chunks(
        ["new", "other"],
        "similarity@0.9 guards=none",
        existing=["old", "old twin"],
        vectors=[(1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 0.0)],
    )
    assert result.removed == (cf.Removal(0, (), (0,), "similarity@0.9", 1.0),)


@pytest.mark.parametrize("vetoed", [{(2, 0)}, {(2, 0), (2, 1)}, set()])
def test_a_vetoed_pair_keeps_a_chunk_unless_another_one_stands_for_it(vetoed: set[tuple[int, int]]) -> None:
    groups = np.array([0, 1, 0, 0])
    batch = Batch(
        [cf.Chunk(name) for name in "abcd"],
        [],
        np.arange(4),
        np.zeros(4, np.int64),
        Policy.parse("exact"),
        Given(),
    )
    rule = group_rule(0, lambda _batch, _term: groups)
    assert rule.index is not None

    def guard(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        pairs = zip(rows.tolist(), columns.tolist(), strict=True)
        return np.array(["number" if pair in vetoed else "" for pair in pairs], dtype=np.str_)

    selection = select_pairs(
        batch, np.ones(4, np.bool_), rule.index(batch, Term("exact")), (), "exact", guard
    )
    gone = {line.row: line.keepers for line in selection.dropped}
    assert gone == ({3: (0,)} if vetoed else {2: (0,), 3: (0,)})
    assert selection.conflicts == ({2: (0, "number")} if vetoed else {})


@settings(max_examples=60)
@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=40), st.integers(0, 3), st.data())
def test_after_enough_vetoes_only_a_copy_stands_for_a_chunk(
    texts: list[str], enough: int, data: st.DataObject
) -> None:
    """Against plain Python, whatever the sizes of blocks."""
    allowed = data.draw(st.sets(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh"))))
    keepers: dict[int, int] = {}
    for row, text in enumerate(texts):
        staying = [column for column in range(row) if column not in keepers]
        for vetoes, column in enumerate(staying):
            copy = texts[column] == text
            if copy or ((text, texts[column]) in allowed and vetoes < enough):
                keepers[row] = column
                break
    chunks = [cf.Chunk(text) for text in texts]
    order, scopes = np.arange(len(texts)), np.zeros(len(texts), np.int64)
    batch = Batch(chunks, [], order, scopes, Policy.parse("exact"), Given())
    rule = group_rule(0, lambda _batch, _term: scopes)
    assert rule.index is not None

    def guard(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        pairs = [(texts[row], texts[column]) for row, column in zip(rows, columns, strict=True)]
        return np.array(["" if len({*pair}) == 1 or pair in allowed else "words" for pair in pairs], np.str_)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vetoes_module, "ENOUGH", enough)
        for name in ("BLOCK", "LEAST_PART", "MOST_PART", "GUARDED_WINDOW"):
            patch.setattr(select, name, data.draw(st.integers(1, 8)))
        selection = select_pairs(
            batch,
            np.ones(len(texts), np.bool_),
            rule.index(batch, Term("exact")),
            (),
            "exact",
            guard,
            lambda: rule.check(batch, Term("exact")),
        )
    assert {line.row: line.keepers for line in selection.dropped} == {
        row: (column,) for row, column in keepers.items()
    }


def test_a_copy_among_a_swarm_of_near_copies_goes() -> None:
    text = "the pump of line four starts at six, pressure %d, and stops when its valve reports"
    swarm = [text % number for number in range(150)]
    result = cf.filter_chunks([*swarm, swarm[140], swarm[3]], "minhash@0.6")
    assert {removal.index: removal.kept_by for removal in result.removed} == {150: (140,), 151: (3,)}
    assert len(result.conflicts) == 149


def line(row: int, *keepers: int, rule: str = "one") -> Dropped:
    return Dropped(row, keepers, rule, 1.0)


def test_a_removal_whose_keeper_goes_gets_that_keepers_keeper_if_the_rule_holds() -> None:
    lines = [line(3, 2), line(2, 1, rule="two"), line(1, 0, rule="three")]
    found = rehomed(lines, lambda orphan, homes: Dropped(orphan.row, homes, "again", 0.5))
    assert [(one.row, one.keepers) for one in found] == [(1, (0,)), (2, (0,)), (3, (0,))]


def test_else_the_keeper_stays_after_all() -> None:
    lines = [line(3, 2), line(2, 1, rule="two"), line(1, 0, rule="three")]
    found = rehomed(lines, lambda orphan, homes: None)
    assert [(one.row, one.keepers) for one in found] == [(3, (2,))]


def test_a_later_stage_never_leaves_a_chunk_to_one_it_is_not_like() -> None:
    """b is a copy of a, c is like a but not like b: a may only go for c if b is like c too."""
    texts = ["one two three four", "One two three four!", "c c c c"]
    vectors = [(1.0, 0.0), (0.0, 1.0), (1.0, 0.0)]
    result = cf.filter_chunks(texts, "exact|similarity@0.9 keep=first guards=none", vectors=vectors)
    assert result.kept == (0,)
    newest = cf.filter_chunks(
        [cf.Chunk(text, metadata={"day": day}) for text, day in zip(texts, (2, 1, 3), strict=True)],
        "exact|similarity@0.9 keep=newest:day guards=none",
        vectors=vectors,
    )
    assert newest.kept == (0, 2)
    assert newest.removed[0].kept_by == (0,)
