"""``explain`` marks the runs of words that a removed chunk shares with the chunks that cover it."""

import json
from pathlib import Path

import pytest

import chunkfilter as cf
from chunkfilter.cli.main import main
from chunkfilter.cli.output import marked

TEXTS = [
    "Boilers warm up at five. Fans turn on at six daily. Doors unlock.",
    "Fans turn on at six daily. Doors unlock. Guards arrive at eight sharp.",
    "Doors unlock. Guards arrive at eight sharp. Trucks leave.",
]


@pytest.fixture
def saved(tmp_path: Path) -> tuple[str, str]:
    result, texts = tmp_path / "result.jsonl", tmp_path / "texts.jsonl"
    texts.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    found = cf.filter_chunks(TEXTS, "coverage")
    assert found.removed == (cf.Removal(1, (0, 2), (), "coverage", 1.0),)
    found.save(result)
    return str(result), str(texts)


def test_shared_runs_are_marked_in_the_removed_chunk_and_in_each_that_covers_it(
    saved: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", *saved]) == 0
    shown = capsys.readouterr().out.split("\n\n")[0].splitlines()
    assert shown == [
        "removed by coverage, score 1: chunk 1",
        "  | ⟦Fans turn on at six daily. Doors unlock. Guards arrive at eight sharp.⟧",
        "kept: chunk 0",
        "  | Boilers warm up at five. ⟦Fans turn on at six daily. Doors unlock.⟧",
        "kept: chunk 2",
        "  | ⟦Doors unlock. Guards arrive at eight sharp.⟧ Trucks leave.",
    ]


def test_as_json_the_runs_are_characters_of_both_texts(
    saved: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", *saved, "--json"]) == 0
    (removal,) = json.loads(capsys.readouterr().out)["removals"]
    for kept in removal["kept_by"]:
        for run in kept["runs"]:
            assert removal["text"][slice(*run["removed"])] == kept["text"][slice(*run["kept"])]
    assert [[run["tokens"] for run in kept["runs"]] for kept in removal["kept_by"]] == [[8], [7]]


def test_a_text_cannot_hold_a_mark_of_its_own() -> None:
    assert marked("a ⟦b⟧ c", [(6, 7)]) == "a \\u27e6b\\u27e7 ⟦c⟧"


def test_parts_that_overlap_are_marked_as_one() -> None:
    assert marked("abcdef", [(3, 5), (0, 2), (1, 4)]) == "⟦abcde⟧f"
    assert marked("abc", []) == "abc"


def test_a_removal_is_chosen_by_position_or_id(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result, texts = str(tmp_path / "result.jsonl"), tmp_path / "texts.jsonl"
    chunks = [cf.Chunk(text, id=name) for text, name in zip(TEXTS, ("tea", "fans", "1"), strict=True)]
    texts.write_text("".join(json.dumps({"id": one.id, "text": one.text}) + "\n" for one in chunks))
    cf.filter_chunks(chunks, "coverage").save(result)
    assert main(["explain", result, str(texts), "--removal", "fans"]) == 0
    assert "removed by coverage, score 1: chunk 1, id fans" in capsys.readouterr().out
    assert main(["explain", result, str(texts), "--removal", "1"]) == 0  # a position first, then an id
    assert "chunk 1, id fans" in capsys.readouterr().out
    assert main(["explain", result, str(texts), "--removal", "tea"]) == 2
    assert "--removal tea: chunk tea was kept" in capsys.readouterr().err


def test_without_conflicts_a_policy_that_asks_no_guard_says_so(
    saved: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", *saved, "--conflicts"]) == 0
    assert "0 of 0 conflicts" in (shown := capsys.readouterr().out)
    assert "no guard is asked under this policy" in shown


def test_swapped_arguments_are_told(saved: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("explain", "verify"):
        assert main([command, *reversed(saved)]) == 2
        assert "expected RESULT first, then the texts" in capsys.readouterr().err


def test_verify_names_both_files_and_the_chunk(
    saved: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path(saved[1]).write_text("".join(json.dumps({"id": "x", "text": text[::-1]}) + "\n" for text in TEXTS))
    assert main(["verify", *saved]) == 1
    assert capsys.readouterr().out.startswith(f"{saved[0]} does not hold for {saved[1]}: chunk 0 (id 'x')")
