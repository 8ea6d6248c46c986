"""Every pair rule against its definition, pair by pair in plain Python."""

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkfilter as cf
from chunkfilter.errors import PolicyError, VectorError
from chunkfilter.rules.buckets import numbered_buckets, shared_only
from chunkfilter.rules.entities import rarest_needed
from chunkfilter.text.ragged import Ragged, offsets_of
from chunkfilter.text.row_sets import sorted_sets
from chunkfilter.text.shingle_sets import text_shingles


def greedy(count: int, holds: Callable[[int, int], bool]) -> dict[int, int]:
    """Representative of each one removed: the first of those kept with which the rule holds."""
    kept: list[int] = []
    gone: dict[int, int] = {}
    for row in range(count):
        keeper = next((column for column in kept if holds(row, column)), None)
        if keeper is None:
            kept.append(row)
        else:
            gone[row] = keeper
    return gone


def removals(texts: list[str], policy: str, **signals: Any) -> dict[int, int]:
    result = cf.filter_chunks(texts, f"{policy} guards=none blank=keep", **signals)
    return {removal.index: removal.kept_by[0] for removal in result.removed}


def near_copies(seed: int, count: int = 300) -> list[str]:
    draw = random.Random(seed)
    words = [f"w{number}" for number in range(200)]
    bases = [draw.choices(words, k=draw.randint(1, 50)) for _ in range(30)]
    texts = []
    for _ in range(count):
        text = list(draw.choice(bases))
        for _ in range(draw.randint(0, 3)):
            text[draw.randrange(len(text))] = draw.choice(words)
        texts.append(" ".join(text))
    return [*texts, "", "...", "w1", " w1", "w1 w2"]


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8, 1.0])
def test_minhash_removes_what_exact_jaccard_similarity_says(threshold: float) -> None:
    texts = near_copies(1)
    sets = [set(text_shingles(text)) for text in texts]

    def holds(row: int, column: int) -> bool:
        return len(sets[row] & sets[column]) / len(sets[row] | sets[column]) >= threshold

    assert removals(texts, f"minhash@{threshold}") == greedy(len(texts), holds)


def test_simhash_counts_differing_bits_and_short_texts_must_be_equal() -> None:
    texts = ["one two three four", "one  two\nthree four", "one two three five", "Salt", " Salt", "Salt pan"]
    assert removals(texts, "simhash@0") == {1: 0, 4: 3}
    assert removals(texts, "simhash@8")[1] == 0
    score = cf.filter_chunks(texts, "simhash@8 guards=none").removed[0].score
    assert score == 0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 0.8, 1.0]))
def test_similarity_removes_what_the_cosine_says(seed: int, threshold: float) -> None:
    draw = np.random.default_rng(seed)
    vectors = draw.integers(-1, 3, (40, 3)).astype(float)
    vectors[draw.integers(40, size=3)] = [np.nan, 0, 1]

    def holds(row: int, column: int) -> bool:
        lengths = math.sqrt((vectors[row] @ vectors[row]) * (vectors[column] @ vectors[column]))
        return lengths > 0 and vectors[row] @ vectors[column] / lengths >= threshold - 1e-7

    found = removals([str(number) for number in range(40)], f"similarity@{threshold}", vectors=vectors)
    assert found == greedy(40, holds)


def test_a_copy_of_a_vector_has_cosine_one_and_vectors_are_left_alone() -> None:
    vectors = np.random.default_rng(3).normal(size=(50, 384)).astype(np.float32)
    vectors = np.concatenate([vectors, vectors * 8])
    before = vectors.copy()
    result = cf.filter_chunks([str(n) for n in range(100)], "similarity@1 guards=none", vectors=vectors)
    assert [(removal.kept_by, removal.score) for removal in result.removed] == [
        ((n,), 1.0) for n in range(50)
    ]
    assert np.array_equal(vectors, before)


def test_the_decision_at_the_threshold_is_that_of_a_float64_product() -> None:
    """Cosines spread over 1e-7 around the threshold, closer than float32 products tell apart."""
    draw = np.random.default_rng(0)
    base, other = np.linalg.qr(draw.normal(size=(384, 2)))[0].T
    cosines = 0.8 + np.linspace(-1e-7, 1e-7, 41)
    rows = cosines[:, None] * base + np.sqrt(1 - cosines**2)[:, None] * other
    vectors = np.concatenate([base[None], rows]).astype(np.float32)
    for start in range(1, 42):
        pair = vectors[[0, start]].astype(np.float64)
        exact = pair[0] @ pair[1] / math.sqrt((pair[0] @ pair[0]) * (pair[1] @ pair[1]))
        found = removals(["a", "b"], "similarity@0.8", vectors=vectors[[0, start]])
        if abs(exact - 0.8) > 6e-8:  # unit vectors are rounded to float32 once more
            assert bool(found) == (exact >= 0.8)


def test_vectors_of_two_lengths_are_an_error_before_anything_is_dropped() -> None:
    with pytest.raises(VectorError, match=r"two lengths: 2 at chunk 0 .*3 at chunk 1"):
        cf.filter_chunks(["a", "b"], "similarity", vectors=[(1.0, 0.0), (1.0, 0.0, 0.0)])
    with pytest.raises(VectorError, match="1 rows; expected 2"):
        cf.filter_chunks(["a", "b"], "similarity", vectors=[None])
    with pytest.raises(VectorError, match="expected one row of numbers a chunk"):
        cf.filter_chunks(["a", "b"], "similarity", vectors=object())
    assert cf.filter_chunks(["a", "b"], "similarity", vectors=[None, None]).kept == (0, 1)


ENTITIES = st.lists(st.frozensets(st.integers(0, 6), max_size=5), max_size=25)


@settings(deadline=None)
@given(ENTITIES, st.sampled_from([0.0, 0.3, 0.5, 0.75, 1.0]))
def test_ner_half_asks_for_a_share_of_the_removed_chunks_entities(
    sets: list[frozenset[int]], least: float
) -> None:
    def holds(row: int, column: int) -> bool:
        shared = len(sets[row] & sets[column])
        return shared > 0 and shared / len(sets[row]) >= least

    texts = [str(number) for number in range(len(sets))]
    assert removals(texts, f"ner-half@{least}", entities=sets) == greedy(len(sets), holds)


@settings(deadline=None)
@given(ENTITIES)
def test_ner_exact_asks_for_equal_sets_and_the_published_one_for_empty_ones_too(
    sets: list[frozenset[int]],
) -> None:
    texts = [str(number) for number in range(len(sets))]
    filled = greedy(len(sets), lambda row, column: bool(sets[row]) and sets[row] == sets[column])
    published = greedy(len(sets), lambda row, column: sets[row] == sets[column])
    assert removals(texts, "ner-exact", entities=sets) == filled
    assert removals(texts, "ner-exact@paper", entities=sets) == published
    assert len(sets) - len(published) == len(set(sets))


def test_joined_rules_must_all_hold_between_the_same_two_chunks() -> None:
    vectors = [(1.0, 0.0)] * 4
    entities = [{"a"}, {"b"}, {"b", "c"}, set()]
    assert removals(["w", "x", "y", "z"], "similarity@0.9+ner", vectors=vectors, entities=entities) == {2: 1}
    with pytest.raises(PolicyError, match="needs a rule to add to"):
        cf.Policy.parse("ner")
    with pytest.raises(PolicyError, match="needs a rule to add to"):
        cf.Policy.parse("topics+ner")


def test_the_smallest_score_of_joined_rules_is_stated() -> None:
    result = cf.filter_chunks(
        ["a", "b"],
        "similarity@0.5+ner-half@0.5 guards=none",
        vectors=[(1.0, 0.0), (0.8, 0.6)],
        entities=[{1, 2}, {1, 2, 3}],
    )
    assert result.removed[0].score == pytest.approx(2 / 3)


@given(
    st.lists(st.frozensets(st.integers(0, 8), max_size=6), max_size=15), st.sampled_from([0.0, 0.4, 0.5, 1.0])
)
def test_the_rarest_entities_meet_every_chunk_that_shares_enough(
    sets: list[frozenset[int]], least: float
) -> None:
    flat = np.array([value for row in sets for value in row], dtype=np.int64)
    rows = sorted_sets(Ragged(flat, offsets_of([len(row) for row in sets])))
    probes = [set(row.tolist()) for row in rarest_needed(rows, least)]
    for one, probe in zip(sets, probes, strict=True):
        assert probe <= one
        for other in sets:
            if one & other and len(one & other) / len(one) >= least:
                assert probe & other


def test_buckets_of_one_entry_and_of_other_scopes_are_left_out() -> None:
    keys = Ragged(np.array([5, 7, 5, 7, 5], dtype=np.int64), np.arange(6))
    buckets = shared_only(numbered_buckets(keys, np.array([0, 0, 0, 1, 1])))
    assert [row.tolist() for row in buckets][1:2] == [[]]
    assert [len(row) for row in buckets] == [1, 0, 1, 0, 0]
