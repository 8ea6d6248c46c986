"""The examples run as they are, without a network."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"


def printed_by(name: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_ingesting_twice_adds_nothing_the_second_time(tmp_path):
    text = "The freezer is defrosted once a year.\n\nThe filter behind the grille is cleaned every month.\n"
    for name in ("a.md", "b.md", "c.txt"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "d.md").write_text("Something else is said here.", encoding="utf-8")
    output = printed_by("langchain_ingest.py", str(tmp_path))
    assert "first run: 2 added, 0 unchanged" in output
    assert "second run: 0 added, 2 unchanged" in output
    assert "2 of 4 chunks kept, 50.0 % removed" in output
    assert "from b.md" in output
    assert "is in a chunk of a.md" in output


def test_filtering_at_query_time_shows_other_documents_and_measures_more_recall():
    output = printed_by("langchain_query_time.py")
    plain, filtered = (output.split(title)[1].splitlines()[1:6] for title in ("plain:", "filtered:"))
    assert len(set(map(beginning, plain))) < len(set(map(beginning, filtered))) == 5
    recall = dict(re.findall(r"^(no filter|exact|coverage) +recall ([0-9.]+)", output, re.MULTILINE))
    assert float(recall["no filter"]) < float(recall["coverage"])


def beginning(line: str) -> str:
    return line.split(None, 1)[1]
