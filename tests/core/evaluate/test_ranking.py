"""Masked rankings and the oracle: deep enough, equal to a fresh start, with copies merged where asked for."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.evaluate.collection import Collection

MakeCollection = Callable[..., Collection]


@given(st.lists(st.tuples(st.sampled_from(["a", "b c", "d e f", ""]), st.booleans()), min_size=1, max_size=8))
def test_a_mask_ranks_as_an_index_of_the_kept_chunks_does(
    make_collection: MakeCollection, marked: list[tuple[str, bool]]
) -> None:
    data = make_collection([text for text, _ in marked], [["a"]], k=3, budgets=(2,))
    shown = [place for place in data.ranking.over(np.array([one for _, one in marked]))[0] if place >= 0]
    order = np.argsort(-(data.vectors @ data.queries[0]), kind="stable")
    expected = [place for place in order if marked[place][1]]
    assert shown == expected[: len(shown)]
    assert len(shown) >= min(3, len(expected))


def test_a_mask_that_leaves_only_far_chunks_is_searched_deeper(make_collection: MakeCollection) -> None:
    texts = [f"word{number}" for number in range(3000)]
    data = make_collection(texts, [["word1"], ["word2"]], k=3, budgets=(4,))
    order = np.argsort(-(data.queries[:1] @ data.vectors.T), kind="stable")[0]
    kept = np.isin(np.arange(3000), order[-5:])
    assert data.ranking.over(kept)[0, :4].tolist() == order[-5:-1].tolist()


def test_a_budget_larger_than_all_that_is_kept_takes_everything(make_collection: MakeCollection) -> None:
    data = make_collection(["one two"] * 3, [["one"]], k=1, budgets=(1000,))
    assert sorted(data.ranking.over(np.array([True, False, True]))[0].tolist()) == [0, 2]


def test_of_copies_only_the_best_ranked_is_shown(make_collection: MakeCollection) -> None:
    data = make_collection(
        ["Same text.", "other", "same text.", "third", "Same  text."], [["same"], ["text"]], k=5
    )
    everything = np.ones(5, dtype=np.bool_)
    copies = np.flatnonzero(data.copies == data.copies[0])
    assert {0, 4} <= set(copies.tolist())
    lists = (data.ranking.over(everything), data.ranking.over(everything, data.copies))
    for plain, merged in zip(*lists, strict=True):
        first = next(place for place in plain if place in copies)
        expected = [place for place in plain if place not in copies or place == first]
        assert [place for place in merged if place >= 0] == expected


@pytest.mark.parametrize("seed", range(3))
def test_the_oracle_of_a_part_is_what_it_chooses_from_scratch(
    make_collection: MakeCollection, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    words = [f"w{number}" for number in range(40)]
    chunks = [" ".join(generator.choice(words, 6)) for _ in range(60)]
    data = make_collection(chunks, [[" ".join(generator.choice(words, 12))] for _ in range(20)])
    kept = generator.random(60) < 0.5
    oracle = data.oracle("word")
    assert oracle.among(kept).tolist() == oracle.chosen(kept, np.arange(20)).tolist()
