"""SimHash against single bits; blocks that two close hashes must share."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkfilter.signals.shingle_hashes import shingle_hash, shingle_hashes
from chunkfilter.signals.simhash import blocks, distances, simhashes
from chunkfilter.text.shingle_sets import text_shingles
from chunkfilter.text.vocabulary import Vocabulary

NUMBERS = st.integers(0, 2**64 - 1)


@settings(max_examples=25)
@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=12).map(" ".join), max_size=5))
def test_each_bit_is_the_majority_of_its_shingles(texts: list[str]) -> None:
    vocabulary = Vocabulary()
    rows = vocabulary.encode(texts)
    found = simhashes(shingle_hashes(rows, vocabulary.tokens()))
    for text, simhash in zip(texts, found.tolist(), strict=True):
        hashes = [shingle_hash(shingle) for shingle in text_shingles(text)]
        for bit in range(64):
            assert simhash >> bit & 1 == (2 * sum(one >> bit & 1 for one in hashes) > len(hashes))


@given(NUMBERS, NUMBERS)
def test_distance_counts_differing_bits(one: int, other: int) -> None:
    left, right = np.array([one], dtype=np.uint64), np.array([other], dtype=np.uint64)
    assert distances(left, right).tolist() == [(one ^ other).bit_count()]


@given(NUMBERS, st.integers(0, 8), st.data())
def test_hashes_within_the_distance_share_a_block(one: int, most: int, data: st.DataObject) -> None:
    flipped = data.draw(st.sets(st.integers(0, 63), max_size=most))
    other = one ^ sum(1 << bit for bit in flipped)
    keys = blocks(np.array([one, other], dtype=np.uint64), most + 1)
    assert keys.shape == (2, most + 1)
    assert (keys[0] == keys[1]).any()


@pytest.mark.parametrize("count", [1, 4, 9])
def test_blocks_at_different_places_are_never_equal(count: int) -> None:
    keys = blocks(np.zeros(1, dtype=np.uint64), count)[0].tolist()
    assert len(set(keys)) == count
