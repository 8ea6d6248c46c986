"""Tuning walks from safe to bold, stops at the first failure, and reports on other documents."""

import json
from pathlib import Path
from typing import Any

import pytest

import chunkfilter as cf
from chunkfilter.cli.main import main
from chunkfilter.demo import load_documents, questions_file
from chunkfilter.errors import DatasetError, InputError
from chunkfilter.evaluate.halves import SAMPLE, halves, sampled_sentences
from chunkfilter.evaluate.statistics import upper_share
from chunkfilter.evaluate.tune import SEQUENCE, fewest_questions


@pytest.fixture(scope="module")
def demo() -> cf.Dataset:
    with questions_file() as path:
        return cf.Dataset("demo", load_documents(), cf.load_questions(path))


def test_the_halves_share_no_document_and_questions_follow_their_references(demo: cf.Dataset) -> None:
    first, second = halves(demo, seed=0)
    assert set(first.documents) | set(second.documents) == set(demo.documents)
    assert not set(first.documents) & set(second.documents)
    for half in (first, second):
        for question in half.questions:
            assert {reference.source for reference in question.references} <= set(half.documents)


def test_sampled_sentences_stand_in_their_documents() -> None:
    documents = {"a": "One two three four five six. No.\nSeven eight nine ten eleven twelve!", "b": "Short."}
    questions = sampled_sentences(documents, 10, seed=0)
    assert [question.text for question in questions] == [
        "One two three four five six.",
        "Seven eight nine ten eleven twelve!",
    ]
    for question in questions:
        (reference,) = question.references
        assert documents["a"][reference.start : reference.end] == reference.text


def test_one_document_is_not_enough() -> None:
    with pytest.raises(DatasetError, match="at least two"):
        halves(cf.Dataset("one", {"a": "text"}, ()), 0)


@pytest.mark.parametrize("value", [0.0, 1.5, "0.01", [0.01], True, 1j])
@pytest.mark.parametrize("name", ["max_recall_loss", "target_size"])
def test_goals_that_are_no_shares_are_refused(demo: cf.Dataset, name: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"{name}: got .*; expected more than 0"):
        cf.tune(demo, "recursive:400:200", **{name: value})


def test_the_walk_stops_at_the_first_policy_that_fails(demo: cf.Dataset) -> None:
    tuned = cf.tune(demo, "recursive:400:200", max_recall_loss=0.2)
    assert [row.policy for row in tuned.tried] == list(SEQUENCE[: len(tuned.tried)])
    passed = [row for row in tuned.tried if row.verdict == "non-inferior"]
    assert tuned.policy == (passed[-1].policy if passed else None)
    assert (tuned.failed is None) == (len(passed) == len(tuned.tried))
    assert (tuned.report is None) == (tuned.policy is None)


def test_without_questions_sampled_sentences_decide(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("handbook-v2/sensors.md", "handbook-v3/sensors.md", "notes/design-rationale.md"):
        (tmp_path / name.replace("/", "-")).write_text(load_documents()[name])
    code = main(["tune", str(tmp_path), "--chunker", "recursive:400:0", "--max-recall-loss", "0.2", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["sampled"]
    assert told["measure"] == "evidence_retention"
    assert code == (0 if told["policy"] else 1)


def test_with_one_question_fewer_a_policy_that_loses_nothing_cannot_pass() -> None:
    needed = fewest_questions(0.01, sampled=True)
    assert upper_share(0, needed) < 0.01 <= upper_share(0, needed - 1)
    assert needed <= SAMPLE
    assert fewest_questions(0.01, sampled=False) == 20


def test_halves_that_are_too_small_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("pump", "valve"):
        (tmp_path / f"{name}.md").write_text(f"The {name} is checked by trained staff every week.")
    command = ["tune", str(tmp_path), "--chunker", "recursive:400:0", "--max-recall-loss", "0.2"]
    assert main(command) == 1
    assert (
        "the half it is tuned on has 1, the half it is reported on has 1; expected at least 20 in each"
        in (capsys.readouterr().out)
    )
    assert main([*command, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["questions"], told["needed"], told["policy"]) == ([1, 1], 20, None)
    assert "Too few questions" in told["too_small"]
