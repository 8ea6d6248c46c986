"""A plan that was stopped half way is finished by the next run, or undone."""

import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from chunkfilter.errors import StoreError
from chunkfilter.stores import Row, apply_plan, make_plan, open_store, read_plan, row, undo_plan
from chunkfilter.stores.journal import Journal


def rows_with_copies(count, copies, size=8):
    vectors = np.random.default_rng(2).normal(size=(count + copies, size)).astype(np.float32)
    texts = [f"Item {place} weighs {place * 7 % 1009} grams." for place in range(count)]
    return [
        Row(f"r{place:05}", text, {"n": place}, vectors[place])
        for place, text in enumerate(texts + texts[:copies])
    ]


class Stopped(BaseException):
    """As a kill: nothing of the program runs after it."""


@contextmanager
def stopped_after(store, count):
    """Stop the program in the block after this many writes to the store and the journal."""
    left = [count]

    def counted(function):
        def call(*args, **kwargs):
            if "sync interval" in args[1:2]:  # which only some stores have
                return function(*args, **kwargs)
            if left[0] == 0:
                raise Stopped
            left[0] -= 1
            return function(*args, **kwargs)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in ((type(store), "delete"), (type(store), "restore"), (Journal, "append")):
            patch.setattr(owner, name, counted(getattr(owner, name)))
        with pytest.raises(Stopped):
            yield


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(row, "BATCH", 3)


@pytest.fixture
def store(make):
    opened = open_store(make(rows_with_copies(12, 9)))
    yield opened
    opened.close()


# an event, three batches with an event each, an event
@pytest.mark.parametrize("writes", [0, 1, 2, 5, 7])
@pytest.mark.parametrize("finish", [True, False])
def test_apply_stopped_after_any_write_is_finished_or_undone(store, tmp_path, contents, writes, finish):
    before = contents(store)
    plan = make_plan(store, "exact", tmp_path / "plan")
    with stopped_after(store, writes):
        apply_plan(store, plan)
    if finish:
        applied = apply_plan(store, read_plan(plan.folder))
        assert (applied.rows, applied.resumed) == (12, writes > 0)
        assert not store.rows([one["id"] for one in plan.removals()])
    assert undo_plan(store, read_plan(plan.folder)).restored == (9 if finish else 3 * (writes // 2))
    assert contents(store) == before


@pytest.mark.parametrize("writes", [0, 1, 2, 3])
def test_undo_stopped_after_any_write_is_finished_by_the_next_run(store, tmp_path, contents, writes):
    before = contents(store)
    plan = make_plan(store, "exact", tmp_path / "plan")
    apply_plan(store, plan)
    with stopped_after(store, writes):
        undo_plan(store, plan)
    assert undo_plan(store, plan).conflicts == ()
    assert contents(store) == before


def test_a_stopped_apply_refuses_to_go_on_in_a_store_that_changed(store, tmp_path, contents):
    plan = make_plan(store, "exact", tmp_path / "plan")
    with stopped_after(store, 2):
        apply_plan(store, plan)
    kept = next(iter(contents(store).keys() - {one["id"] for one in plan.removals()}))
    store.delete([kept])
    with pytest.raises(StoreError, match="changed since the plan was made: 1 deleted"):
        apply_plan(store, plan)
    assert undo_plan(store, plan).restored == 3


def test_a_journal_that_another_process_begins_while_it_is_read_tells_of_no_change(tmp_path, monkeypatch):
    path, read = tmp_path / "journal.jsonl", Path.read_bytes
    path.touch()
    journal = Journal(path)

    def read_too_early(self):
        found = read(self)
        journal.append("changing")
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", read_too_early)
        assert journal.state is None
    assert journal.state == {"event": "changing"}


_KILLED = """
import os, signal, sys
from pathlib import Path
from chunkfilter.stores import apply_plan, open_store, read_plan, row, undo_plan
from chunkfilter.stores.journal import Journal

row.BATCH = 50
store, plan, left = open_store(sys.argv[1]), read_plan(Path(sys.argv[2])), [int(sys.argv[4])]

def kill_before(owner, name):
    function = getattr(owner, name)
    def call(*args, **kwargs):
        if "sync interval" not in args[1:2]:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
        return function(*args, **kwargs)
    setattr(owner, name, call)

for owner, name in ((type(store), "delete"), (type(store), "restore"), (Journal, "append")):
    kill_before(owner, name)
{"apply": apply_plan, "undo": undo_plan}[sys.argv[3]](store, plan)
"""


def killed_before_write(number, command, url, plan):
    """Runs apply or undo in another process, which is killed before its write with this number."""
    words = [sys.executable, "-c", _KILLED, url, str(plan.folder), command, str(number)]
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["chroma_folder", "qdrant_folder", "postgres_table"])
def test_a_process_killed_before_any_of_its_writes_is_finished_or_undone(
    kind, request, tmp_path, monkeypatch, contents
):
    monkeypatch.setattr(row, "BATCH", 50)
    url = request.getfixturevalue(kind)(rows_with_copies(200, 100))
    store = open_store(url)
    before = contents(store)
    for write in range(6):  # an event, two batches with an event each, an event
        plan = make_plan(store, "exact", tmp_path / f"plan{write}")
        store.close()
        killed_before_write(write, "apply", url, plan)
        store = open_store(url)
        deleted = 50 * (write // 2)
        assert store.count() == 300 - deleted
        if write % 2:
            applied = apply_plan(store, plan)
            assert (applied.rows, applied.resumed) == (200, True)
            deleted = 100
        assert undo_plan(store, plan).restored == deleted
        assert contents(store) == before
    plan = make_plan(store, "exact", tmp_path / "plan")
    for write in range(3):  # two batches, an event
        apply_plan(store, plan)
        store.close()
        killed_before_write(write, "undo", url, plan)
        store = open_store(url)
        assert store.count() == 200 + 50 * write
        assert undo_plan(store, plan).restored == 100 - 50 * write
        assert contents(store) == before
        if write == 2:
            break
        plan = make_plan(store, "exact", tmp_path / f"again{write}")
    store.close()
