"""``cluster``: the division of a sequence is the best one there is, and no segment is too long."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkfilter import load_dataset, split, split_documents
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.studies.splitters.cluster import best_segments, mean_similarity


def gain(rows: np.ndarray, segments: list[tuple[int, int]]) -> float:
    """The definition, pair by pair: similarity above the mean of all pairs, within segments."""
    similarity = rows @ rows.T
    mean = similarity[np.triu_indices(len(rows), 1)].mean()
    return sum(
        similarity[one, two] - mean
        for first, end in segments
        for one, two in itertools.combinations(range(first, end), 2)
    )


def divisions(count: int, longest: int) -> list[list[tuple[int, int]]]:
    if count == 0:
        return [[]]
    return [
        [*before, (count - size, count)]
        for size in range(1, min(longest, count) + 1)
        for before in divisions(count - size, longest)
    ]


def vectors(seed: int, count: int) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, 3))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@given(st.integers(0, 10**6), st.integers(2, 9), st.integers(1, 5))
@settings(max_examples=80, deadline=None)
def test_no_other_division_gains_more_once_there_is_a_gain(seed, count, longest):
    rows = vectors(seed, count)
    segments = best_segments(rows, longest)
    assert all(0 < end - first <= longest for first, end in segments)
    assert [row for first, end in segments for row in range(first, end)] == list(range(count))
    wide = rows.astype(np.float64)
    best = max(gain(wide, division) for division in divisions(count, longest))
    after_first_gain = next((place for place, one in enumerate(segments) if gain(wide, [one]) > 1e-8), None)
    if after_first_gain is None:
        assert best == pytest.approx(0, abs=1e-8)
    else:
        assert gain(wide, segments[after_first_gain:]) == pytest.approx(best, abs=1e-8)


@given(st.integers(0, 10**6), st.integers(2, 60))
@settings(max_examples=30, deadline=None)
def test_the_mean_over_pairs_needs_no_pairs(seed, count):
    rows = vectors(seed, count).astype(np.float64)
    assert mean_similarity(rows) == pytest.approx(
        (rows @ rows.T)[np.triu_indices(count, 1)].mean(), abs=1e-12
    )


def test_a_change_of_subject_is_a_boundary():
    rows = np.array([[1, 0]] * 3 + [[0, 1]] * 5, dtype=np.float32)
    assert best_segments(rows, 8) == [(0, 3), (3, 8)]
    assert [end - first for first, end in best_segments(rows, 2)] == [2, 1, 2, 2, 1]


def test_equally_alike_rows_are_cut_at_the_full_length():
    assert best_segments(np.ones((10, 4), dtype=np.float32) / 2, 4) == [(0, 2), (2, 6), (6, 10)]


def test_short_sequences_are_one_segment():
    assert best_segments(np.zeros((0, 3), dtype=np.float32), 4) == []
    assert best_segments(np.ones((1, 3), dtype=np.float32), 4) == [(0, 1)]
    assert best_segments(vectors(1, 2), 4) == [(0, 2)]


def test_a_long_sequence_needs_memory_for_its_band_only():
    rows = vectors(3, 200_000)  # all pairs would be 320 GB
    segments = best_segments(rows, 8)
    assert segments[0][0] == 0
    assert segments[-1][1] == len(rows)


PUBLISHED = {
    "chroma": {"cluster:200": 3324, "cluster:400": 1911},
    "squad_dev11": {"cluster:200": 3636, "cluster:400": 2370},
}


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("corpus", PUBLISHED)
def test_a_corpus_has_the_published_number_of_chunks(data, minilm, corpus):
    documents = load_dataset(data / corpus).documents
    embedder = cached_embedder(minilm)  # the two sizes share their pieces
    counts = {spec: len(split_documents(documents, spec, embedder)) for spec in PUBLISHED[corpus]}
    assert counts == PUBLISHED[corpus]


def test_clusters_end_where_the_subject_changes(minilm):
    volcano = "The volcano threw ash and molten lava high above its crater. Geologists measured the magma. "
    invoice = "Invoices are payable within thirty days. The accounting office charges interest afterwards. "
    text = f"{volcano * 3}\n\n{invoice * 3}"
    chunks = split(text, "cluster:400", embedder=minilm)
    assert len(text) // len(chunks) > 100
    assert not any("volcano" in chunk.text and "Invoices" in chunk.text for chunk in chunks)
