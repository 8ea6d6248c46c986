"""``chunkfilter compare`` and ``chunkfilter demo``."""

import csv
import io
import json
from pathlib import Path

import pytest

from chunkfilter.cli.demo import NEEDED
from chunkfilter.cli.main import main

TOPICS = ("pump", "valve", "door", "filter", "probe", "battery")
TOPICS += ("alarm", "shelf", "fan", "hinge", "cable", "plug")


@pytest.fixture
def data_file(tmp_path: Path) -> Path:
    """A folder of 24 texts with questions beside them; two of three paragraphs stand in another text too."""
    folder = tmp_path / "data"
    folder.mkdir()
    lines = []
    for edition in ("old", "new"):
        for number, topic in enumerate(TOPICS):
            name = f"{edition}-{topic}.txt"
            answer = f"The {topic} needs {number + 2} checks a month by trained staff only."
            note, footer = f"A note on the {topic} of the {edition} edition.", "Spare parts are sold here."
            (folder / name).write_text(f"{answer}\n\n{note}\n\n{footer}", encoding="utf-8")
            question = f"How many checks does the {topic} need?"
            reference = {"text": answer, "source": name}
            lines.append(json.dumps({"id": name, "question": question, "references": [reference]}))
    (folder / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


KEYS = {
    "policy", "kept", "reduction", "precision", "recall", "iou", "oracle_recall", "oracle_precision",
    "lemma_precision", "lemma_recall", "lemma_iou", "budget_recall", "evidence_retention", "source_retention",
    "evidence_recall", "delta_recall", "delta_low", "delta_high", "baseline", "verdict", "index_bytes",
    "tokens_to_embed", "filter_seconds",
}  # fmt: skip


def arguments(data: Path, *more: str) -> list[str]:
    return ["compare", str(data), "--chunker", "recursive:80:0", "--k", "3", *more]


def test_json_has_a_row_a_policy(data_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(data_file, "--policies", "none; exact@paper", "--json")) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed.keys() >= {"chunks", "blank", "questions", "rows"}
    assert [row["policy"] for row in printed["rows"]] == ["none", "exact@paper"]
    assert all(row.keys() >= KEYS for row in printed["rows"])
    assert printed["rows"][0]["kept"] == printed["chunks"]
    assert printed["rows"][1]["reduction"] > 0
    assert printed["rows"][0]["budget_recall"].keys() == {"500", "1000", "2000"}


def test_the_table_is_aligned_and_says_what_it_compares_with(
    data_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments(data_file, "--policies", "none; exact")) == 0
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("policy"))
    assert len({len(line) for line in lines[start + 1 : start + 4]}) == 1
    assert lines[start + 4].startswith("none, copies merged ")
    assert "exploratory" in shown.out


def test_a_filter_that_loses_too_much_exits_with_1(
    data_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policies = ("--policies", "none; random@0.7", "--budgets", "10;20;30", "--seeds", "3")
    assert main(arguments(data_file, *policies, "--fail-if-inferior")) == 1
    assert "random@0.7: budget_recall@20 falls by more than 0.01" in capsys.readouterr().err
    assert main(arguments(data_file, *policies, "--fail-if-inferior", "--margin", "0.99")) == 0
    assert main(arguments(data_file, *policies)) == 0


def test_files_hold_every_figure(data_file: Path, tmp_path: Path) -> None:
    table, page = tmp_path / "out.csv", tmp_path / "out.md"
    written = ("--policies", "exact|random@0.1", "--seeds", "2", "--csv", str(table), "--markdown", str(page))
    assert main(arguments(data_file, *written, "--by-corpus")) == 0
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    assert rows[0]["policy"] == "exact|random@0.1"
    assert 0 <= float(rows[0]["budget_recall.500"]) <= 1
    assert float(rows[0]["differences.recall.low"]) <= float(rows[0]["differences.recall.high"])
    assert r"| exact\|random@0.1 |" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--policies", "none; exat"), "unknown rule 'exat'"),
        (("--policies", "none,coverage"), "several policies are separated by ';'"),
        (("--policies", " ; "), "policies separated by"),
        (("--embedder", "package:none"), "known: package:all-MiniLM-L6-v2"),
        (("--limit", "0"), "at least 1"),
        (("--depths", "1;x"), "argument --depths: got '1;x'; expected whole numbers of at least 1"),
        (("--budgets", "5;0"), "argument --budgets: got '5;0'; expected whole numbers of at least 1"),
        (("--measures", "hits"), "document, evidence, hit-rate, ndcg"),
        (
            ("--measures", " ;"),
            "argument --measures: got ' ;'; expected names separated by commas or semicolons",
        ),
        (("--stitch", "0"), "--stitch: got 0; expected a whole number of at least 1"),
        (("--margin", "-1"), "--margin: got -1.0"),
        (("--chunker", "propositions"), "split_documents(documents, spec, propositionizer=...)"),
    ],
)
def test_bad_input_exits_with_2(
    data_file: Path, more: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of(arguments(data_file, *more)) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert not shown.out


@pytest.mark.parametrize("command", ["compare", "tune"])
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("foo:400", "unknown name 'foo'"),
        ("recursive:400", "expected recursive:SIZE:OVERLAP"),
        ("breakpoint:percentile=90>foo:4", "unknown name 'foo'"),
    ],
)
def test_a_wrong_chunker_is_told_before_a_model_is_looked_for(
    data_file: Path, command: str, spec: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, str(data_file), "--chunker", spec, "--embedder", "package:none"]) == 2
    assert message in capsys.readouterr().err


def code_of(command: list[str]) -> int | str | None:
    """What a command exits with, also where its arguments are not understood."""
    try:
        return main(command)
    except SystemExit as stop:
        return stop.code


def test_retention_that_so_few_questions_cannot_show_is_explained(
    data_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments(data_file, "--policies", "coverage")) == 0
    shown = capsys.readouterr().out
    assert (
        "evidence_retention: none of 24 questions lost,\nso up to 14.2 % of others may be (97.5 % bound)"
        in shown
    )
    assert "a verdict at margin 0.01 takes 368 questions" in shown
    assert main(arguments(data_file, "--policies", "coverage", "--margin", "0.2")) == 0
    assert "of others may be" not in capsys.readouterr().out


def test_an_output_never_replaces_an_input(data_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = data_file / "questions.jsonl"
    before = questions.read_bytes()
    more = ("--questions", str(questions), "--csv", str(questions))
    assert main(arguments(data_file, *more)) == 2
    assert questions.read_bytes() == before


def test_demo_prints_the_table_a_removal_and_a_regret(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    shown = capsys.readouterr().out
    expected = ("coverage scope=source", "gains nothing", "One removal", "may regret", "The remedy")
    assert [text for text in expected if text not in shown] == []
    lines = shown.splitlines()
    table = lines[lines.index(next(line for line in lines if line.startswith("policy"))) :]
    assert max(map(len, table[:7])) <= 110
    assert table[6].startswith("none, copies merged")
    assert "inconclusive" not in "\n".join(table[:7])


def test_demo_names_all_that_is_missing_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(NEEDED, "no_such_splitters", "some-splitters")
    monkeypatch.setitem(NEEDED, "no_such_model", "some-model")
    assert main(["demo"]) == 2
    assert "some-splitters and some-model" in capsys.readouterr().err


def test_more_measures_are_switched_on_by_name(data_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = ("--policies", "none; exact", "--measures", "document;evidence;hit-rate;ndcg", "--depths", "1;2")
    assert main(arguments(data_file, *more, "--json")) == 0
    row = json.loads(capsys.readouterr().out)["rows"][1]
    for name in ("document_f1", "document_f1_credited", "evidence_f1", "hit_rate", "mrr_either", "ndcg"):
        assert {f"{name}@1", f"{name}@2", f"{name}@3"} <= row.keys()
    assert {"document_f1@3", "document_f1_credited@3", "evidence_f1@3", "mrr@3"} <= row["differences"].keys()
    assert main(arguments(data_file, *more)) == 0
    head = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("policy"))
    assert head.split("5-grams")[1].split("Δ")[0].split() == [
        *("doc", "F1", "credited", "sent", "F1", "hit", "MRR", "nDCG")
    ]
