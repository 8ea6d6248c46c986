"""What the README shows is what happens."""

import re
import shlex
from pathlib import Path

import pytest

from chunkfilter.cli.main import COMMANDS, main
from chunkfilter.demo import load_documents, questions_file

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
CONSOLE = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
COMMAND_LINES = [line for block in CONSOLE for line in block.splitlines() if line.startswith("chunkfilter ")]
TABLE = re.search(r"<!-- demo table -->\n```\n(.*?)```", README, re.DOTALL)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    documents = load_documents()
    (tmp_path / "handbook.md").write_text(documents["handbook-v3/sensors.md"], encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("code", PYTHON, ids=[block.split("\n")[0] for block in PYTHON])
def test_every_block_of_python_runs(work: Path, code: str) -> None:
    exec(compile(code, "README.md", "exec"), {})


def test_the_command_lines_run_as_they_stand(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = work / "DATA"
    texts.mkdir()
    names = ["handbook-v2/sensors.md", "handbook-v3/sensors.md", "notes/field-report-skarvoy.md"]
    for name in names:
        (texts / name).parent.mkdir(exist_ok=True)
        (texts / name).write_text(load_documents()[name], encoding="utf-8")
    with questions_file() as path:
        (texts / "questions.jsonl").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    (work / "chunks.jsonl").write_text('{"text": "Pumps start at six."}\n{"text": "Pumps start at six!"}\n')
    assert len(COMMAND_LINES) >= 5
    for line in COMMAND_LINES:
        words = shlex.split(line)
        code = main(words[1:])
        assert code == 0 or words[1] == "tune", line
    capsys.readouterr()


def test_every_command_it_names_exists() -> None:
    assert {shlex.split(line)[1] for line in COMMAND_LINES} <= set(COMMANDS)


def test_the_demo_prints_the_table_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    assert TABLE is not None
    assert main(["demo"]) == 0
    printed = capsys.readouterr().out.splitlines()
    shown = TABLE[1].splitlines()[1:]
    for line in shown:
        policy = re.split(r"\s{2,}", line)[0]
        (row,) = [one for one in printed if re.split(r"\s{2,}", one)[0] == policy]
        figures = re.findall(r"[-+]?\d+(?:\.\d+)?", row.removeprefix(policy))
        assert set(re.findall(r"[-+]?\d+(?:\.\d+)?", line.removeprefix(policy))) <= set(figures), policy
