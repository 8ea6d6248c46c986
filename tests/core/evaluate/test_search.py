"""Every search finds the same neighbours; the exact one also orders ties."""

import gc
import subprocess
import sys
import tempfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from chunkfilter.errors import InputError, VectorError
from chunkfilter.evaluate.search import SEARCHES, search_named, top_k


def unit(count: int, width: int = 32, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((count, width)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture(params=sorted(SEARCHES))
def build(request):
    return search_named(request.param)


def test_a_vector_is_nearest_to_itself_and_the_best_come_first(build):
    vectors = unit(200)
    positions, scores = build(vectors)(vectors[[7, 150]], 5)
    assert positions[:, 0].tolist() == [7, 150]
    assert positions.shape == scores.shape == (2, 5)
    assert (np.diff(scores, axis=1) <= 1e-6).all()
    np.testing.assert_allclose(
        scores, np.einsum("qd,qkd->qk", vectors[[7, 150]], vectors[positions]), atol=1e-5
    )


def test_more_neighbours_than_vectors_are_all_of_them(build):
    positions, _ = build(unit(3))(unit(2), 10)
    assert np.sort(positions, axis=1).tolist() == [[0, 1, 2], [0, 1, 2]]


def test_no_vectors_and_no_queries_give_empty_answers(build):
    assert build(np.empty((0, 4), np.float32))(unit(2, 4), 5)[0].shape == (2, 0)
    assert build(unit(3, 4))(np.empty((0, 4), np.float32), 2)[0].shape == (0, 2)


def test_rows_that_are_not_finite_are_never_found(build):
    vectors = unit(4)
    vectors[1] = np.nan
    positions, scores = build(vectors)(unit(2, seed=1), 10)
    assert np.sort(positions, axis=1).tolist() == [[0, 2, 3], [0, 2, 3]]
    assert np.isfinite(scores).all()


def test_a_query_that_is_not_finite_is_named(build):
    queries = unit(3)
    queries[2] = np.nan
    with pytest.raises(VectorError, match="query 2"):
        build(unit(4))(queries, 1)


def test_copies_come_in_the_order_of_the_index_wherever_they_stand():
    vectors = np.concatenate([unit(900), np.repeat(unit(1, seed=5), 37, axis=0), unit(64, seed=6)])
    vectors[3] = vectors[900]
    positions, scores = search_named("exact")(vectors)(vectors[[900]] + 0.01 * unit(1, seed=9), 38)
    assert positions[0].tolist() == [3, *range(900, 937)]
    assert len(set(scores[0].tolist())) == 1


def test_blocks_do_not_change_the_answer(monkeypatch):
    vectors, queries = unit(300), unit(40, seed=1)
    whole = search_named("exact")(vectors)(queries, 7)[0]
    monkeypatch.setattr("chunkfilter.evaluate.search._BLOCK", 900)
    np.testing.assert_array_equal(search_named("exact")(vectors)(queries, 7)[0], whole)


def test_chroma_agrees_with_exact_search_on_real_vectors(minilm):
    texts = [
        f"Room {number} is on floor {number // 10} and costs {number + 40} euros." for number in range(200)
    ]
    vectors = minilm.encode(texts)
    exact, chroma = (SEARCHES[name](vectors)(vectors, 5)[1] for name in ("exact", "chroma"))
    assert np.abs(exact - chroma).max() < 1e-3


def test_chroma_lets_the_vectors_go_with_the_search(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    search = SEARCHES["chroma"](unit(3))
    assert len(list(tmp_path.iterdir())) == 1
    del search
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_chroma_leaves_the_callers_own_store_in_memory_alone():
    code = """
import chromadb, numpy as np
from chunkfilter.evaluate.search import SEARCHES
vectors = np.eye(3, dtype=np.float32)
before = SEARCHES["chroma"](vectors)
client = chromadb.EphemeralClient(chromadb.Settings(allow_reset=True, anonymized_telemetry=False))
client.create_collection("mine", embedding_function=None)
after = SEARCHES["chroma"](vectors)
assert before(vectors, 1)[0].tolist() == after(vectors, 1)[0].tolist() == [[0], [1], [2]]
assert client.count_collections() == 1
"""
    # a process of its own: the clients in memory of this one have settings already
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_more_vectors_than_chroma_takes_at_once_are_all_indexed():
    vectors = unit(5700, 8)
    positions, _ = SEARCHES["chroma"](vectors)(vectors[[0, 4999, 5000, 5699]], 1)
    assert positions[:, 0].tolist() == [0, 4999, 5000, 5699]


@settings(max_examples=60)
@given(
    arrays.arrays(
        np.float32, st.tuples(st.integers(1, 4), st.integers(1, 12)), elements=st.sampled_from([0, 0.5, 1])
    ),
    st.integers(1, 12),
)
def test_top_k_is_a_stable_sort_cut_short(scores, k):
    k = min(k, scores.shape[1])
    positions, best = top_k(scores, k)
    np.testing.assert_array_equal(positions, np.argsort(-scores, axis=1, kind="stable")[:, :k])
    np.testing.assert_array_equal(best, np.take_along_axis(scores, positions, axis=1))


def test_an_unknown_search_lists_the_known_ones():
    with pytest.raises(InputError, match="known: exact, chroma"):
        search_named("faiss")
