"""Every metric equals the same formula written with Python sets, on random texts."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.evaluate.bench import Bench
from chunkfilter.evaluate.measures import Index, measure

WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def coverage(reference: str, chunks: list[str]) -> tuple[float, float, float]:
    wanted, found = set(words(reference)), {word for chunk in chunks for word in words(chunk)}
    hits = len(wanted & found)
    union = len(wanted | found)
    return (
        hits / len(found) if found else 0.0,
        hits / len(wanted) if wanted else 1.0,
        hits / union if union else 1.0,
    )


def oracle(reference: str, chunks: list[str], k: int) -> list[str]:
    wanted, sets = set(words(reference)), [set(words(chunk)) for chunk in chunks]
    chosen: list[int] = []
    for _ in range(k):
        best = max(
            range(len(sets)), key=lambda one: (len(wanted & sets[one]), -len(sets[one]), -one), default=-1
        )
        if best < 0 or not wanted & sets[best]:
            break
        chosen.append(best)
        wanted -= sets[best]
    return [chunks[one] for one in chosen]


def recall_at_budget(reference: str, ranked: list[str], budget: int) -> float:
    paid = [word for chunk in ranked for word in words(chunk)][:budget]
    wanted = set(words(reference))
    return len(wanted & set(paid)) / len(wanted) if wanted else 1.0


def runs(text: str) -> set[tuple[str, ...]]:
    row = words(text)
    return {tuple(row[start : start + 5]) for start in range(max(len(row) - 4, 1))} if row else set()


def evidence(references: list[str], chunks: list[str]) -> float:
    wanted = set[tuple[str, ...]]().union(*map(runs, references))
    if not wanted:
        return 1.0
    held = sum(any(contains(words(chunk), run) for chunk in chunks) for run in wanted)
    return held / len(wanted)


def contains(row: list[str], run: tuple[str, ...] | list[str]) -> bool:
    return any(row[start : start + len(run)] == list(run) for start in range(len(row) - len(run) + 1))


PIECES = ("a", "b", "c", "d", "e", "f", "g", "h", "A.", "B", "c-d")
SENTENCES = st.lists(st.sampled_from(PIECES), max_size=9).map(" ".join)
CHUNKS = st.lists(SENTENCES, min_size=1, max_size=8)
REFERENCES = st.lists(st.lists(SENTENCES, min_size=1, max_size=2), min_size=1, max_size=4)


@given(CHUNKS, REFERENCES, st.integers(0, 3), st.data())
def test_all_metrics_on_any_part_of_the_chunks(
    make_bench: Callable[..., Bench],
    chunks: list[str],
    references: list[list[str]],
    seed: int,
    data: st.DataObject,
) -> None:
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(chunks), max_size=len(chunks))))
    bench = make_bench(chunks, references, seed, k=2, budgets=(1, 4, 30))
    ranked = bench.ranking.over(kept)
    found = measure(bench, Index(kept, ranked))
    left = [chunk for chunk, stays in zip(chunks, kept, strict=True) if stays]
    for question, texts in enumerate(references):
        reference, order = " ".join(texts), [chunks[place] for place in ranked[question] if place >= 0]
        precision, recall, iou = coverage(reference, order[:2])
        assert found["precision"][question] == pytest.approx(precision)
        assert found["recall"][question] == pytest.approx(recall)
        assert found["iou"][question] == pytest.approx(iou)
        assert found["evidence_recall"][question] == pytest.approx(evidence(texts, order[:2]))
        for budget in (1, 4, 30):
            expected = recall_at_budget(reference, order, budget)
            assert found[f"budget_recall@{budget}"][question] == pytest.approx(expected)
        best = coverage(reference, oracle(reference, left, 2))
        assert found["oracle_recall"][question] == pytest.approx(best[1])
        assert found["oracle_precision"][question] == pytest.approx(best[0])
    for values in found.values():
        assert values.shape == (len(references),)
        assert ((values >= 0) & (values <= 1)).all()


@given(CHUNKS, st.integers(0, 3), st.data())
def test_a_mask_ranks_as_an_index_of_the_kept_chunks_does(
    make_bench: Callable[..., Bench], chunks: list[str], seed: int, data: st.DataObject
) -> None:
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(chunks), max_size=len(chunks))))
    bench = make_bench(chunks, [["a"]], seed, k=3, budgets=(2,))
    ranked = bench.ranking.over(kept)[0]
    scores = bench.vectors @ bench.queries[0]
    expected = [place for place in np.argsort(-scores, kind="stable") if kept[place]]
    shown = [place for place in ranked if place >= 0]
    assert shown == expected[: len(shown)]
    assert len(shown) >= min(3, len(expected))
