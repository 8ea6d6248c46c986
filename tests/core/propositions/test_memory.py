"""A model is asked once a passage; its failures cost nothing but their own passage."""

import sqlite3

import pytest

from chunkfilter.errors import InputError, PropositionError
from chunkfilter.propositions import PropositionMemory


class Shouting:
    """Says passages in capitals; raises for a batch with a passage it hates."""

    name = "shouting"

    def __init__(self, hated: str = "never") -> None:
        self.hated = hated
        self.asked: list[list[str]] = []

    def propositions(self, passages, /):
        self.asked.append(list(passages))
        if any(self.hated in passage for passage in passages):
            raise RuntimeError(f"I hate {self.hated}")
        return [[passage.upper(), " "] for passage in passages]


def test_each_distinct_passage_is_asked_for_once():
    model = Shouting()
    memory = PropositionMemory(model)
    assert memory.propositions(["a", "b", "a"]) == [("A",), ("B",), ("A",)]
    assert memory.propositions(["b", "c"]) == [("B",), ("C",)]
    assert model.asked == [["a", "b"], ["c"]]
    assert memory.propositions([]) == []


def test_one_passage_that_makes_the_model_fail_does_not_cost_the_others(caplog):
    memory = PropositionMemory(Shouting(hated="b"))
    assert memory.propositions(["a", "b", "c"]) == [("A",), None, ("C",)]
    assert [(one.passage, one.reason) for one in memory.failures] == [("b", "RuntimeError: I hate b")]
    assert "a passage of 1 characters keeps its text: RuntimeError: I hate b" in caplog.text
    assert memory.propositions(["b"]) == [None]
    assert len(memory.failures) == 1


class Answering:
    def __init__(self, *answers) -> None:
        self.answers = answers

    def propositions(self, passages, /):
        return self.answers


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ([], "PropositionError: got no proposition"),
        (["  "], "PropositionError: got no proposition"),
        ("text", "got 'text'; expected a list of sentences"),
        (None, "'NoneType' object is not iterable"),
        ({"a": 1}, "expected a list of sentences"),
        (ValueError, "is not iterable"),
        ([1], r"got \[1\]; expected a list of sentences"),
        (ValueError("no"), "ValueError: no"),
    ],
)
def test_an_answer_that_states_nothing_is_a_failure(answer, reason):
    memory = PropositionMemory(Answering(answer))
    assert memory.propositions(["a"]) == [None]
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(memory.failures[0].reason)


def test_a_model_that_does_not_answer_each_passage_is_an_error():
    with pytest.raises(PropositionError, match="Answering: 1 answers for 2 passages; expected one each"):
        PropositionMemory(Answering(["A"])).propositions(["a", "b"])


def test_many_failures_in_a_row_are_the_models():
    passages = [f"bad {number}" for number in range(30)]
    with pytest.raises(PropositionError, match="20 passages in a row failed; the last: RuntimeError: I hate"):
        PropositionMemory(Shouting(hated="bad")).propositions(passages)


def test_propositions_stay_on_disk_by_model_and_failures_do_not(tmp_path):
    PropositionMemory(Shouting(hated="b"), tmp_path).propositions(["a", "b", "\ud800"])
    later = Shouting()
    assert PropositionMemory(later, tmp_path).propositions(["a", "b", "\ud800"]) == [
        ("A",),
        ("B",),
        ("\ud800",),
    ]
    assert later.asked == [["b"]]
    other = Shouting()
    other.name = "other"
    PropositionMemory(other, tmp_path).propositions(["a"])
    assert other.asked == [["a"]]
    assert (tmp_path / "propositions.sqlite").stat().st_mode & 0o777 == 0o600


def test_damaged_rows_and_files_are_asked_for_again(tmp_path, caplog):
    PropositionMemory(Shouting(), tmp_path).propositions(["a"])
    path = tmp_path / "propositions.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("UPDATE propositions SET sentences = '[\"forged\"]'")
    database.close()
    assert PropositionMemory(Shouting(), tmp_path).propositions(["a"]) == [("A",)]
    path.write_bytes(b"no database" * 100)
    assert PropositionMemory(Shouting(), tmp_path).propositions(["a"]) == [("A",)]
    assert "start anew" in caplog.text
    again = Shouting()
    assert PropositionMemory(again, tmp_path).propositions(["a"]) == [("A",)]
    assert again.asked == []


def test_a_folder_that_cannot_be_used_only_costs_time(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    assert PropositionMemory(Shouting(), tmp_path / "file").propositions(["a"]) == [("A",)]
    assert "are not used" in caplog.text


def test_a_model_without_a_name_is_not_stored(tmp_path):
    with pytest.raises(InputError, match="Answering: name is None; expected a text"):
        PropositionMemory(Answering(), tmp_path)
