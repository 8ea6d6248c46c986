"""More rows than SQLite takes variables in a statement: reads, deletes and restores come in pages."""

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings

from chunkfilter.stores import apply_plan, make_plan, open_store, undo_plan

ROWS = 33_500
COPIES = 600


@pytest.mark.slow
def test_a_chroma_collection_beyond_the_limit_is_read_pruned_and_restored_whole(tmp_path):
    client = chromadb.PersistentClient(str(tmp_path / "db"), Settings(anonymized_telemetry=False))
    collection = client.create_collection("many", embedding_function=None)
    vectors = np.random.default_rng(4).normal(size=(ROWS, 4)).astype(np.float32)
    for first in range(0, ROWS, 5000):
        numbers = range(first, min(first + 5000, ROWS))
        collection.add(
            ids=[f"i{number}" for number in numbers],
            embeddings=vectors[first : first + 5000],
            documents=[f"row {max(number, COPIES)}" for number in numbers],
            metadatas=[{"n": number} for number in numbers],
        )
    store = open_store(collection)
    assert sum(len(page) for page in store.pages(vectors=False)) == ROWS
    plan = make_plan(store, "exact", folder=tmp_path / "plan")
    apply_plan(store, plan)
    assert store.count() == ROWS - COPIES
    undo_plan(store, plan)
    assert store.count() == ROWS
