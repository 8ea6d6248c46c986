"""Work shared out between processes: the same results in the same order, and the same errors."""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from chunkfilter.errors import ChunkFilterError
from chunkfilter.signals.processes import mapped_side_by_side


def lengths(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


def sizes_and_processes(texts: Sequence[str]) -> list[tuple[int, int]]:
    return [(len(texts), os.getpid())] * len(texts)


def refuse(texts: Sequence[str]) -> list[int]:
    raise ValueError(f"cannot read {texts[0]}")


def be_killed(texts: Sequence[str]) -> list[int]:
    if "bad" in texts:
        os.kill(os.getpid(), signal.SIGKILL)
    return lengths(texts)


def leave(texts: Sequence[str]) -> list[int]:
    sys.exit(3)


def fail_in_a_way_of_its_own(texts: Sequence[str]) -> list[int]:
    class LocalError(Exception):
        pass

    raise LocalError(f"no room for {texts[0]}")


class TwoPartsError(Exception):
    """Can be pickled, but not read back."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")


def fail_with_two_parts(texts: Sequence[str]) -> list[int]:
    raise TwoPartsError(texts[0], "too long")


def processes_of_a_pool_worker(texts: list[str]) -> tuple[int, set[int]]:
    done = mapped_side_by_side(sizes_and_processes, texts, processes=2, most=1)
    return os.getpid(), {process for _, process in done}


@pytest.mark.parametrize("count", [1, 2, 37])
def test_results_come_in_the_order_of_the_items(count: int) -> None:
    texts = ["x" * number for number in range(count)]
    assert mapped_side_by_side(lengths, texts, processes=2, most=8) == list(range(count))


def test_parts_are_bounded_and_are_not_worked_on_here() -> None:
    done = mapped_side_by_side(sizes_and_processes, ["text"] * 100, processes=2, most=8)
    assert max(size for size, _ in done) <= 8
    assert os.getpid() not in {process for _, process in done}


def test_an_error_in_a_process_reaches_the_caller() -> None:
    with pytest.raises(ValueError, match="cannot read one"):
        mapped_side_by_side(refuse, ["one", "two"], processes=2, most=1)
    with pytest.raises(ValueError, match="cannot read") as caught:
        mapped_side_by_side(refuse, ["one", "two"], processes=2, most=1)
    assert caught.value.__notes__ == ["in a process that worked on items 1 to 1 of 2, from 'one' on"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_killed_process_is_named_with_what_it_left_and_the_way_out() -> None:
    with pytest.raises(ChunkFilterError, match=r"ended before .* items 1 to 1 of 2, from 'bad'.*n_process=1"):
        mapped_side_by_side(be_killed, ["bad", "bad"], processes=2, most=1)


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (fail_in_a_way_of_its_own, "LocalError: no room for one"),
        (fail_with_two_parts, "TwoPartsError: one: too long"),
        (leave, r"called sys.exit\(3\)"),
    ],
)
def test_an_error_that_cannot_be_sent_is_told(work: Any, said: str) -> None:
    with pytest.raises(ChunkFilterError, match=f"items 1 to 1 of 2, from 'one' on: .*{said}; n_process=1"):
        mapped_side_by_side(work, ["one", "two"], processes=2, most=1)


def test_a_daemonic_process_does_the_work_itself() -> None:
    with multiprocessing.Pool(1) as pool:
        worker, used = pool.apply(processes_of_a_pool_worker, (["one", "two"],))
    assert used == {worker} != {os.getpid()}


UNGUARDED = """
import multiprocessing
from chunkfilter.signals.processes import mapped_side_by_side
multiprocessing.set_start_method("spawn", force=True)
mapped_side_by_side(sorted, ["one", "two"], processes=2, most=1)
"""


def test_a_script_without_a_guard_is_told_of_it(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text(UNGUARDED)
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 1
    told = [
        line for line in ran.stderr.splitlines() if line.startswith("chunkfilter.errors.ChunkFilterError")
    ]
    assert any("a process ended before" in line and "__main__" in line for line in told)
