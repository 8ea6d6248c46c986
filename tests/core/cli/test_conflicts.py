"""``explain --conflicts``: the pairs that guards keep apart."""

import json
from pathlib import Path

import pytest

from chunkfilter.cli.main import main

TEXTS = [
    "Pay 5 euros on Monday to the harbour office.",
    "Pay 6 euros on Monday to the harbour office.\n0 of 0 conflicts shown",
    "Pay 5 euros on Monday to the \x1b[2J\u202eharbour office!",
]
STORED = ["5 euros Pay on Monday to the harbour office."]


@pytest.fixture
def saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    names = {"chunks": TEXTS, "stored": STORED}
    for name, texts in names.items():
        lines = [
            json.dumps({"id": f"{name}{place}", "text": text}) + "\n" for place, text in enumerate(texts)
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    chunks, stored = (str(tmp_path / f"{name}.jsonl") for name in names)
    result = str(tmp_path / "result.jsonl")
    command = ["filter", chunks, "--existing", stored, "-o", str(tmp_path / "kept.jsonl"), "--result", result]
    assert main([*command, "--policy", "minhash@0.2"]) == 0
    capsys.readouterr()
    return [result, chunks, "--existing", stored]


def test_both_texts_and_what_differs_are_shown(saved: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *saved, "--conflicts"]) == 0
    shown = capsys.readouterr().out
    assert "conflict (order): the same words in another order\nkept: chunk 0, id chunks0\n  | Pay 5" in shown
    assert "existing: chunk 0, id stored0\n  | 5 euros Pay" in shown
    assert "conflict (number): only in the first: 6 0 of conflicts shown; only in the second: 5\n" in shown
    assert shown.splitlines()[-1].startswith("3 of 3 conflicts shown")


def test_nothing_shown_acts_or_forges_a_line(saved: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *saved, "--conflicts"]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\n0 of 0" not in shown


def test_as_json_and_limited(saved: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *saved, "--conflicts", "--json", "--limit", "2"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["vetoed"] == 3
    assert [one["guard"] for one in told["conflicts"]] == ["order", "number"]
    second = told["conflicts"][1]
    assert second["chunk"]["text"] == TEXTS[1]
    assert "6" in second["words_only_in_chunk"]
    assert main(["explain", *saved, "--conflicts", "--limit", "-1"]) == 2
