"""Collections with distance cosine keep vectors normalised: what is put back may differ by their rounding."""

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings

from chunkfilter.stores import apply_plan, make_plan, open_store, undo_plan


@pytest.fixture
def store(tmp_path):
    client = chromadb.PersistentClient(tmp_path / "db", Settings(anonymized_telemetry=False))
    collection = client.create_collection(
        "rows", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    collection.add(
        ids=[f"i{place}" for place in range(1200)],
        documents=[f"Row {place % 600}." for place in range(1200)],
        embeddings=np.random.default_rng(3).normal(size=(1200, 48)).astype(np.float32),
    )
    client.close()
    opened = open_store(f"chroma:{tmp_path / 'db'}#rows")
    yield opened
    opened.close()


def vectors(store):
    return {row.id: row.vector for page in store.pages(vectors=True) for row in page}


def test_vectors_that_come_back_with_other_bits_are_named_and_differ_in_the_last_place(store, tmp_path):
    before = vectors(store)
    plan = make_plan(store, "exact", tmp_path / "plan")
    assert apply_plan(store, plan).removed == 600
    undone = undo_plan(store, plan)
    after = vectors(store)
    changed = {one for one in before if before[one].tobytes() != after[one].tobytes()}
    assert set(undone.inexact) == changed
    for one in changed:
        np.testing.assert_allclose(after[one], before[one], rtol=3e-7)


def test_rows_whose_vectors_were_rounded_are_no_conflicts(store, tmp_path):
    plan = make_plan(store, "exact", tmp_path / "plan")
    for _ in range(2):
        assert apply_plan(store, plan).rows == 600
        assert undo_plan(store, plan).restored == 600
    again = undo_plan(store, plan)
    assert (again.present, again.restored, again.conflicts) == (600, 0, ())
