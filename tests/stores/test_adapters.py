"""What every adapter must do, against the real store."""

import numpy as np
import pytest

from chunkfilter.errors import StoreError
from chunkfilter.stores import Row, open_store


def odd_rows() -> list[Row]:
    values = np.random.default_rng(0).normal(size=(6, 16)).astype(np.float32)
    # a subnormal, a large one, a signed zero, no short decimal
    values[0, :4] = (1e-42, 3.4e18, -0.0, 0.1)
    return [
        Row("k1", "Kept text.", {"a": 1, "f": 2.5, "t": True, "l": ["x", "y"]}, values[0]),
        Row("d1", "Kept text.", None, values[1]),
        Row("d2", "Kept text.", {"only": "d2"}, values[2]),
        Row("none", None, {"m": 1}, values[3]),
        Row("empty", "", None, values[4]),
        Row("é\n../x'\"%s", "Other, é, \U0001f600.", {"big": 2**53 + 1}, values[5]),
    ]


@pytest.fixture
def store(make):
    opened = open_store(make(odd_rows()))
    yield opened
    opened.close()


def by_id(rows):
    return {row.id: row for row in rows}


def test_pages_hold_every_row_once_in_a_stable_order_and_vectors_only_when_asked_for(store):
    first = [row.id for page in store.pages(vectors=False) for row in page]
    assert store.count() == len(first) == len(set(first)) == 6
    assert first == [row.id for page in store.pages(vectors=True) for row in page]
    assert all(row.vector is None for page in store.pages(vectors=False) for row in page)


def test_texts_metadata_and_vectors_are_those_that_were_stored(store, make):
    found = by_id(row for page in store.pages(vectors=True) for row in page)
    for row in odd_rows():
        stored = found[make.id(row.id)]
        assert stored.text == row.text
        assert (stored.metadata or None) == row.metadata
        assert stored.vector.dtype == np.float32
        assert stored.vector.tobytes() == row.vector.tobytes()


def test_rows_ignores_ids_that_do_not_exist(store, make):
    assert by_id(store.rows([make.id("d1"), make.id("nobody")])).keys() == {make.id("d1")}


def test_what_is_deleted_and_restored_reads_as_before(store, make, contents):
    before = contents(store)
    deleted = [make.id(one) for one in ("d1", "none", "empty", "é\n../x'\"%s")]
    rows = store.rows(deleted)
    store.delete(deleted)
    assert contents(store).keys() == {make.id("k1"), make.id("d2")}
    store.restore(rows)
    assert contents(store) == before


def test_deleting_nothing_or_ids_that_do_not_exist_changes_nothing(store, make):
    for ids in ([make.id("nobody")], []):
        store.delete(ids)
        assert store.count() == 6


def test_marks_come_and_go_without_touching_the_rest(store, make, contents):
    before = contents(store)
    d1, k1 = make.id("d1"), make.id("k1")
    store.mark({d1: {"duplicate": True, "group": "k1"}, k1: {"group": "k1"}})
    marked = by_id(store.rows([d1, k1]))
    assert marked[d1].metadata == {"duplicate": True, "group": "k1"}
    assert marked[k1].metadata == {"a": 1, "f": 2.5, "t": True, "l": ["x", "y"], "group": "k1"}
    store.mark({d1: {"duplicate": None, "group": None}, k1: {"group": None}})
    unmarked = by_id(store.rows([d1, k1]))
    assert not unmarked[d1].metadata
    assert unmarked[k1].metadata == {"a": 1, "f": 2.5, "t": True, "l": ["x", "y"]}
    if make.exact_marks:
        assert contents(store) == before


def test_the_nearest_row_to_its_own_vector_is_itself(store, make):
    rows = [row for row in odd_rows() if row.id != "k1"]
    found = store.query(np.array([row.vector for row in rows]), 2)
    assert [ids[0] for ids in found] == [make.id(row.id) for row in rows]
    assert all(len(ids) == 2 for ids in found)


def test_the_index_is_described(store):
    assert store.index.kind in {"hnsw", "exact", "ivfflat"}
    assert store.index.distance in {"cosine", "l2", "ip"}


def test_a_second_lock_is_refused_until_the_first_is_let_go(store):
    with store.lock(), pytest.raises(StoreError, match="another run of chunkfilter"), store.lock():
        pass
    with store.lock():
        pass
