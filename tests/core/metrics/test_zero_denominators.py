"""Empty sides have defined values."""

from collections.abc import Callable

import numpy as np

from chunkfilter.evaluate.bench import Bench
from chunkfilter.evaluate.measures import Index, Measures, measure


def measured(bench: Bench, kept: list[bool]) -> Measures:
    mask = np.array(kept)
    return measure(bench, Index(mask, bench.ranking.over(mask)))


def test_nothing_retrieved(make_bench: Callable[..., Bench]) -> None:
    found = measured(make_bench(["one two", "three"], [["one two"]]), [False, False])
    assert {name: float(values[0]) for name, values in found.items() if values[0]} == {}


def test_a_reference_without_words_misses_nothing(make_bench: Callable[..., Bench]) -> None:
    found = measured(make_bench(["one two"], [["..."]]), [True])
    assert found["recall"][0] == found["oracle_recall"][0] == found["evidence_recall"][0] == 1.0
    assert found["precision"][0] == found["iou"][0] == found["oracle_precision"][0] == 0.0
    assert found["sentence_survival"][0] == 1.0


def test_a_reference_without_words_and_nothing_retrieved_agree(make_bench: Callable[..., Bench]) -> None:
    found = measured(make_bench(["one"], [["..."]]), [False])
    assert found["iou"][0] == 1.0


def test_chunks_without_words_are_retrieved_and_count_for_nothing(make_bench: Callable[..., Bench]) -> None:
    found = measured(make_bench([".", "", "one two"], [["one two"]], k=3), [True, True, True])
    assert found["precision"][0] == found["recall"][0] == 1.0
    assert found["budget_recall@500"][0] == 1.0
