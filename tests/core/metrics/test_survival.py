"""Which removals take a sentence of a reference away for good."""

from collections.abc import Callable

import numpy as np
import pytest

from chunkfilter.chunk import Chunk
from chunkfilter.evaluate.bench import Bench
from chunkfilter.evaluate.measures import Index, measure
from chunkfilter.evaluate.questions import Reference

CHUNKS = [
    Chunk("Pumps start at six. Valves open at", source="a"),
    Chunk("seven. Doors close at nine.", source="a"),
    Chunk("Note: pumps start at SIX, and more.", source="b"),
]


def survivals(bench: Bench, kept: list[bool]) -> tuple[float, float]:
    mask = np.array(kept)
    found = measure(bench, Index(mask, bench.ranking.over(mask)))
    return float(found["sentence_survival"][0]), float(found["own_survival"][0])


@pytest.mark.parametrize(
    ("kept", "everywhere", "own"),
    [
        ([True, True, True], 1.0, 1.0),
        ([False, True, True], 1.0, 0.0),  # the other source says it too
        ([True, True, False], 1.0, 1.0),
        ([False, True, False], 0.0, 0.0),
    ],
)
def test_a_sentence_survives_where_a_kept_chunk_holds_its_words_in_a_row(
    make_bench: Callable[..., Bench], kept: list[bool], everywhere: float, own: float
) -> None:
    bench = make_bench(CHUNKS, [[Reference("Pumps start at six.", "a")]])
    assert survivals(bench, kept) == (everywhere, own)


def test_a_sentence_that_no_chunk_held_whole_is_no_loss(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(CHUNKS, [[Reference("Valves open at seven.", "a")]])
    assert survivals(bench, [False, False, False]) == (1.0, 1.0)


def test_one_lost_sentence_of_several_is_a_loss(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(CHUNKS, [[Reference("Pumps start at six. Doors close at nine.", "a")]])
    assert survivals(bench, [True, False, True]) == (0.0, 0.0)
    assert survivals(bench, [True, True, False]) == (1.0, 1.0)


def test_a_reference_without_a_source_is_its_own_everywhere(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(CHUNKS, [["Pumps start at six."]])
    assert survivals(bench, [False, False, True]) == (1.0, 1.0)


def test_words_across_two_chunks_do_not_make_a_sentence(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(["one two", "three four"], [["two three"]])
    assert bench.holders.everywhere.lengths.tolist() == [0]
