"""Splitters against their cost: the best setting is chosen on one fold and reported on the other."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.cli.main import main
from chunkfilter.errors import DatasetError, InputError, SplitterError
from chunkfilter.evaluate.questions import Dataset, Question, Reference
from chunkfilter.signals.embedders import Embedder
from chunkfilter.splitters import split_documents
from chunkfilter.studies.grid import chosen_grid, cost, measure_grid, run_grid
from chunkfilter.studies.grid.command import read_embedders
from chunkfilter.studies.grid.cost import EmbeddingClock, MeteredSentences
from chunkfilter.studies.grid.folds import make_folds
from chunkfilter.studies.grid.outcome import Grid

THINGS = ("pump", "valve", "door", "filter", "probe", "battery", "alarm", "shelf", "fan", "hinge")
CHUNKERS = ("sentences:1", "sentences:4", "breakpoint:percentile=10", "breakpoint:percentile=95")


def dataset() -> Dataset:
    documents, questions = {}, []
    for thing in THINGS:
        fact = f"The {thing} is checked by trained staff every week."
        documents[thing] = (
            f"{fact} Paint comes in {len(thing)} colours. Rain falls in autumn. Ships sail at noon."
        )
        reference = Reference(fact, thing, 0, len(fact))
        questions.append(Question(thing, f"Who checks the {thing}?", (reference,)))
    return Dataset("things", documents, tuple(questions))


@pytest.fixture(autouse=True, scope="module")
def _few_samples():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cost, "SAMPLE", 2)  # the figures do not matter here, only that they add up
        yield


@pytest.fixture(scope="session")
def grid(minilm: Embedder) -> Grid:
    return run_grid(dataset(), CHUNKERS, ("none", "exact"), {"MiniLM": minilm})


def test_a_row_a_splitter_and_policy(grid: Grid) -> None:
    assert [(row.splitter, row.policy, row.tried) for row in grid.rows] == [
        ("sentences", "none", 2),
        ("breakpoint", "none", 2),
        ("sentences", "exact", 2),
        ("breakpoint", "exact", 2),
    ]
    assert (grid.measure, grid.questions, grid.left_out) == ("evidence", len(THINGS), 0)
    assert all(row.settings == ("sentences:1", "sentences:1") for row in grid.rows[::2])
    assert all(0 <= rate <= 1 for row in grid.rows for rate in row.rates.values())


def test_differences_are_to_the_first_splitter_and_the_first_policy(grid: Grid) -> None:
    fixed, semantic, fixed_exact, semantic_exact = grid.rows
    assert fixed.to_first is fixed.to_unfiltered is None
    assert semantic.to_first is not None
    assert semantic.to_first.mean == pytest.approx(semantic.mean_f1 - fixed.mean_f1)
    assert fixed_exact.to_first is None
    assert semantic_exact.to_unfiltered is not None
    assert semantic_exact.to_unfiltered.mean == pytest.approx(semantic_exact.mean_f1 - semantic.mean_f1)


def test_merged_copies_are_the_same_settings_without_a_filter(minilm: Embedder) -> None:
    made = dataset()
    twice = {f"{name}-{copy}": text for name, text in made.documents.items() for copy in "ab"}
    questions = tuple(
        replace(one, references=(replace(one.references[0], source=f"{one.id}-a"),), relevance={})
        for one in made.questions
    )
    copies = replace(made, documents=twice, questions=questions)
    plain, exact = run_grid(copies, ("sentences:1",), ("none", "exact"), {"MiniLM": minilm}, seed=3).rows
    assert plain.to_merged.mean != exact.to_merged.mean
    assert abs(exact.to_merged.mean) <= abs(plain.to_merged.mean)
    assert exact.to_unfiltered is not None
    assert plain.to_merged.mean + exact.to_unfiltered.mean == pytest.approx(exact.to_merged.mean)


def test_semantic_splitters_pay_for_the_vectors_they_compare(grid: Grid) -> None:
    fixed, semantic = grid.rows[:2]
    assert fixed.cost.texts_for_splitting == 0
    assert semantic.cost.texts_for_splitting == 4 * len(THINGS)
    assert semantic.cost.for_splitting > 0
    assert all(row.cost.seconds > 0 for row in grid.rows)
    assert semantic.cost.texts_for_index == semantic.kept


def test_sentences_are_embedded_once_and_charged_to_each_setting(minilm: Embedder) -> None:
    class Counting:
        texts = 0

        def encode(self, texts):
            self.texts += len(texts)
            return minilm.encode(texts)

    counting = Counting()
    meter = MeteredSentences(counting, lambda: 0.0)
    asked = []
    for spec in CHUNKERS[2:]:
        meter.reset()
        split_documents(dataset().documents, spec, meter)
        asked.append(len(meter.texts))
    assert asked == [4 * len(THINGS)] * 2
    assert counting.texts == 4 * len(THINGS)  # one pass for both settings


def test_the_clock_charges_texts_and_the_characters_that_are_read() -> None:
    class Slow:
        now = 0.0

        def encode(self, texts):
            self.now += sum(0.5 + 0.01 * len(text) for text in texts)
            return [[1.0]] * len(texts)

    slow = Slow()
    clock = EmbeddingClock(slow, lambda: slow.now, ["word " * 400])
    assert clock.seconds(["x" * 50, "y" * 150]) == pytest.approx(2 * 0.5 + 200 * 0.01)
    assert clock.seconds([]) == 0.0
    assert EmbeddingClock(slow, lambda: slow.now, ["tiny"]).seconds(["tiny"]) > 0


def test_each_half_is_reported_with_what_the_other_chose(minilm: Embedder) -> None:
    values = measure_grid(dataset(), CHUNKERS[:2], ("none",), {"MiniLM": minilm})
    found = chosen_grid(values, "document").rows[0]
    table = values.tables["MiniLM"]
    for fold, chosen in enumerate(found.settings):
        means = {
            spec: sum(
                table[spec, "none"][1 - fold].values[f"document_f1@{depth}"].mean() for depth in (1, 3, 5, 10)
            )
            for spec in CHUNKERS[:2]
        }
        assert means[chosen] == pytest.approx(max(means.values()))


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"chunkers": ()}, InputError, "0 chunkers"),
        ({"chunkers": ("sentences:0",)}, SplitterError, "sentences"),
        ({"measure": "recall"}, InputError, "measure: got 'recall'; expected document or evidence"),
        ({"depths": (0,)}, InputError, "depths"),
        ({"depths": (1.5,)}, InputError, "depths"),
        ({"margin": float("nan")}, InputError, "margin: got nan"),
        ({"seed": -1}, InputError, "seed: got -1"),
        ({"chunkers": ("sentences:1>nonsense:3",)}, SplitterError, "unknown name 'nonsense'"),
    ],
)
def test_bad_input_is_named(minilm: Embedder, more, error, message) -> None:
    given = {"chunkers": ("sentences:1",), "policies": ("none",), **more}
    with pytest.raises(error, match=message):
        run_grid(dataset(), embedders={"MiniLM": minilm}, **given)


def test_embedders_with_prefixes(minilm: Embedder) -> None:
    name = "package:all-MiniLM-L6-v2"
    found = read_embedders(f"{name}; {name}|query=query: |passage=passage: ")
    assert list(found) == [name, f"{name}|query=query: |passage=passage: "]
    plain, prefixed = found.values()
    text = "passage: The pump."
    assert prefixed.encode(["The pump."]) == pytest.approx(plain.encode([text]), abs=1e-5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" ; ", "expected NAME"),
        ("package:all-MiniLM-L6-v2|prompt=x", "'prompt=x' is no option"),
        ("package:all-MiniLM-L6-v2; package:all-MiniLM-L6-v2", "given twice"),
    ],
)
def test_wrong_embedders_are_named(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_embedders(text)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    made = dataset()
    (tmp_path / "documents.jsonl").write_text(
        "\n".join(json.dumps({"id": name, "text": text}) for name, text in made.documents.items())
    )
    (tmp_path / "questions.jsonl").write_text(
        "\n".join(
            json.dumps(
                {
                    "id": one.id,
                    "question": one.text,
                    "references": [{"text": ref.text, "source": ref.source} for ref in one.references],
                }
            )
            for one in made.questions
        )
    )
    return tmp_path


def arguments(data: Path, *more: str) -> list[str]:
    chunkers = (
        "--chunkers",
        "sentences:1; sentences:4; breakpoint:percentile=90",
        "--policies",
        "none; exact",
    )
    return ["study", "grid", str(data), *chunkers, *more]


def test_the_command_prints_one_table_and_writes_files(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, page = tmp_path / "grid.csv", tmp_path / "grid.md"
    assert main(arguments(data, "--csv", str(table), "--markdown", str(page), "--depths", "1,3")) == 0
    shown = capsys.readouterr().out
    assert "settings chosen on one half of the documents, reported on the other" in shown
    assert "Δ to sentences" in shown
    assert "Δ to merged" in shown
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    assert [row["splitter"] for row in rows] == ["sentences", "breakpoint"] * 2
    assert float(rows[1]["to_first.low"]) <= float(rows[1]["to_first.high"])
    assert "| --- |" in page.read_text(encoding="utf-8")


def test_the_command_prints_json(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(data, "--json", "--by", "document", "--stitch", "8")) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["measure"] == "document"
    assert {"splitter", "settings", "mean_f1", "seconds", "cost", "to_first"} <= printed["rows"][1].keys()
    assert len(printed["settings"]) == 6


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--chunkers", " ; "), "--chunkers: got ' ; '; expected splitters separated by ';'"),
        (
            ("--chunkers", "sentences:1; nope:3", "--embedders", "package:none"),
            "unknown name 'nope'",  # before the model is looked for
        ),
    ],
)
def test_a_grid_without_splitters_exits_with_2(
    data: Path, more: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "grid", str(data), *more]) == 2
    assert message in capsys.readouterr().err


def asked(needs: list[set[int]], documents: int = 12) -> Dataset:
    texts = {f"d{number}": f"Text {number}." for number in range(documents)}
    questions = [
        Question(str(place), "?", tuple(Reference(texts[f"d{one}"], f"d{one}") for one in sorted(need)))
        for place, need in enumerate(needs)
    ]
    return Dataset("made", texts, tuple(questions))


@given(
    st.lists(st.sets(st.integers(0, 11), min_size=1, max_size=3), min_size=2, max_size=20), st.integers(0, 4)
)
def test_no_document_is_in_both(needs: list[set[int]], seed: int) -> None:
    whole = asked(needs)
    try:
        folds = make_folds(whole, seed)
    except DatasetError:
        return
    assert not folds.first.documents.keys() & folds.second.documents.keys()
    assert folds.first.documents.keys() | folds.second.documents.keys() == whole.documents.keys()
    for half in (folds.first, folds.second):
        for question in half.questions:
            assert question.graded.keys() <= half.documents.keys()
    assert len(folds.questions) + folds.left_out == len(needs)


def test_documents_of_one_question_stay_together() -> None:
    folds = make_folds(asked([{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}]), 0)
    assert folds.left_out == 0
    assert len(folds.first.questions) == len(folds.second.questions) == 3


def test_where_questions_tie_everything_together_some_are_left_out() -> None:
    chain = [{number, number + 1} for number in range(11)]
    folds = make_folds(asked([*chain, {0}, {5}, {9}, {11}]), 0)
    assert folds.left_out > 0
    assert folds.first.questions
    assert folds.second.questions


def test_what_cannot_be_parted_is_told() -> None:
    with pytest.raises(DatasetError, match="cannot be parted into two halves"):
        make_folds(asked([{0}, {0}]), 0)
