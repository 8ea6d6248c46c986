"""Soft plans over the same rows: undo changes only what still holds the plan's own marks."""

import pytest

from chunkfilter.cli.main import main
from chunkfilter.stores import Row, apply_plan, make_plan, open_store, undo_plan
from chunkfilter.stores.plan import purge_plan


@pytest.fixture(params=["chroma_object", "qdrant_folder"])
def store(request, pairs):
    """Twelve rows, each text twice, of which some have the two keys already."""
    own = {0: {"duplicate_cluster_id": "mine"}, 6: {"duplicate": False, "duplicate_cluster_id": "mine too"}}
    rows = [
        Row(row.id, row.text, {**row.metadata, "m": 100 - place, **own.get(place, {})}, row.vector)
        for place, row in enumerate(pairs)
    ]
    opened = open_store(request.getfixturevalue(request.param)(rows))
    yield opened
    opened.close()


def metadata(store) -> dict:
    return {row.id: dict(row.metadata) for page in store.pages(vectors=False) for row in page}


def applied(store, policy, folder, *, soft=True):
    plan = make_plan(store, policy, folder, soft=soft)
    apply_plan(store, plan)
    return plan


def test_a_plan_below_another_one_leaves_the_marks_of_the_upper(store, tmp_path):
    own = metadata(store)
    lower = applied(store, "exact keep=newest:n", tmp_path / "lower")
    lower_marks = metadata(store)
    upper = applied(store, "exact keep=newest:m", tmp_path / "upper")
    both = metadata(store)
    left = undo_plan(store, lower)
    assert set(left.conflicts) == set(own)
    assert left.restored == 0
    assert metadata(store) == both
    assert undo_plan(store, upper).conflicts == ()
    assert metadata(store) == lower_marks
    assert undo_plan(store, lower).conflicts == ()
    assert metadata(store) == own


def test_equal_marks_of_two_plans_never_take_the_place_of_the_users_own_keys(store, tmp_path):
    own = metadata(store)
    first = applied(store, "exact", tmp_path / "first")
    second = applied(store, "exact", tmp_path / "second")
    assert undo_plan(store, first).conflicts == ()
    assert metadata(store) == own
    undone = undo_plan(store, second)
    assert undone.restored == 0
    assert len(undone.conflicts) == 12
    assert metadata(store) == own


def test_a_repeat_touches_only_the_rows_that_were_missing(store, tmp_path):
    own = metadata(store)
    soft = applied(store, "exact", tmp_path / "soft")
    hard = applied(store, "exact", tmp_path / "hard", soft=False)
    assert undo_plan(store, soft).missing == 6
    undo_plan(store, hard)
    later = applied(store, "exact", tmp_path / "later")
    marked = metadata(store)
    repeat = undo_plan(store, soft)
    missing = {removal["id"] for removal in soft.removals()}
    assert (repeat.restored, repeat.present, repeat.conflicts, repeat.missing) == (6, 0, (), 0)
    assert metadata(store) == {one: (own if one in missing else marked)[one] for one in own}
    undo_plan(store, later)
    assert metadata(store) == own
    assert "marks.jsonl" in purge_plan(soft.folder)
    assert not soft.folder.exists()


def test_the_command_names_the_rows_that_hold_other_marks(chroma_folder, tmp_path, pairs, capsys):
    url = chroma_folder(pairs)
    for name, policy in (("lower", "exact keep=newest:n"), ("upper", "exact")):
        words = ["prune", url, "--policy", policy, "--soft", "--plan", str(tmp_path / name), "--apply"]
        assert main(words) == 0
    assert main(["undo", str(tmp_path / "lower")]) == 1
    said = capsys.readouterr().out
    assert "12 rows hold other marks by now" in said
    assert "'p0'" in said
    assert [main(["undo", str(tmp_path / name)]) for name in ("upper", "lower")] == [0, 0]
