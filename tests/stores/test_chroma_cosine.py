"""Collections with distance cosine keep vectors normalised, and yet get back what they held, bit for bit."""

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings

from chunkfilter.stores import apply_plan, make_plan, open_store, undo_plan
from chunkfilter.stores.chroma_vectors import read_back, writable
from chunkfilter.stores.row import full_digest


def vectors(count, size, *, unit):
    values = np.random.default_rng(3).normal(size=(count, size)).astype(np.float32)
    return (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float32) if unit else values


def contents(store):
    ids = [row.id for page in store.pages(vectors=False) for row in page]
    return {row.id: full_digest(row) for row in store.rows(ids)}


@pytest.mark.parametrize("unit", [True, False])
def test_undo_restores_vectors_bit_for_bit_also_after_the_folder_was_opened_again(tmp_path, unit):
    client = chromadb.PersistentClient(tmp_path / "db", Settings(anonymized_telemetry=False))
    cosine = {"hnsw": {"space": "cosine"}}
    collection = client.create_collection("rows", embedding_function=None, configuration=cosine)
    count, copies = 1200, 600
    collection.add(
        ids=[f"i{place}" for place in range(count)],
        documents=[f"Row {place % (count - copies)}." for place in range(count)],
        embeddings=vectors(count, 48, unit=unit),
    )
    client.close()
    store = open_store(f"chroma:{tmp_path / 'db'}#rows")
    before = contents(store)
    plan = make_plan(store, "exact", tmp_path / "plan")
    assert apply_plan(store, plan).removed == copies
    assert undo_plan(store, plan).inexact == ()
    store.close()
    again = open_store(f"chroma:{tmp_path / 'db'}#rows")
    assert contents(again) == before
    again.close()


def test_what_chroma_gives_back_is_what_is_computed(tmp_path):
    client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
    cosine = {"hnsw": {"space": "cosine"}}
    collection = client.create_collection("computed", embedding_function=None, configuration=cosine)
    given = vectors(500, 384, unit=False)
    collection.add(ids=[f"i{place:03}" for place in range(500)], embeddings=given)
    answer = collection.get(include=["embeddings"])
    order = [int(one[1:]) for one in answer["ids"]]
    found = np.asarray(answer["embeddings"], dtype=np.float32)
    assert (found == read_back(given)[order]).all()
    assert (found != given[order]).any(), "else there is nothing to make up for"
    client.delete_collection("computed")


@pytest.mark.parametrize("size", [1, 3, 16, 384])
@pytest.mark.parametrize("unit", [True, False])
def test_for_what_was_read_there_is_something_that_reads_so(size, unit):
    read = read_back(vectors(300, size, unit=unit))
    assert (read_back(writable(read)) == read).all()


def test_odd_vectors_pass_through():
    odd = np.array([[0, 0, 0], [-0.0, 1, 0], [1e-42, 0, 0], [3e38, 3e38, 3e38]], dtype=np.float32)
    assert writable(odd)[:2].tobytes() == odd[:2].tobytes()
    assert np.isfinite(writable(odd)).all()
