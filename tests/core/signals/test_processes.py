"""Work shared out between processes: the same results in the same order, and the same errors."""

import os
from collections.abc import Sequence

import pytest

from chunkfilter.signals.processes import mapped_side_by_side


def lengths(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


def sizes_and_processes(texts: Sequence[str]) -> list[tuple[int, int]]:
    return [(len(texts), os.getpid())] * len(texts)


def refuse(texts: Sequence[str]) -> list[int]:
    raise ValueError(f"cannot read {texts[0]}")


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
