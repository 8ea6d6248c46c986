"""Every usual metric equals its formula written with Python sets; empty sides have defined values."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.chunk import Chunk
from chunkfilter.evaluate.collection import Collection
from chunkfilter.evaluate.found import Found
from chunkfilter.evaluate.metrics import Measures, measure
from chunkfilter.evaluate.questions import Reference

MakeCollection = Callable[..., Collection]

WORD = re.compile(r"\w+")


def measured(data: Collection, kept: list[bool]) -> Measures:
    mask = np.array(kept)
    return measure(data, Found(mask, data.ranking.over(mask)))


# formulas in plain Python


def words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def overlaps(reference: str, chunks: list[str]) -> tuple[float, float, float]:
    wanted, found = set(words(reference)), {word for chunk in chunks for word in words(chunk)}
    hits, union = len(wanted & found), len(wanted | found)
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


def evidence(references: list[str], chunks: list[str]) -> float:
    wanted = {run for text in references for run in runs(text)}
    held = sum(any(contains(words(chunk), run) for chunk in chunks) for run in wanted)
    return held / len(wanted) if wanted else 1.0


def runs(text: str) -> set[tuple[str, ...]]:
    row = words(text)
    return {tuple(row[start : start + 5]) for start in range(max(len(row) - 4, 1))} if row else set()


def contains(row: list[str], run: tuple[str, ...]) -> bool:
    return any(tuple(row[start : start + len(run)]) == run for start in range(len(row) - len(run) + 1))


PIECES = ("a", "b", "c", "d", "e", "f", "g", "h", "A.", "B", "c-d")
SENTENCES = st.lists(st.sampled_from(PIECES), max_size=9).map(" ".join)
CHUNKS = st.lists(st.tuples(SENTENCES, st.booleans()), min_size=1, max_size=8)
REFERENCES = st.lists(st.lists(SENTENCES, min_size=1, max_size=2), min_size=1, max_size=4)


@given(CHUNKS, REFERENCES, st.integers(0, 3))
def test_all_metrics_on_any_part_of_the_chunks(
    make_collection: MakeCollection, marked: list[tuple[str, bool]], references: list[list[str]], seed: int
) -> None:
    chunks, kept = [text for text, _ in marked], np.array([one for _, one in marked])
    data = make_collection(chunks, references, seed, k=2, budgets=(1, 4, 30))
    ranked = data.ranking.over(kept)
    found = measure(data, Found(kept, ranked))
    left = [text for text, one in marked if one]
    for question, texts in enumerate(references):
        reference, order = " ".join(texts), [chunks[place] for place in ranked[question] if place >= 0]
        best = overlaps(reference, oracle(reference, left, 2))
        expected = {
            **dict(zip(("precision", "recall", "iou"), overlaps(reference, order[:2]), strict=True)),
            "evidence_recall": evidence(texts, order[:2]),
            **{f"budget_recall@{one}": recall_at_budget(reference, order, one) for one in (1, 4, 30)},
            "oracle_precision": best[0],
            "oracle_recall": best[1],
        }
        assert {name: found[name][question] for name in expected} == pytest.approx(expected)
    for values in found.values():
        assert values.shape == (len(references),)
        assert ((values >= 0) & (values <= 1)).all()


# retention

HELD = [
    Chunk("Pumps start at six. Valves open at", source="a"),
    Chunk("seven. Doors close at nine.", source="a"),
    Chunk("Note: pumps start at SIX, and more.", source="b"),
]


@pytest.mark.parametrize(
    ("reference", "kept", "anywhere", "in_source"),
    [
        (Reference("Pumps start at six.", "a"), [True, True, True], 1.0, 1.0),
        (Reference("Pumps start at six.", "a"), [False, True, True], 1.0, 0.0),  # the other source says it
        (Reference("Pumps start at six.", "a"), [True, True, False], 1.0, 1.0),
        (Reference("Pumps start at six.", "a"), [False, True, False], 0.0, 0.0),
        (Reference("Pumps start at six."), [False, False, True], 1.0, 1.0),  # of no known source
        (Reference("Valves open at seven.", "a"), [False, False, False], 1.0, 1.0),  # was whole nowhere
        (Reference("Pumps start at six. Doors close at nine.", "a"), [True, False, True], 0.0, 0.0),
        (Reference("Pumps start at six. Doors close at nine.", "a"), [True, True, False], 1.0, 1.0),
    ],
)
def test_evidence_is_retained_where_a_kept_chunk_holds_its_words_in_a_row(
    make_collection: MakeCollection, reference: Reference, kept: list[bool], anywhere: float, in_source: float
) -> None:
    found = measured(make_collection(HELD, [[reference]]), kept)
    assert (found["evidence_retention"][0], found["source_retention"][0]) == (anywhere, in_source)


def test_words_across_two_chunks_do_not_make_a_sentence(make_collection: MakeCollection) -> None:
    data = make_collection(["one two", "three four"], [["two three"]])
    assert data.holders.anywhere.lengths.tolist() == [0]


# empty sides


def test_nothing_retrieved_is_worth_nothing(make_collection: MakeCollection) -> None:
    found = measured(make_collection(["one two", "three"], [["one two"]]), [False, False])
    assert {name: float(values[0]) for name, values in found.items() if values[0]} == {}


def test_a_reference_without_words_misses_nothing(make_collection: MakeCollection) -> None:
    found = measured(make_collection(["one two"], [["..."]]), [True])
    ones = {"recall", "oracle_recall", "evidence_recall", "evidence_retention"}
    assert {found[name][0] for name in ones} == {1.0}
    assert {found[name][0] for name in ("precision", "iou", "oracle_precision")} == {0.0}
    assert measured(make_collection(["one"], [["..."]]), [False])["iou"][0] == 1.0


def test_chunks_without_words_are_retrieved_and_count_for_nothing(make_collection: MakeCollection) -> None:
    found = measured(make_collection([".", "", "one two"], [["one two"]], k=3), [True, True, True])
    assert found["precision"][0] == found["recall"][0] == found["budget_recall@500"][0] == 1.0
