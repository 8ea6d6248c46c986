"""Files of a plan that are damaged or missing are refused by name, before anything changes."""

import json
import re

import pytest

from chunkfilter.errors import StoreError
from chunkfilter.storage import LinesFile
from chunkfilter.stores import apply_plan, make_plan, open_store, read_plan, undo_plan

HEAD = LinesFile("plan", 1, StoreError, "")


def spoiled(valid: bytes) -> dict[str, bytes]:
    return {
        "empty": b"",
        "truncated": valid[: len(valid) // 2],
        "zeros": b"\0" * 512,
        "not text": b"\x89PNG\r\n\x1a\n",
        "another root": b"[1, 2, 3]",
        "newer": valid.replace(b'"version":1', b'"version":999'),
        "byte order mark": b"\xef\xbb\xbf" + valid,
        "other line ends": valid.replace(b"\n", b"\r\n"),
        "twice": valid + valid,
        "deep": b'{"a":' * 3000 + b"1" + b"}" * 3000,
        "huge number": b'{"version": ' + b"9" * 6000 + b"}",
    }


@pytest.mark.parametrize("name", ["plan.jsonl", "rows.jsonl", "removed.jsonl"])
def test_a_damaged_plan_is_refused_by_name_before_anything_changes(chroma_object, tmp_path, name, pairs):
    store = open_store(chroma_object(pairs))
    plan = make_plan(store, "exact", tmp_path / "plan")
    path = plan.folder / name
    for kind, content in spoiled(path.read_bytes()).items():
        path.write_bytes(content)
        with pytest.raises(StoreError) as raised:
            apply_plan(store, read_plan(plan.folder))
        assert name in str(raised.value), kind
        assert path.read_bytes() == content, "the file must stay as it was"
    assert store.count() == 12


def test_a_damaged_undo_file_is_refused_by_name_and_never_overwritten(chroma_object, tmp_path, pairs):
    store = open_store(chroma_object(pairs))
    plan = make_plan(store, "exact", tmp_path / "plan")
    apply_plan(store, plan)
    path = plan.folder / "undo.jsonl"
    valid = path.read_bytes()
    for kind, content in spoiled(valid).items():
        path.write_bytes(content)
        with pytest.raises(StoreError) as raised:
            undo_plan(store, plan)
        assert "undo.jsonl" in str(raised.value), kind
        assert path.read_bytes() == content
    assert store.count() == 6
    path.write_bytes(valid)
    assert undo_plan(store, plan).restored == 6


@pytest.mark.parametrize("name", ["rows.jsonl", "removed.jsonl"])
def test_files_of_another_plan_are_refused(chroma_object, tmp_path, name, pairs):
    store = open_store(chroma_object(pairs))
    plan = make_plan(store, "exact", tmp_path / "plan")
    other = make_plan(open_store(chroma_object(pairs[:-1])), "exact", tmp_path / "other")
    (plan.folder / name).write_bytes((other.folder / name).read_bytes())
    with pytest.raises(StoreError, match=f"{name}: complete, but not the file that was written here"):
        apply_plan(store, read_plan(plan.folder))
    assert store.count() == 12


def test_the_undo_file_of_another_plan_is_refused(chroma_object, tmp_path, pairs):
    store = open_store(chroma_object(pairs))
    plan = make_plan(store, "exact", tmp_path / "plan")
    apply_plan(store, plan)
    kept = next(row.id for page in store.pages(vectors=False) for row in page)
    plan.save_rows(store.rows([kept]))
    with pytest.raises(StoreError, match=r"undo.jsonl: complete, but not the file that was written here"):
        undo_plan(store, plan)
    assert store.count() == 6


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("store", 5, "text"),
        ("policy", None, "text"),
        ("soft", "no", "true or false"),
        ("total", "12", "a whole number"),
        ("removed", "6", "a whole number"),
        ("removed", True, "a whole number"),
        ("removed", -1, "a whole number"),
        ("source_key", ["source"], "text or null"),
        ("with_vectors", 0, "true or false"),
        ("rows_digest", None, "text"),
    ],
)
def test_a_value_of_another_form_is_refused_with_its_key(
    chroma_object, tmp_path, pairs, key, value, expected
):
    plan = make_plan(open_store(chroma_object(pairs)), "exact", tmp_path / "plan")
    header = HEAD.read(plan.folder / "plan.jsonl")[0]
    HEAD.write(plan.folder / "plan.jsonl", header | {key: value}, ())
    message = f"plan.jsonl: line 1: '{key}': expected {expected}.*, got {re.escape(repr(value))}"
    with pytest.raises(StoreError, match=message):
        read_plan(plan.folder)


def test_without_its_journal_a_plan_is_only_undone_when_forced(chroma_object, tmp_path, pairs):
    store = open_store(chroma_object(pairs))
    plan = make_plan(store, "exact", tmp_path / "plan")
    apply_plan(store, plan)
    (plan.folder / "journal.jsonl").unlink()
    with pytest.raises(StoreError, match="--force"):
        undo_plan(store, plan)
    assert undo_plan(store, plan, force=True).restored == 6


def test_an_unknown_key_in_a_file_is_tolerated(chroma_object, tmp_path, pairs):
    store = open_store(chroma_object(pairs))
    plan = make_plan(store, "exact", tmp_path / "plan")
    (plan.folder / "journal.jsonl").write_text(json.dumps({"event": "note", "more": 1}) + "\n")
    assert apply_plan(store, read_plan(plan.folder)).rows == 6
