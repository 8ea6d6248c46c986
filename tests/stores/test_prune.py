"""Plan, apply, undo, against every store."""

import json
import stat

import numpy as np
import pytest

import chunkfilter as cf
from chunkfilter.errors import StoreError
from chunkfilter.stores import Row, apply_plan, make_plan, open_store, read_plan, undo_plan


def some_rows(count: int = 30, copies: int = 6) -> list[Row]:
    """Distinct rows, then copies of the first ones."""
    vectors = np.random.default_rng(1).normal(size=(count + copies, 16)).astype(np.float32)
    texts = [f"Row {place} tells of item {place * 13 % 101}." for place in range(count)]
    return [
        Row(f"i{place}", text, {"n": place, "source": f"doc{place % 3}"}, vectors[place])
        for place, text in enumerate(texts + texts[:copies])
    ]


@pytest.fixture
def store(make):
    opened = open_store(make(some_rows()))
    yield opened
    opened.close()


@pytest.fixture
def forbid_changes(monkeypatch, store):
    """Fail the test if the store is asked to change anything."""

    def refuse(*_args):
        raise AssertionError("the store was asked to change")

    for method in ("delete", "restore", "mark"):
        monkeypatch.setattr(type(store), method, refuse)


def test_a_plan_changes_nothing_and_names_what_covers_each_removed_row(
    store, tmp_path, forbid_changes, make, contents
):
    before = contents(store)
    plan = make_plan(store, "exact", tmp_path / "plan")
    assert (plan.total, plan.removed) == (36, 6)
    # which of two copies comes first is the store's order, by id in most
    named = {frozenset([one["id"], *one["kept_by"]]) for one in plan.removals()}
    assert named == {frozenset([make.id(f"i{place}"), make.id(f"i{30 + place}")]) for place in range(6)}
    assert contents(store) == before


def test_the_certificate_of_a_plan_holds_for_the_stored_texts(store, tmp_path):
    plan = make_plan(store, "exact", tmp_path / "plan")
    texts = [row.text for page in store.pages(vectors=False) for row in page]
    cf.FilterResult.load(plan.folder / "result.jsonl").verify(texts)


def test_apply_deletes_what_the_plan_names_and_undo_restores_it_exactly(store, tmp_path, contents):
    before = contents(store)
    plan = make_plan(store, "exact", tmp_path / "plan")
    applied = apply_plan(store, read_plan(tmp_path / "plan"))
    assert (applied.removed, applied.rows) == (6, 30)
    assert contents(store).keys() == before.keys() - {one["id"] for one in plan.removals()}
    undone = undo_plan(store, read_plan(plan.folder))
    assert (undone.restored, undone.conflicts, undone.inexact) == (6, (), ())
    assert contents(store) == before


def test_a_second_apply_or_undo_does_nothing_and_an_undone_plan_can_be_applied_again(store, tmp_path):
    plan = make_plan(store, "exact", tmp_path / "plan")
    for _ in range(2):
        apply_plan(store, plan)
        assert apply_plan(store, plan).already
        assert store.count() == 30
        undo_plan(store, plan)
        again = undo_plan(store, plan)
        assert (again.restored, again.present) == (0, 6)
        assert store.count() == 36


def test_an_empty_plan_asks_the_store_for_no_change(store, tmp_path, forbid_changes):
    plan = make_plan(store, "none", tmp_path / "plan")
    assert apply_plan(store, plan).removed == 0
    assert undo_plan(store, plan).restored == 0


def test_a_store_that_changed_since_the_plan_is_refused(store, tmp_path, make):
    plan = make_plan(store, "exact", tmp_path / "plan")
    store.delete([make.id("i9")])
    store.mark({make.id("i2"): {"source": "another"}})
    with pytest.raises(StoreError, match=rf"1 changed .*{make.id('i2')}.* 1 deleted .*{make.id('i9')}"):
        apply_plan(store, plan)
    assert store.count() == 35


def test_an_id_that_exists_again_is_reported_and_not_overwritten(store, tmp_path):
    plan = make_plan(store, "exact", tmp_path / "plan")
    removed = next(plan.removals())["id"]
    rows = store.rows([removed])
    apply_plan(store, plan)
    store.restore(rows)
    store.mark({removed: {"n": 999}})
    undone = undo_plan(store, plan)
    assert (undone.restored, undone.conflicts) == (5, (removed,))
    assert store.rows([removed])[0].metadata["n"] == 999


@pytest.mark.parametrize(
    ("policy", "key"),
    [("exact scope=tenat", "tenat"), ("exact keep=newest:dat", "dat"), ("exact keep=best-score", "score")],
)
def test_a_key_that_no_row_has_is_refused_with_those_that_are_there(make, tmp_path, policy, key):
    one = Row("one", "Another row.", {"tenant": "a"}, some_rows(1, 0)[0].vector)
    store = open_store(make([*some_rows(4, 1), one]))
    with pytest.raises(StoreError, match=rf"no row has a value under '{key}', .* keys of the rows: .*'n'"):
        make_plan(store, policy, tmp_path / "plan")
    assert make_plan(store, "exact scope=n", tmp_path / "plan").removed == 0
    assert make_plan(store, "exact scope=tenant", tmp_path / "one").removed == 0, (
        "one row with the key is enough"
    )
    store.close()


def test_a_policy_that_reads_vectors_reads_those_of_the_store(make, tmp_path):
    rows = some_rows(10, 0)
    near = rows[3].vector * np.float32(1.001)
    store = open_store(make([*rows, Row("near", "Row 3 says a little more.", None, near)]))
    plan = make_plan(store, "similarity@0.99 guards=none", tmp_path / "plan")
    assert [{one["id"], *one["kept_by"]} for one in plan.removals()] == [{make.id("near"), make.id("i3")}]
    store.close()


def test_a_soft_plan_marks_the_cluster_and_undo_removes_the_marks(store, tmp_path, make, contents):
    before = contents(store)
    metadata = {row.id: row.metadata for row in store.rows(list(before))}
    plan = make_plan(store, "exact", tmp_path / "plan", soft=True)
    applied = apply_plan(store, plan)
    assert store.count() == 36
    assert applied.how_to_query
    removed, (kept,) = next((one["id"], one["kept_by"]) for one in plan.removals())
    marks = {row.id: row.metadata for row in store.rows([removed, kept])}
    assert marks[removed]["duplicate_cluster_id"] == marks[kept]["duplicate_cluster_id"] == kept
    assert marks[removed]["duplicate"] is True
    assert "duplicate" not in marks[kept]
    undo_plan(store, plan)
    assert {row.id: row.metadata for row in store.rows(list(before))} == metadata
    if make.exact_marks:
        assert contents(store) == before


def test_marks_of_rows_that_are_away_are_removed_once_they_are_back(store, tmp_path, contents):
    metadata = {row.id: row.metadata for row in store.rows(list(contents(store)))}
    soft = make_plan(store, "exact", tmp_path / "soft", soft=True)
    apply_plan(store, soft)
    hard = make_plan(store, "exact", tmp_path / "hard")
    apply_plan(store, hard)
    undone = undo_plan(store, soft)
    assert undone.missing == 6
    undo_plan(store, hard)
    again = undo_plan(store, soft)
    assert (again.restored, again.present, again.missing) == (6, 0, 0)
    assert {row.id: row.metadata for row in store.rows(list(metadata))} == metadata
    assert undo_plan(store, soft).restored == 0


def test_rows_without_a_text_are_never_judged(make, tmp_path):
    rows = some_rows(4, 0)
    images = [Row(f"image{place}", None, {"m": 1}, rows[place].vector) for place in range(2)]
    store = open_store(make([*rows, *images]))
    plan = make_plan(store, "exact", tmp_path / "plan")
    assert (plan.total, plan.removed) == (6, 0)
    store.close()


def test_a_plan_folder_is_private_and_holds_the_removed_texts(store, tmp_path):
    plan = make_plan(store, "exact", tmp_path / "plan")
    apply_plan(store, plan)
    assert stat.S_IMODE(plan.folder.stat().st_mode) == 0o700
    files = {path.name: stat.S_IMODE(path.stat().st_mode) for path in plan.folder.iterdir()}
    assert set(files.values()) == {0o600}
    undo = [json.loads(line) for line in (plan.folder / "undo.jsonl").read_text().splitlines()]
    assert [line["text"] for line in undo if "id" in line] == [one["text"] for one in plan.removals()]


def test_the_summary_names_the_metadata_in_which_copies_differ(store, tmp_path):
    plan = make_plan(store, "exact", tmp_path / "plan")
    summary = (plan.folder / "summary.txt").read_text()
    assert "removed and kept rows differ (first 1000 rows): n (6)" in summary
    assert "36; 6 would be deleted (16.7%)" in summary
