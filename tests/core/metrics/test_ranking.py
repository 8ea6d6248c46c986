"""Masked rankings: deep enough, and with copies merged where asked for."""

from collections.abc import Callable

import numpy as np
import pytest

from chunkfilter.evaluate.bench import Bench


def test_a_mask_that_leaves_only_far_chunks_is_searched_deeper(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench([f"word{number}" for number in range(3000)], [["word1"], ["word2"]], k=3, budgets=(4,))
    order = np.argsort(-(bench.queries[:1] @ bench.vectors.T), kind="stable")[0]
    kept = np.zeros(3000, dtype=np.bool_)
    kept[order[-5:]] = True
    assert bench.ranking.over(kept)[0, :4].tolist() == order[-5:-1].tolist()


def test_a_budget_larger_than_all_that_is_kept_takes_everything(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(["one two"] * 3, [["one"]], k=1, budgets=(1000,))
    assert sorted(bench.ranking.over(np.array([True, False, True]))[0].tolist()) == [0, 2]


def test_of_copies_only_the_best_ranked_is_shown(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(["Same text.", "other", "same text", "third"], [["same"], ["text"]], k=4)
    everything = np.ones(4, dtype=np.bool_)
    for plain, merged in zip(
        bench.ranking.over(everything), bench.ranking.over(everything, bench.copies), strict=True
    ):
        first = next(place for place in plain if place in (0, 2))
        expected = [place for place in plain if place not in (0, 2) or place == first]
        assert [place for place in merged if place >= 0] == expected


@pytest.mark.parametrize("seed", range(3))
def test_the_oracle_of_a_part_is_the_same_chosen_anew(make_bench: Callable[..., Bench], seed: int) -> None:
    generator = np.random.default_rng(seed)
    words = [f"w{number}" for number in range(40)]
    chunks = [" ".join(generator.choice(words, 6)) for _ in range(60)]
    references = [[" ".join(generator.choice(words, 12))] for _ in range(20)]
    kept = generator.random(60) < 0.5
    bench, fresh = make_bench(chunks, references), make_bench(chunks, references)
    bench.oracle("word", np.ones(60, dtype=np.bool_))
    anew = fresh._greedy(fresh.tokens["word"], kept, None)
    assert bench.oracle("word", kept).tolist() == anew.tolist()
