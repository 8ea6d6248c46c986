"""What both adapters build on: ranks, provenance, refills, vectors of items, evaluation of what answers."""

from collections.abc import Sequence

import pytest

import chunkfilter as cf
from chunkfilter.errors import InputError, VectorError
from chunkfilter.retrieval import (
    Refill,
    embedded,
    evaluate_retriever,
    kept_by_rank,
    provenance,
    texts_to_embed,
    vector_rows,
)

SHORT = "The fan runs for ninety seconds."
LONG = f"{SHORT} The lamp stays off meanwhile."
OTHER = "Shelf three carries six boxes."


def test_a_kept_chunk_takes_the_best_rank_of_all_that_it_covers() -> None:
    result = cf.filter_chunks([SHORT, OTHER, LONG, OTHER])
    assert result.kept == (1, 2)
    assert kept_by_rank(result) == [2, 1]


def test_provenance_names_what_a_kept_chunk_also_represents() -> None:
    result = cf.filter_chunks([OTHER, OTHER, SHORT, OTHER], "exact")
    assert provenance(result, ["a", "b", "c", None]) == {0: ["b", "#3"]}


def fetched(refill: Refill, available: int, share_kept: float) -> list[int]:
    """The sizes that were asked for of a source of ``available`` items."""
    sizes = [refill.size]
    while not refill.enough(min(refill.size, available), int(min(refill.size, available) * share_kept)):
        sizes.append(refill.size)
    return sizes


def test_twice_as_many_are_fetched_until_k_are_left() -> None:
    assert fetched(Refill(5), available=1000, share_kept=0.1) == [20, 40, 80]
    assert fetched(Refill(5, 6), available=1000, share_kept=1.0) == [6]


def test_a_source_that_has_no_more_or_cannot_be_asked_for_more_ends_it() -> None:
    assert fetched(Refill(50), available=30, share_kept=1.0) == [200, 400]
    assert fetched(Refill(5, resizable=False), available=20, share_kept=0.0) == [20]


@pytest.mark.parametrize(
    ("k", "fetch_k", "told"),
    [
        (0, None, "k: got 0"),
        (True, None, "k: got True"),
        (2, 1.5, "fetch_k: got 1.5"),
        (3, 2, "expected at least k"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(k: int, fetch_k: int | None, told: str) -> None:
    with pytest.raises(InputError, match=told):
        Refill(k, fetch_k)


def test_distinct_texts_are_embedded_and_blank_ones_never() -> None:
    texts = ["a", " ", "b", "a"]
    assert texts_to_embed(texts) == ["a", "b"]
    known = embedded(["a", "b"], [[1.0], [2.0]], "model")
    assert vector_rows(texts, known) == [[1.0], None, [2.0], [1.0]]
    assert vector_rows(texts, known, [None, None, [3.0], None]) == [[1.0], None, [3.0], [1.0]]
    with pytest.raises(VectorError, match="embeddings model: returned"):
        embedded(["a", "b"], [[1.0]], "model")


def test_more_is_asked_for_until_a_budget_is_filled_and_the_first_k_stay() -> None:
    ranked = [f"Answer {number} in four words." for number in range(40)]
    asked: list[int] = []

    def ask(text: str, count: int) -> list[cf.Chunk]:
        asked.append(count)
        found = ranked[:count] if count == 2 else ranked[count - 1 :: -1]
        return [cf.Chunk(text) for text in found]

    question = cf.Question("q", "Which?", (cf.Reference(ranked[0]),))
    report = evaluate_retriever(ask, [question], k=2, budgets=[30])
    assert asked == [2, 4, 8]
    assert (
        report.rates
        == cf.evaluate_retrieved([question], [[*ranked[:2], *ranked[7:1:-1]]], k=2, budgets=[30]).rates
    )


def test_a_mistake_is_told_before_anything_is_asked() -> None:
    def ask(text: str, count: int) -> Sequence[cf.Chunk]:
        raise AssertionError("asked")

    question = cf.Question("q", "Which?", (cf.Reference("This."),))
    for wrong in ({"k": 0}, {"budgets": None}, {"tokens": ["stem"]}):
        with pytest.raises(InputError):
            evaluate_retriever(ask, [question], **wrong)  # type: ignore[arg-type]  # the fault itself
