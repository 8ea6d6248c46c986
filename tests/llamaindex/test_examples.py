"""The examples run as they are, without a network."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"


def printed_by(name, *arguments):
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_pipeline_run_twice_stores_nothing_new_and_workers_change_no_count(tmp_path):
    text = "\n".join(f"Rule {number} of the house says what guests may do." for number in range(5))
    for name in ("a.md", "b.md", "c.txt"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "d.md").write_text("Something else is said here.", encoding="utf-8")
    output = printed_by("llamaindex_pipeline.py", str(tmp_path))
    assert "coverage, first run: 2 nodes stored, 2 in the collection" in output
    assert "2 of 4 kept; removed by {'exact': 2}" in output
    assert "coverage, second run: 0 nodes stored, 2 in the collection" in output
    assert "coverage scope=source, first run: 4 nodes stored, 4 in the collection" in output
    counts = re.findall(r"^(one process|two workers, then the filter): (\d+) nodes", output, re.MULTILINE)
    assert [count for _, count in counts] == ["2", "2"]


def test_filtering_at_query_time_shows_other_documents_and_loses_no_recall():
    output = printed_by("llamaindex_query_time.py")
    plain, rest = output.split("plain:\n")[1].split("postprocessed:\n")
    refilled = rest.split("refilled:\n")[1].split("no filter")[0]
    beginnings = [{line.split(None, 2)[2] for line in part.splitlines()} for part in (plain, refilled)]
    assert len(beginnings[0]) < len(beginnings[1])
    recall = dict(re.findall(r"^(no filter|exact|coverage) +recall ([0-9.]+)", output, re.MULTILINE))
    assert float(recall["no filter"]) <= float(recall["coverage"])
