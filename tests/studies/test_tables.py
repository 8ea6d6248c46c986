"""``chunkfilter study tables``: the study's rows on a small corpus, resumed, and beside published values."""

import csv
import json
from pathlib import Path

import pytest

from chunkfilter.cli.main import main
from chunkfilter.policy import Policy
from chunkfilter.studies.paper.corpora import find_corpora
from chunkfilter.studies.paper.finished import FinishedRows
from chunkfilter.studies.paper.plan import CUTS, METHODS, swept_methods

CLINIC = (
    "Anna Berg of the Red Cross opened the Oslo clinic in 1990. "
    "It treats 300 patients a month, most of them from the islands."
)
PARAGRAPHS = (
    CLINIC,
    "The hinge of the blue door is oiled twice. Nobody knows who keeps the second key of the old cellar.",
    CLINIC,
    "Paul Lind sells apples in Bergen on Fridays. His stall stands beside the church near the new harbour.",
)
COLUMNS = (
    "table,corpus,chunker,chunk_size,chunk_overlap,method,threshold,reduction_pct,precision,recall,iou,oracle"
)


def write_squad(path: Path) -> None:
    questions = (
        "What did Anna Berg open?",
        "Who keeps the key?",
        "Who treats patients?",
        "Who sells apples?",
    )
    answers = ("the Oslo clinic", "Nobody", "300 patients", "Paul Lind")
    paragraphs = [
        {
            "context": context,
            "qas": [
                {
                    "id": str(number),
                    "question": questions[number],
                    "answers": [{"text": answers[number], "answer_start": context.index(answers[number])}],
                }
            ],
        }
        for number, context in enumerate(PARAGRAPHS)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"data": [{"title": "Towns", "paragraphs": paragraphs}]}), encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set in the place of SQuAD, and one in that of XQuAD's Thai part."""
    folder = tmp_path_factory.mktemp("data")
    write_squad(folder / "squad_small" / "dev.json")
    write_squad(folder / "xquad" / "xquad.th.json")
    return folder


def published(path: Path, *rows: str) -> Path:
    path.write_text("\n".join([COLUMNS, *rows]) + "\n", encoding="utf-8")
    return path


def call(folder: Path, out: Path, *more: str) -> int:
    chosen = ("--chunkers", "recursive:200:0", "--seeds", "2", "--tables-only")
    return main(["study", "tables", str(folder), "--out", str(out), *chosen, *more])


@pytest.fixture(scope="module")
def out(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of both corpora, run once, beside three published rows."""
    out = tmp_path_factory.mktemp("out")
    place = "17,squad,RecursiveTokenChunker,200,0"
    values = published(
        out / "published.csv",
        f"{place},ExactNorm,-,25.0,0.5,0.5,0.5,1.0",
        f"{place},No filtering,-,-,0.5,0.5,NaN,1.0",
        "27,webfaq,RecursiveTokenChunker,200,0,ExactNorm,-,1.0,0.5,0.5,0.5,1.0",
    )
    assert call(folder, out, "--published", str(values)) == 0
    return out


def rows_of(out: Path, name: str = "tables.csv") -> list[dict[str, str]]:
    return list(csv.DictReader((out / name).read_text(encoding="utf-8").splitlines()))


def test_each_table_has_the_rows_of_the_study_and_ours(out: Path) -> None:
    rows = [row for row in rows_of(out) if row["corpus"] == "squad"]
    assert [row["method"] for row in rows] == [method.name for method in METHODS]
    assert {row["table"] for row in rows} == {"17"}
    assert all(0 <= float(row["recall"]) <= 1 for row in rows)
    none, exact = rows[0], rows[1]
    assert (float(none["reduction_pct"]), none["kept"]) == (0.0, none["chunks"])
    assert float(exact["reduction_pct"]) > 0


def test_published_values_stand_beside_ours_and_agreement_is_said(out: Path) -> None:
    rows = {(row["corpus"], row["method"]): row for row in rows_of(out)}
    exact = rows["squad", "ExactNorm"]
    assert exact["published_reduction_pct"] == "25.0"
    assert exact["agrees"] in {"all", "reduction", "measures", "none"}
    none = rows["squad", "No filtering"]
    assert (none["published_reduction_pct"], none["published_precision"], none["published_iou"]) == (
        "",
        "0.5",
        "",
    )
    assert rows["squad", "coverage"]["agrees"] == ""
    stand_in = rows["xquad.th", "ExactNorm"]
    assert (stand_in["published_corpus"], stand_in["agrees"]) == ("webfaq", "")


def test_a_language_without_an_entity_model_is_named_and_english_is_not_run_on_it(out: Path) -> None:
    rows = {row["method"]: row for row in rows_of(out) if row["corpus"] == "xquad.th"}
    assert rows["NER Exact"]["kept"] == ""
    assert "no entity model for language 'th'" in rows["NER Exact"]["note"]
    assert rows["Similarity"]["kept"]


def test_figures_show_size_against_retrieval(out: Path) -> None:
    points = rows_of(out, "figures.csv")
    assert {"kept_share", "recall", "method"} <= points[0].keys()
    assert all(0 < float(point["kept_share"]) <= 1 for point in points)


def test_rows_that_cannot_be_measured_do_not_start_a_finished_run_again(
    folder: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(folder, out, "--corpora", "xquad.th", "--json") == 0
    assert capsys.readouterr().err == ""


def test_a_finished_row_is_not_measured_again_and_a_lost_one_is(
    folder: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ("--corpora", "squad", "--json")
    assert call(folder, out, *more) == 0
    first = capsys.readouterr()
    assert first.err == ""
    lost = next((out / "rows" / "squad").rglob("exact@paper.json"))
    lost.write_text('{"half', encoding="utf-8")
    assert call(folder, out, *more) == 0
    second = capsys.readouterr()
    assert "1/1 exact@paper" in second.err

    def timeless(text: str) -> list[dict[str, object]]:
        return [{**row, "filter_seconds": 0} for row in json.loads(text)["rows"]]

    assert timeless(first.out) == timeless(second.out)
    assert not list(out.rglob("*.part"))


def test_other_settings_are_measured_anew(tmp_path: Path) -> None:
    row, finished = {"policy": "none", "kept": 1}, FinishedRows(tmp_path)
    finished.write("fixed:400:0", row, {"seeds": 1})
    assert finished.read("fixed:400:0", "none", {"seeds": 1}) == row
    assert finished.read("fixed:400:0", "none", {"seeds": 2}) is None
    assert finished.read("fixed:400:0", "exact", {"seeds": 1}) is None


def test_a_row_that_was_edited_is_measured_anew(tmp_path: Path) -> None:
    finished = FinishedRows(tmp_path)
    finished.write("fixed:400:0", {"policy": "none", "kept": 1}, {"seeds": 1})
    file = next(tmp_path.rglob("*.json"))
    file.write_text(file.read_text(encoding="utf-8").replace('"kept": 1', '"kept": 2'), encoding="utf-8")
    assert finished.read("fixed:400:0", "none", {"seeds": 1}) is None


def test_only_rows_that_a_setting_decides_are_measured_anew(
    folder: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(folder, out, "--corpora", "squad", "--seeds", "1") == 0
    measured = capsys.readouterr().err.splitlines()[1:]
    assert [line.split()[4].partition("@")[0] for line in measured] == ["random"] * 4
    assert call(folder, out, "--corpora", "squad", "--seeds", "1", "--entities", "none") == 0
    shown = capsys.readouterr()
    assert "no entity model was named" in shown.out
    assert "/" not in shown.err.replace("chunkfilter:", "").partition("embedded")[2]


def test_every_method_is_a_policy_of_its_own() -> None:
    policies = [str(Policy.parse(method.policy)) for method in (*METHODS, *swept_methods())]
    assert len(set(policies)) == len(policies)
    assert len(swept_methods()) == 4 * 7
    assert len({cut.spec for cut in CUTS}) == 10


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--chunkers", "recursive:1:0"), "--chunkers: got recursive:1:0"),
        (("--corpora", "chroma"), "holds no chroma"),
        (("--published", "{out}/bad.csv"), "'recall' is 'many'"),
    ],
)
def test_bad_input_exits_with_2(
    folder: Path, tmp_path: Path, more: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    published(tmp_path / "bad.csv", "17,squad,RecursiveTokenChunker,200,0,ExactNorm,-,1,0.5,many,0.5,1")
    assert call(folder, tmp_path / "out", *(one.format(out=tmp_path) for one in more)) == 2
    assert message in capsys.readouterr().err


def test_a_corpus_can_be_asked_for_by_its_language(folder: Path) -> None:
    assert [corpus.name for corpus in find_corpora(folder, ["xquad.th"])] == ["xquad.th"]
    assert [corpus.name for corpus in find_corpora(folder)] == ["squad", "xquad.th"]
