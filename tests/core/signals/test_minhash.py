"""Signatures are datasketch's; bands find what they promise."""

import random

import datasketch
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkfilter as cf
from chunkfilter.errors import InputError
from chunkfilter.signals.minhash import (
    bands_for,
    shingle_hash32,
    signatures_of,
)
from chunkfilter.text.shingle_sets import text_shingles

TEXTS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=12).map(" ".join), max_size=6)


@settings(max_examples=25)
@given(TEXTS)
def test_signatures_equal_those_of_datasketch(texts: list[str]) -> None:
    signatures = signatures_of(texts)
    assert signatures.shape == (len(texts), 128)
    for text, signature in zip(texts, signatures, strict=True):
        theirs = datasketch.MinHash(num_perm=128, seed=1, hashfunc=shingle_hash32)
        theirs.update_batch(text_shingles(text))
        assert np.array_equal(signature, theirs.hashvalues)


def test_an_index_of_datasketch_finds_near_duplicates_by_the_signatures() -> None:
    pages = [
        "the pump of line four starts at six in the morning and stops when the tank is full again",
        "a valve opens when pressure reaches 12 bar and closes again as soon as it falls below 9 bar",
        "the pump of line four starts at six in the morning and stops when the tank is full again today",
    ]
    index = datasketch.MinHashLSH(threshold=0.8, num_perm=128)
    signatures = cf.minhash_signatures(pages)
    for name, signature in zip("abc", signatures, strict=True):
        index.insert(name, signature)
    assert sorted(index.query(signatures[0])) == ["a", "c"]
    (asked,) = cf.minhash_signatures([pages[1].replace(" ", "\n")])
    assert index.query(asked) == ["b"]
    shared = 16 / 17  # 3-grams of the shorter text, of the longer one
    assert signatures[0].jaccard(signatures[2]) == pytest.approx(shared, abs=0.1)


def test_what_is_no_text_is_named() -> None:
    with pytest.raises(InputError, match="text 1: got int; expected a string"):
        cf.minhash_signatures(["a", 1])  # type: ignore[list-item]  # the fault itself
    assert cf.minhash_signatures([]) == []


def test_signatures_depend_on_a_text_alone() -> None:
    draw = random.Random(0)
    texts = [" ".join(draw.choices("abcdefgh", k=draw.randint(0, 200))) for _ in range(300)]
    together = signatures_of(texts)
    assert all(np.array_equal(together[row], signatures_of([texts[row]])[0]) for row in (0, 7, 150, 299))


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0])
def test_bands_find_a_pair_at_the_threshold_with_99_percent(threshold: float) -> None:
    bands, rows = bands_for(threshold)
    assert bands * rows <= 128
    found = 1 - (1 - threshold**rows) ** bands
    assert found >= 0.99
