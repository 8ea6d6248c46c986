"""Whatever is passed: a result that keeps its promises, or an error that is declared.

Each test goes on for its share of ``FUZZ_SECONDS``, with a new seed for every hundred examples.
"""

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import chunkfilter as cf
from chunkfilter.cli.main import main
from chunkfilter.errors import ChunkFilterError
from chunkfilter.text.inert import inert, inert_cell, inert_html, inert_line
from chunkfilter.text.normalise import normalise, tokens
from chunkfilter.text.sentences import sentences

from .inputs import EDITS, ITEMS, POLICIES, TEXTS, VALUES, edited, overwritten, signals

TESTS = 7
SHARE = float(os.environ.get("FUZZ_SECONDS", "600")) / TESTS


def for_its_share(strategy: st.SearchStrategy[Any], check: Callable[[Any], None]) -> None:
    """Try inputs until the time is up."""
    end, number = time.monotonic() + SHARE, int(os.environ.get("FUZZ_SEED", "0"))
    while time.monotonic() < end:
        number += 1

        @seed(number)
        @settings(
            max_examples=100,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        )
        @given(strategy)
        def attempt(value: Any) -> None:
            check(value)

        attempt()


@contextlib.contextmanager
def only_declared() -> Iterator[None]:
    with contextlib.suppress(ChunkFilterError):
        yield


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def test_policies() -> None:
    def check(text: Any) -> None:
        with only_declared():
            policy = cf.Policy.parse(text)
            assert cf.Policy.parse(str(policy)) == policy
            assert len(policy.fingerprint) == 16

    for_its_share(POLICIES | st.text() | VALUES, check)


@st.composite
def _runs(draw: st.DrawFn) -> tuple[list[Any], list[Any], str, dict[str, Any]]:
    chunks, existing = draw(ITEMS), draw(st.just([]) | ITEMS)
    return chunks, existing, draw(POLICIES), draw(signals(len(chunks) + len(existing)))


def _run(run: tuple[list[Any], list[Any], str, dict[str, Any]]) -> tuple[cf.FilterResult, dict[str, Any]]:
    chunks, existing, policy, given_signals = run
    return cf.filter_chunks(chunks, policy, existing=existing, **given_signals), given_signals


def test_filtering_and_its_certificate(folder: Path) -> None:
    def check(run: Any) -> None:
        with only_declared():
            result, given_signals = _run(run)
            removed = [removal.index for removal in result.removed]
            assert sorted([*result.kept, *removed]) == list(range(len(run[0])))
            result.verify(run[0], existing=run[1], **given_signals)
            result.occurrences(run[0])
            result.save(folder / "r.jsonl")
            assert cf.FilterResult.load(folder / "r.jsonl") == result

    for_its_share(_runs(), check)


def test_saved_results(folder: Path) -> None:
    result = cf.filter_chunks(["Salt is dry.", "Salt  is dry.", "a b c d 1", "a b c d 2"], "minhash@0.1")
    result.save(folder / "r.jsonl")
    content = (folder / "r.jsonl").read_bytes()

    def check(edits: Any) -> None:
        (folder / "r.jsonl").write_bytes(edited(content, edits))
        with only_declared():
            cf.FilterResult.load(folder / "r.jsonl")

    for_its_share(EDITS, check)


def test_damaged_ledgers(folder: Path) -> None:
    path = folder / "handbook.ledger"
    texts = [f"The pump number {number} starts at six." for number in range(60)]
    ledger = cf.Ledger(path)
    ledger.commit(ledger.update({"a": texts, "b": texts[:30]}))
    content = path.read_bytes()

    def check(change: Any) -> None:
        for name in folder.iterdir():
            name.unlink()
        path.write_bytes(change[0](content, change[1]))
        with only_declared():
            damaged = cf.Ledger(path)
            damaged.check()
            damaged.commit(damaged.update({"c": ["The pump number 7 starts at six.", "Salt."]}, ["a"]))

    for_its_share(st.tuples(st.sampled_from([edited, overwritten]), EDITS), check)


def test_texts_alone() -> None:
    def check(text: str) -> None:
        assert "".join(tokens(text)) == normalise(text).replace(" ", "")
        assert "".join(sentences(text).texts).replace(" ", "") == normalise(text).replace(" ", "")
        for made in (inert(text), inert_line(text), inert_html(text)):
            made.encode()
        inert_cell(text)
        with only_declared():
            for chunk in cf.split(text, "recursive:20:5"):
                assert text[chunk.start : chunk.end] == chunk.text

    for_its_share(TEXTS, check)


def test_data_files(folder: Path) -> None:
    squad = {
        "data": [
            {
                "title": "t",
                "paragraphs": [
                    {
                        "context": "Salt is dry.",
                        "qas": [
                            {"id": "1", "question": "What?", "answers": [{"text": "Salt", "answer_start": 0}]}
                        ],
                    }
                ],
            }
        ]
    }
    kinds = {
        "squad.json": json.dumps(squad).encode(),
        "lines.jsonl": b'{"question": "What?", "references": [{"text": "Salt", "source": "d"}]}\n',
        "questions.csv": b"question,references,corpus_id\n"
        b'What?,"[{""content"": ""Salt"", ""start_index"": 0, ""end_index"": 4}]",d\n',
        "documents.jsonl": b'{"id": "d", "text": "Salt is dry."}\n',
    }

    def check(change: Any) -> None:
        name, edits = change
        (folder / name).write_bytes(edited(kinds[name], edits))
        for load in (cf.load_questions, cf.load_dataset):
            with only_declared():
                load(folder / name)

    for_its_share(st.tuples(st.sampled_from(sorted(kinds)), EDITS), check)


def test_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chunks = folder / "chunks.jsonl"
    lines = [
        {"id": "a", "text": "Salt is dry.", "source": "s", "spans": [[0, 12]]},
        {"id": 2, "text": "salt is dry"},
    ]
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    given_words = st.sampled_from(
        ["coverage", "exact", "minhash@0.3 guards=none", "exact scope=source", "nothing"]
    )

    def check(change: Any) -> None:
        edits, policy = change
        chunks.write_bytes(edited(content, edits))
        result, kept = str(folder / "r.jsonl"), str(folder / "kept.jsonl")
        codes = [main(["filter", str(chunks), "-o", kept, "--result", result, "--policy", policy])]
        if codes == [0]:
            codes += [main([command, result, str(chunks)]) for command in ("verify", "explain")]
            codes.append(main(["explain", result, str(chunks), "--conflicts"]))
        assert set(codes) <= {0, 2}
        shown = capsys.readouterr()
        assert "\x1b" not in shown.out + shown.err

    for_its_share(st.tuples(st.just([]) | EDITS, given_words), check)
