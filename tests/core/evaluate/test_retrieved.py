"""What any retriever returned is measured by the same formulas."""

import pytest

import chunkfilter as cf
from chunkfilter.errors import InputError

ASKED = (
    cf.Question("1", "When do pumps start?", (cf.Reference("Pumps start at six."),)),
    cf.Question("2", "When do valves open?", (cf.Reference("Valves open at seven in the morning."),)),
)


def test_a_retriever_that_brings_the_reference_has_full_recall() -> None:
    found = [["Pumps start at six."], ["x", "Valves open at seven in the morning."]]
    report = cf.evaluate_retrieved(ASKED, found)
    assert report.rates["recall"] == report.rates["evidence_recall"] == 1.0
    assert report.values["precision"].tolist() == [1.0, 7 / 8]
    assert report.retrieved == 1.5


def test_only_the_first_k_count() -> None:
    report = cf.evaluate_retrieved(ASKED, [["x", "Pumps start at six."], []], k=1)
    assert report.values["recall"].tolist() == [0.0, 0.0]
    assert report.values["budget_recall@500"].tolist() == [1.0, 0.0]


def test_chunks_and_strings_are_the_same() -> None:
    plain = cf.evaluate_retrieved(ASKED, [["Pumps run."], ["Valves open."]])
    chunks = cf.evaluate_retrieved(ASKED, [[cf.Chunk("Pumps run.")], [cf.Chunk("Valves open.")]])
    assert plain.rates == chunks.rates


@pytest.mark.parametrize("retrieved", [[], [[]], [[], [], []]])
def test_one_list_a_question_is_expected(retrieved: list[list[str]]) -> None:
    with pytest.raises(InputError, match="one list a question"):
        cf.evaluate_retrieved(ASKED, retrieved)


def test_values_out_of_bounds_are_named() -> None:
    with pytest.raises(InputError, match="k: got 0"):
        cf.evaluate_retrieved(ASKED, [[], []], k=0)
