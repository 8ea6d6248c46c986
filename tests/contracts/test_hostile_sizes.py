"""Long texts without the white space, the ends or the variety that one expects; threads; interruptions."""

import json
import threading
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chunkfilter as cf

LONG = 5_000
#: Pieces of which a long text is made; benchmarks/hostile_sizes.py measures the time they take.
KINDS: dict[str, str] = json.loads(Path(__file__).with_name("hostile_pieces.json").read_text())
POLICIES = ["exact", "coverage", "coverage@0.9", "minhash@0.8", "simhash@3", "similarity@0.9"]


def peak(text: str, policy: str) -> int:
    """Most bytes that a run over a text, half of it and a copy holds at once."""
    texts = [text, text[: len(text) // 2], text]
    tracemalloc.start()
    try:
        result = cf.filter_chunks(texts, policy, vectors=[[1, 0], [1, 0.01], [1, 0]])
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 2 not in result.kept
    return most


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_goes_and_memory_grows_with_length_not_with_its_square(kind: str) -> None:
    for policy in POLICIES:
        short = KINDS[kind] * (LONG // len(KINDS[kind]))
        peak(short, policy)  # what is loaded once
        one, eight = peak(short, policy), peak(short * 8, policy)
        assert eight < 16 * one + 4_000_000, f"{policy}: {one:,} bytes, then {eight:,}"


def test_threads_that_share_a_policy_get_what_each_would_get_alone() -> None:
    batches = [
        ["Shared licence header.", *(f"Paragraph {place} of text {number}." for place in range(20))] * 2
        for number in range(6)
    ]
    expected = [cf.filter_chunks(batch, "coverage").removed for batch in batches]
    found: list[Any] = [None] * len(batches)

    def run(number: int) -> None:
        for _ in range(5):
            found[number] = cf.filter_chunks(batches[number], "coverage").removed
            assert found[number] == expected[number]

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(batches))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, MemoryError])
def test_what_an_embedder_raises_comes_through_and_leaves_a_ledger_as_it_was(
    error: type[BaseException], tmp_path: Path
) -> None:
    class Flaky:
        broken = True

        def encode(self, texts: Sequence[str], /) -> Any:
            if self.broken and any("7" in text for text in texts):
                raise error("interrupted")
            return [[len(text), sum(map(ord, text)) % 97, 1.0] for text in texts]

    texts = [f"Sentence number {number} about item {number * 13 % 101}." for number in range(30)]
    flaky, undisturbed = Flaky(), Flaky()
    undisturbed.broken = False
    ledger = cf.Ledger(tmp_path / "a", "similarity@0.99", embedder=flaky)
    other = cf.Ledger(tmp_path / "b", "similarity@0.99", embedder=undisturbed)
    ledger.commit(ledger.update({"a": texts[:5]}))
    with pytest.raises(error, match="interrupted"):
        ledger.update({"b": texts[5:]})
    assert (ledger.sources(), ledger.pending()) == ({"a": 5}, None)
    flaky.broken = False
    for one in (ledger, other):
        one.commit(one.update({"a": texts[:5], "b": texts[5:]}))
    assert ledger.stored() == other.stored()


@pytest.mark.slow
def test_many_chunks_with_vectors_find_their_twins_and_nothing_else() -> None:
    draw = np.random.default_rng(5)
    count = 30_000
    vectors = draw.normal(size=(count, 64)).astype(np.float32)
    texts = [
        f"Item {number:06d} lies in shelf {number * 7907 % 99991} of hall {number % 89}."
        for number in range(count)
    ]
    twins = [number for number in draw.choice(count - 1, 1000, replace=False).tolist() if number % 2 == 0]
    for number in twins:
        vectors[number + 1], texts[number + 1] = vectors[number], texts[number]
    result = cf.filter_chunks(texts, "similarity@0.9", vectors=vectors)
    assert [(line.index, line.kept_by) for line in result.removed] == [
        (number + 1, (number,)) for number in sorted(twins)
    ]
