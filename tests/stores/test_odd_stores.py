"""Records and points that are odd: ids, texts, payloads and vectors of any shape come back as they were."""

import uuid

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings
from qdrant_client import QdrantClient, models

from chunkfilter.errors import StoreError
from chunkfilter.stores import apply_plan, make_plan, open_store, undo_plan

TEXT = "The same text in every row."
VECTORS = np.random.default_rng(6).normal(size=(8, 8)).astype(np.float32)

# Qdrant


def qdrant(tmp_path, points, vectors, **more):
    """A collection in a folder with an unusual name."""
    client = QdrantClient(path=str(tmp_path / "größe #1"))
    client.create_collection("rows", vectors, **more)
    if points:
        client.upsert("rows", points)
    client.close()
    return f"qdrant:{tmp_path / 'größe #1'}#rows"


def size(count, **more):
    return models.VectorParams(size=count, distance=models.Distance.COSINE, **more)


def raw(tmp_path):
    client = QdrantClient(path=str(tmp_path / "größe #1"))
    points, _ = client.scroll("rows", limit=100, with_payload=True, with_vectors=True)
    client.close()
    return [point.model_dump_json() for point in points]


LATE = models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM)


@pytest.mark.parametrize("name", ["dense", "late"])
def test_every_vector_of_a_point_is_restored_whichever_is_named(prune_and_undo, tmp_path, name):
    vectors = {"dense": size(8), "late": size(8, multivector_config=LATE), "rare": size(2)}
    points = [
        models.PointStruct(
            id=place,
            vector={
                "dense": VECTORS[place].tolist(),
                "late": VECTORS[place : place + 3].tolist(),
                "words": models.SparseVector(indices=[7, 2], values=[0.1, 0.2]),
                **({"rare": [0.5, 0.25]} if place % 2 else {}),
            },
            payload={"text": TEXT},
        )
        for place in range(5)
    ]
    url = qdrant(tmp_path, points, vectors, sparse_vectors_config={"words": models.SparseVectorParams()})
    before = raw(tmp_path)
    with pytest.raises(StoreError, match="'dense', 'late', 'rare'; name one"):
        open_store(url)
    assert prune_and_undo(f"{url}?vector={name}") == 4
    assert raw(tmp_path) == before


def test_a_collection_of_unnamed_multi_vectors_is_restored(prune_and_undo, tmp_path):
    points = [
        models.PointStruct(id=place, vector=VECTORS[place : place + 2].tolist(), payload={"text": TEXT})
        for place in range(3)
    ]
    url = qdrant(tmp_path, points, size(8, multivector_config=LATE))
    before = raw(tmp_path)
    assert prune_and_undo(url) == 2
    assert raw(tmp_path) == before


def test_ids_of_both_kinds_and_payloads_of_any_shape_are_restored(prune_and_undo, tmp_path):
    ids = [2**64 - 1, 0, 7, *(str(uuid.uuid5(uuid.NAMESPACE_OID, str(place))) for place in range(3))]
    payloads = [
        {"text": TEXT, "deep": {"list": [None, {"x": 1.5}, []]}},
        {"text": TEXT},
        {"page_content": TEXT, "metadata": None, "more": 1},
        {"page_content": TEXT, "metadata": ["no mapping"]},
        {"_node_content": "[1]", "text": TEXT},
        {"_node_content": "not json"},
    ]
    points = [
        models.PointStruct(id=one, vector=vector.tolist(), payload=payload)
        for one, vector, payload in zip(ids, VECTORS, payloads, strict=False)
    ]
    url = qdrant(tmp_path, [*points, models.PointStruct(id=9, vector=VECTORS[7].tolist())], size(8))
    before = raw(tmp_path)
    assert prune_and_undo(url) == 4
    assert raw(tmp_path) == before


def test_keys_of_a_payload_can_be_named(prune_and_undo, tmp_path):
    points = [
        models.PointStruct(
            id=place, vector=VECTORS[place].tolist(), payload={"said": TEXT, "about": {"tenant": place // 2}}
        )
        for place in range(4)
    ]
    url = f"{qdrant(tmp_path, points, size(8))}?text=said&metadata=about"
    before = raw(tmp_path)
    store = open_store(url)
    assert make_plan(store, "exact scope=tenant", tmp_path / "plan").removed == 2
    store.close()
    assert prune_and_undo(url) == 3
    store = open_store(url)
    plan = make_plan(store, "exact", tmp_path / "soft", soft=True)
    apply_plan(store, plan)
    marked = [row.rest["payload"]["about"].get("duplicate") for row in store.rows([0, 1, 2, 3])]
    assert marked == [None, True, True, True]
    undo_plan(store, plan)
    store.close()
    assert raw(tmp_path) == before


def test_marks_do_not_take_the_place_of_what_is_no_mapping(prune_and_undo, tmp_path):
    payload = {"page_content": TEXT, "metadata": ["no mapping"]}
    points = [
        models.PointStruct(id=place, vector=VECTORS[place].tolist(), payload=payload) for place in range(2)
    ]
    url = qdrant(tmp_path, points, size(8))
    before = raw(tmp_path)
    with pytest.raises(StoreError, match="'metadata' of point 0 is no mapping"):
        prune_and_undo(url, soft=True)
    assert raw(tmp_path) == before


def test_a_collection_without_dense_vectors_is_refused(tmp_path):
    url = qdrant(tmp_path, [], {}, sparse_vectors_config={"words": models.SparseVectorParams()})
    with pytest.raises(StoreError, match="no dense vectors"):
        open_store(url)


# Chroma


ODD = {
    "ids": ["a\n\tb", "'\"%s;--", "\U0001f642" * 200, " ", "../../x", "long" * 1000],
    "documents": [TEXT] * 6,
    "metadatas": [None, {"x": 1}, {"x": 1.0, "l": [1.0, 2.0]}, {"x": float("inf")}, {"x": -0.0}, {"x": True}],
    "uris": ["s3://a", None, None, None, None, "b"],
}
PLAIN = {"ids": ["a", "b"]}


@pytest.mark.parametrize(
    ("columns", "removed"),
    [
        (ODD, 5),
        ({**PLAIN, "documents": ["A very long text. " * 100_000] * 2}, 1),
        ({**PLAIN, "documents": ["x\0y \x1b[31m"] * 2}, 1),
        (PLAIN, 0),
        ({"ids": ["a"], "documents": [TEXT]}, 0),
        ({"ids": []}, 0),
    ],
    ids=["odd", "long", "control characters", "no documents", "one", "empty"],
)
@pytest.mark.parametrize("soft", [False, True])
def test_odd_records_in_an_odd_folder_are_restored(prune_and_undo, tmp_path, columns, removed, soft):
    folder = tmp_path / "größe 目录#1"

    def client():
        return chromadb.PersistentClient(folder, Settings(anonymized_telemetry=False))

    def content(held):
        answer = held.get_collection("rows", embedding_function=None).get(
            include=["documents", "metadatas", "embeddings", "uris"]
        )
        metadata = [repr(sorted((one or {}).items())) for one in answer["metadatas"]]  # Chroma keeps no order
        vectors = [vector.tobytes() for vector in answer["embeddings"]]
        columns = zip(answer["documents"], answer["uris"], metadata, vectors, strict=True)
        return dict(zip(answer["ids"], columns, strict=True))

    held = client()
    for name in ("rows", "neighbour"):
        collection = held.create_collection(name, embedding_function=None)
        if columns["ids"]:
            collection.add(embeddings=VECTORS[: len(columns["ids"])], **columns)
    before = content(held)
    held.close()
    assert prune_and_undo(f"chroma:{folder}#rows", soft=soft) == removed
    held = client()
    assert content(held) == before
    assert held.get_collection("neighbour", embedding_function=None).count() == len(columns["ids"])
    held.close()
