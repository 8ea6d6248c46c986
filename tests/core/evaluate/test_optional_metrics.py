"""Measures of documents, sentences, hits and grades: by hand, by plain Python, and by ranx."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkfilter as cf
from chunkfilter.evaluate.collection import Collection, Settings
from chunkfilter.evaluate.documents import Documents
from chunkfilter.evaluate.found import Found
from chunkfilter.evaluate.metrics import OPTIONAL, Measures, measure
from chunkfilter.signals.embedders import Embedder

CUTS = (1, 3, 5)


def measured(chunks: list[cf.Chunk], questions: list[cf.Question], ranked: list[list[int]]) -> Measures:
    """Every optional measure of given lists."""
    data = Collection(chunks, questions, Settings(k=1, tokens=("word",), measures=OPTIONAL, depths=CUTS))
    lists = np.full((len(ranked), max(map(len, ranked))), -1, dtype=np.int64)
    for row, places in enumerate(ranked):
        lists[row, : len(places)] = places
    return measure(data, Found(np.ones(len(chunks), dtype=np.bool_), lists), OPTIONAL)


CHUNKS = [
    cf.Chunk("The pump starts. It is loud.", source="a"),
    cf.Chunk("The valve opens.", source="a"),
    cf.Chunk("The pump starts.", source="b"),
    cf.Chunk("Nobody knows.", source="c"),
]


def asked(*references: cf.Reference, **more: object) -> cf.Question:
    return cf.Question("q", "?", references, **more)  # type: ignore[arg-type]  # the test's own values


def test_evidence_counts_sentences_not_chunks() -> None:
    found = measured(CHUNKS, [asked(cf.Reference("The pump starts. The valve opens.", "a"))], [[0, 1, 2, 3]])
    assert found["evidence_recall@1"][0] == 0.5
    assert found["evidence_precision@1"][0] == 0.5
    assert found["evidence_recall@3"][0] == 1.0
    assert found["evidence_precision@3"][0] == pytest.approx(2 / 3)  # the pump's sentence counts once


def test_the_two_literal_readings_of_a_hit() -> None:
    """A part of the fact, of its own document, is a hit only where either text may hold the other."""
    fact = cf.Reference("The pump starts. It is loud. It is old.", "b")
    found = measured(CHUNKS, [asked(fact)], [[0, 2, 3]])
    assert (found["hit_rate@5"][0], found["hit_rate_either@5"][0], found["mrr_either@5"][0]) == (0, 1, 0.5)
    found = measured(CHUNKS, [asked(cf.Reference("the pump starts", "b"))], [[3, 0, 2]])
    assert (found["mrr@3"][0], found["mrr_either@3"][0]) == (0.5, pytest.approx(1 / 3))


def test_a_semantic_hit_says_the_same_in_other_words(minilm: Embedder) -> None:
    chunks = [
        cf.Chunk("Dogs are animals.", source="a"),
        cf.Chunk("The committee's members serve for two years.", source="a"),
        cf.Chunk("The committee's members serve for two years.", source="b"),
    ]
    question = asked(cf.Reference("The term of office of committee members is two years.", "a"))
    found = cf.compare(
        chunks,
        [question],
        ["none"],
        embedder=minilm,
        k=3,
        tokens=("word",),
        measures=("hit-rate",),
        depths=(),
    )
    assert found.rows[0].rates["hit_rate_semantic@3"] == 1.0
    assert found.rows[0].rates["hit_rate@3"] == 0.0


def test_empty_sides_have_values() -> None:
    nothing = cf.Chunk("Nobody knows.")
    found = measured([nothing], [asked(cf.Reference("..."))], [[-1]])
    assert found["document_recall@5"][0] == found["document_f1@5"][0] == found["ndcg@5"][0] == 1.0
    assert found["document_precision@5"][0] == found["hit_rate@5"][0] == found["mrr@5"][0] == 0.0


TEXTS = st.sampled_from(["A b.", "C d. A b.", "E f.", "c d", "", "A b. E f. G h."])
NAMES = st.sampled_from(["a", "b", "c", "d", None])
WORLD = st.lists(st.builds(cf.Chunk, TEXTS, source=NAMES), min_size=1, max_size=9)
ASKED = st.lists(
    st.builds(
        cf.Question,
        st.just("q"),
        st.just("?"),
        st.lists(st.builds(cf.Reference, TEXTS, NAMES), min_size=1, max_size=3).map(tuple),
        st.dictionaries(st.sampled_from("abcde"), st.sampled_from([1.0, 2.0, 3.0]), max_size=3),
    ),
    min_size=1,
    max_size=4,
)


@given(WORLD, ASKED, st.data())
def test_every_measure_lies_between_0_and_1_and_equals_plain_python(
    chunks: list[cf.Chunk], questions: list[cf.Question], data: st.DataObject
) -> None:
    order = st.permutations(range(len(chunks)))
    ranked = [data.draw(order)[: data.draw(st.integers(1, 9))] for _ in questions]
    found = measured(chunks, questions, ranked)
    for name, values in found.items():
        assert values.shape == (len(questions),), name
        assert ((values >= 0) & (values <= 1)).all(), name
    for row, (question, places) in enumerate(zip(questions, ranked, strict=True)):
        for cut in CUTS:
            got = {chunks[place].source for place in places[:cut]} - {None}
            wanted = set(question.graded)
            precision = len(got & wanted) / len(got) if got else 0.0
            recall = len(got & wanted) / len(wanted) if wanted else 1.0
            assert found[f"document_precision@{cut}"][row] == pytest.approx(precision)
            assert found[f"document_recall@{cut}"][row] == pytest.approx(recall)


@pytest.mark.filterwarnings("ignore")  # numba, which compiles ranx, warns of its own casts
@settings(max_examples=15)
@given(WORLD, ASKED, st.data())
def test_ranx_agrees(chunks: list[cf.Chunk], questions: list[cf.Question], data: st.DataObject) -> None:
    ranx = pytest.importorskip("ranx")
    order = st.permutations(range(len(chunks)))
    ranked = [list(data.draw(order)) for _ in questions]
    found = measured(chunks, questions, ranked)
    numbers = {name: number for number, name in enumerate("abcde")}
    for row, (question, places) in enumerate(zip(questions, ranked, strict=True)):
        for cut in CUTS:
            documents = list(
                dict.fromkeys(chunks[place].source for place in places[:cut] if chunks[place].source)
            )
            if not question.graded or not documents:
                continue
            grades = {str(numbers[name]): int(grade) for name, grade in question.graded.items()}
            scores = {str(numbers[name]): 10.0 - at for at, name in enumerate(documents)}
            told = ranx.evaluate(
                ranx.Qrels({"q": grades}),
                ranx.Run({"q": scores}),
                ["precision", "recall", "f1", f"ndcg@{cut}"],
            )
            assert found[f"document_precision@{cut}"][row] == pytest.approx(told["precision"])
            assert found[f"document_recall@{cut}"][row] == pytest.approx(told["recall"])
            assert found[f"document_f1@{cut}"][row] == pytest.approx(told["f1"])
            assert found[f"ndcg@{cut}"][row] == pytest.approx(told[f"ndcg@{cut}"])
            held = {
                str(place)
                for place, chunk in enumerate(chunks)
                if any(one.text.strip() and _stands(one.text, chunk.text) for one in question.references)
            }
            if held:
                run = {str(place): 100.0 - at for at, place in enumerate(places)}
                hits = ranx.evaluate(
                    ranx.Qrels({"q": dict.fromkeys(held, 1)}),
                    ranx.Run({"q": run}),
                    [f"hit_rate@{cut}", f"mrr@{cut}"],
                )
                assert found[f"hit_rate@{cut}"][row] == pytest.approx(hits[f"hit_rate@{cut}"])
                assert found[f"mrr@{cut}"][row] == pytest.approx(hits[f"mrr@{cut}"])


def _stands(fact: str, chunk: str) -> bool:
    wanted, held = (text.lower().replace(".", " ").split() for text in (fact, chunk))
    return any(held[at : at + len(wanted)] == wanted for at in range(len(held) - len(wanted) + 1))


def test_a_representative_counts_for_the_document_of_what_it_replaced(minilm: Embedder) -> None:
    """The baseline gets the same credit, so that a filter gains nothing by it."""
    text = "The pump of the greenhouse starts at six in the morning and stops at noon."
    chunks = [cf.Chunk(text, source="a"), cf.Chunk(text, source="b"), cf.Chunk("Else.", source="c")]
    question = cf.Question("q", "When does the pump start?", (cf.Reference(text, "b"),))
    compared = cf.compare(
        chunks,
        [question],
        ["none", "exact"],
        embedder=minilm,
        k=1,
        tokens=("word",),
        measures=("document",),
        depths=(),
    )
    exact = compared.rows[1]
    assert exact.rates["document_recall@1"] == 0.0
    assert exact.rates["document_recall_credited@1"] == 1.0
    assert exact.differences["document_f1_credited@1"].mean == 0.0
    assert exact.rates["document_precision_credited@1"] == 0.5


def test_a_chunk_without_a_source_adds_no_document() -> None:
    chunks = [cf.Chunk("x", source="a"), cf.Chunk("y", source="b"), cf.Chunk("z")]
    table = Documents.of(chunks, [asked(cf.Reference("x", "a"))])
    rows = table.counting_for(np.array([[0, 1], [0, 2]]))
    assert [row.tolist() for row in rows] == [[0, 1], [1], []]
