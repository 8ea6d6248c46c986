"""The file of a ledger: what it refuses, who may read and write, what survives."""

import sqlite3
import threading
from datetime import date

import numpy as np
import pytest

import chunkfilter as cf
from chunkfilter.errors import InputError, LedgerError, MissingSignalError, PolicyError, TooManyRemovedError

PUMP = "The pump starts at six in the morning."
VALVE = "Valve B4 opens when the pressure reaches 12 bar."
PAGE = f"{VALVE} {PUMP} {VALVE}"  # the pump's sentence is at no edge


@pytest.fixture
def path(tmp_path):
    return tmp_path / "handbook.ledger"


def committed(ledger, sources, delete=()):
    change = ledger.update(sources, delete)
    ledger.commit(change)
    return change


def test_a_text_that_loses_its_stored_copy_is_restored(path):
    ledger = cf.Ledger(path)
    both = committed(ledger, {"a.md": [PAGE], "b.md": [PUMP]})
    assert [chunk.text for chunk in both.add] == [PAGE]
    assert both.also_in[both.add[0].id] == ("b.md",)
    left = committed(ledger, {}, ["a.md"])
    assert [(chunk.text, chunk.source) for chunk in left.add] == [(PUMP, "b.md")]
    assert left.delete == (both.add[0].id,)
    assert ledger.sources() == {"b.md": 1}


def test_a_shared_row_is_relabelled_when_its_source_leaves(path):
    ledger = cf.Ledger(path)
    first = committed(ledger, {"a.md": [PUMP], "b.md": [cf.Chunk(PUMP, "b1", {"page": 3})]})
    change = committed(ledger, {}, ["a.md"])
    assert (change.add, change.delete) == ((), ())
    assert change.relabel == (first.add[0].id,)
    assert [(chunk.source, chunk.metadata) for chunk in change.relabelled] == [("b.md", {"page": 3})]
    assert change.also_in == {first.add[0].id: ()}
    assert ledger.explain("b1") == f"chunk 0 of b.md: kept, row {first.add[0].id}"


def test_a_removed_chunk_is_explained(path):
    ledger = cf.Ledger(path)
    row = committed(ledger, {"a.md": [PAGE], "b.md": [cf.Chunk(PUMP, "b1")]}).add[0].id
    assert ledger.explain("b1").splitlines() == [
        "chunk 0 of b.md: removed by coverage, score 1",
        f"  covered by row {row}, chunk 0 of a.md",
    ]
    with pytest.raises(InputError, match="id 'b2': no chunk of the ledger"):
        ledger.explain("b2")


def test_until_the_commit_the_ledger_is_as_it_was(path):
    ledger = cf.Ledger(path)
    change = ledger.update({"a.md": [PUMP]})
    assert (ledger.sources(), ledger.stored()) == ({}, ())
    again = cf.Ledger(path).pending()
    assert (again.token, again.add[0].id) == (change.token, change.add[0].id)
    cf.Ledger(path).commit(again)
    assert ledger.pending() is None


def test_a_superseded_change_cannot_be_committed(path):
    ledger = cf.Ledger(path)
    change = ledger.update({"a.md": [PUMP]})
    other = ledger.update({"b.md": [VALVE]})
    assert change.add[0].id in other.delete  # the store may have taken it
    with pytest.raises(LedgerError, match="superseded by another update"):
        ledger.commit(change)
    ledger.commit(other)
    assert ledger.sources() == {"b.md": 1}


def test_a_refusal_writes_nothing(path):
    ledger = cf.Ledger(path, "exact max_removed=0.1")
    committed(ledger, {"a.md": [PUMP]})
    with pytest.raises(TooManyRemovedError):
        ledger.update({"b.md": [PUMP]})
    assert (ledger.pending(), ledger.sources()) == (None, {"a.md": 1})


def test_scope_and_keep_are_those_of_the_policy(path):
    ledger = cf.Ledger(path, "exact scope=tenant keep=newest:day")
    tenants = [cf.Chunk(PUMP, metadata={"tenant": tenant}) for tenant in ("x", "y", None, None)]
    assert len(committed(ledger, {"a.md": tenants}).add) == 4
    newer = cf.Chunk(PUMP, metadata={"tenant": "x", "day": date(2026, 1, 2)})
    change = committed(ledger, {"b.md": [newer]})
    assert [(chunk.source, chunk.metadata["day"]) for chunk in change.relabelled] == [
        ("b.md", date(2026, 1, 2))
    ]


def test_a_text_is_embedded_once_and_vectors_only_where_they_are_needed(path, tmp_path):
    asked = []

    def embed(texts):
        asked.extend(texts)
        return np.array([[len(text), 1.0] for text in texts])

    ledger = cf.Ledger(path, "similarity@0.99999 guards=none", embedder=embed)
    committed(ledger, {"a.md": [PUMP], "b.md": [PUMP]})
    committed(ledger, {"c.md": [PUMP, VALVE]})
    assert asked == [PUMP, VALVE]
    committed(cf.Ledger(tmp_path / "other", embedder=embed), {"a.md": [PUMP]})
    assert asked == [PUMP, VALVE]
    with pytest.raises(MissingSignalError, match="pass embedder="):
        cf.Ledger(path, "similarity@0.99999 guards=none").update({"d.md": ["Something new."]})


def test_a_policy_that_covers_nothing_is_refused(path):
    with pytest.raises(PolicyError, match="'random' removes is covered by nothing"):
        cf.Ledger(path, "random@0.5")
    assert not path.exists()


def test_a_ledger_of_another_policy_is_refused(path):
    cf.Ledger(path, "exact")
    with pytest.raises(LedgerError, match="a ledger of policy 'exact', got 'coverage'"):
        cf.Ledger(path)


@pytest.mark.parametrize("content", [b"no database at all, but a text of some length" * 40, b"", None])
def test_a_file_that_is_no_ledger_is_refused(path, content):
    if content is None:
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE notes (text)")
        connection.close()
    else:
        path.write_bytes(content)
    with pytest.raises(LedgerError, match=r"handbook\.ledger.*update a new ledger"):
        cf.Ledger(path)


def test_a_newer_ledger_is_refused(path):
    cf.Ledger(path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(LedgerError, match="version 99"):
        cf.Ledger(path)


def test_readers_go_on_while_one_writes_and_a_second_writer_is_told(path):
    committed(cf.Ledger(path), {"a.md": [PUMP]})
    begun, done = threading.Event(), threading.Event()

    class Slow:
        def encode(self, texts):
            return np.ones((len(texts), 2))

        def visible_ends(self, texts):
            begun.set()
            done.wait()
            return np.array([len(text) for text in texts])

    writer = threading.Thread(target=cf.Ledger(path, embedder=Slow()).update, args=({"b.md": [PUMP]},))
    writer.start()
    begun.wait()
    try:
        other = cf.Ledger(path, timeout=0.05)
        assert other.sources() == {"a.md": 1}
        with pytest.raises(LedgerError, match=r"another process has been writing to it for 0\.05 s"):
            other.update({"c.md": [VALVE]})
    finally:
        done.set()
        writer.join()
    assert other.pending() is not None


def test_check_names_what_was_changed_by_others(path):
    ledger = cf.Ledger(path)
    row = committed(ledger, {"a.md": [PAGE], "b.md": [PUMP]}).add[0].id
    assert ledger.check([row]) == ()
    assert ledger.check(["x"]) == (f"store: row {row} is missing", "store: row x was written by others")
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM stored")
    connection.close()
    assert ledger.check() == (
        "source 'a.md': chunk 0 is neither stored nor removed",
        "source 'b.md': chunk 0 was removed and what covers it is not stored",
    )


def test_texts_of_deleted_sources_are_forgotten(path):
    ledger = cf.Ledger(path)
    committed(ledger, {"a.md": [PUMP], "b.md": [VALVE]})
    committed(ledger, {}, ["a.md"])
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM body").fetchone() == (1,)
    connection.close()


@pytest.mark.parametrize(
    ("sources", "delete", "said"),
    [
        (["a.md"], (), "expected a mapping"),
        ({"a.md": PUMP}, (), "expected an iterable of Chunk or str"),
        ({"": [PUMP]}, (), "source ''"),
        ({"a.md": [PUMP]}, ["a.md"], "both given and to be deleted"),
        ({}, "a.md", "expected a list of names"),
        ({"a.md": [cf.Chunk(PUMP, metadata={"x": object()})]}, (), "metadata that a ledger cannot keep"),
    ],
)
def test_wrong_arguments(path, sources, delete, said):
    ledger = cf.Ledger(path)
    with pytest.raises(InputError, match=said):
        ledger.update(sources, delete)
    assert ledger.pending() is None
