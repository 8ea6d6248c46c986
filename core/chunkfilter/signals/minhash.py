"""MinHash signatures, equal to datasketch's of the same seed and hash function, for whole batches at once.

Broder, "On the resemblance and containment of documents", 1997.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chunkfilter.errors import InputError
from chunkfilter.signals.shingle_hashes import ShingleHashes, shingle_hash, shingle_hashes
from chunkfilter.text.ragged import IntArray
from chunkfilter.text.shingle_sets import Shingle
from chunkfilter.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    import datasketch

SignatureArray = NDArray[np.uint32]

PERMUTATIONS = 128
SEED = 1
#: Hashes permuted at once: 64 KiB, so that they stay in the nearest cache for all permutations.
_TILE = 1 << 14


def minhash_signatures(texts: Iterable[str]) -> list[datasketch.MinHash]:
    """MinHash signatures of texts, as the objects that the indexes of datasketch take.

    They are those that rule ``minhash`` looks for candidates with: 128 permutations over the 3-grams of a
    text's tokens, computed for all texts at once.

    Args:
        texts: n texts.

    Returns:
        n signatures, for ``datasketch.MinHashLSH(num_perm=128)`` or ``MinHashLSHForest``; their ``jaccard``
        estimates the share of 3-grams that two texts have in common, from 0 to 1.

    Raises:
        InputError: an item is not a string.
    """
    import datasketch  # takes half a second

    given = [texts] if isinstance(texts, str) else list(texts)
    for place, text in enumerate(given):
        if not isinstance(text, str):
            raise InputError(f"text {place}: got {type(text).__name__}; expected a string")
    return [
        datasketch.MinHash(seed=SEED, hashfunc=shingle_hash32, hashvalues=row, scheme="affine32")
        for row in signatures_of(given)
    ]


def signatures_of(texts: Sequence[str]) -> SignatureArray:
    """Signatures of texts, shape (n, 128).

    They equal those of ``datasketch.MinHash(num_perm=128, seed=1, hashfunc=shingle_hash32,
    scheme="affine32")`` updated with every shingle of a text
    (``chunkfilter.text.shingle_sets.text_shingles``).
    """
    vocabulary = Vocabulary()
    rows = vocabulary.encode(texts)
    return signatures(shingle_hashes(rows, vocabulary.tokens()))


def shingle_hash32(shingle: Shingle) -> int:
    """High 32 bits of a shingle's hash."""
    return shingle_hash(shingle) >> 32


def signatures(hashes: ShingleHashes) -> SignatureArray:
    """Signatures of texts whose shingles are hashed, shape (n, 128)."""
    result = np.empty((len(hashes), PERMUTATIONS), dtype=np.uint32)
    inputs = _avalanche((hashes.values >> np.uint64(32)).astype(np.uint32))
    factors, terms = _permutations()
    cuts = np.flatnonzero(np.diff(hashes.offsets[:-1] // _TILE)) + 1
    tiles = list(zip([0, *cuts.tolist()], [*cuts.tolist(), len(hashes)], strict=True))

    def fill(tile: tuple[int, int]) -> None:
        first, last = tile
        start, end = hashes.offsets[first], hashes.offsets[last]
        values, starts = inputs[start:end], hashes.offsets[first:last] - start
        permuted = np.empty_like(values)
        minima = np.empty((PERMUTATIONS, last - first), dtype=np.uint32)
        for number in range(PERMUTATIONS):
            np.multiply(values, factors[number], out=permuted)
            permuted += terms[number]
            np.minimum.reduceat(permuted, starts, out=minima[number])
        result[first:last] = minima.T

    if len(hashes):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(fill, tiles))
    return result


def _permutations() -> tuple[SignatureArray, SignatureArray]:
    """Odd factors and terms of ``factor * x + term mod 2**32``, drawn as in datasketch's scheme affine32."""
    draw = np.random.RandomState(SEED)
    factors = draw.randint(0, 1 << 31, PERMUTATIONS, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return factors, draw.randint(0, 1 << 32, PERMUTATIONS, dtype=np.uint32)


def _avalanche(hashes: SignatureArray) -> SignatureArray:
    """The 32-bit finaliser of MurmurHash3 (Appleby, 2008), which affine32 puts before its permutations."""
    hashes = hashes ^ (hashes >> np.uint32(16))
    hashes *= np.uint32(0x85EBCA6B)
    hashes ^= hashes >> np.uint32(13)
    hashes *= np.uint32(0xC2B2AE35)
    hashes ^= hashes >> np.uint32(16)
    return hashes


def bands_for(threshold: float, recall: float = 0.995) -> tuple[int, int]:
    """Number of bands and rows a band: as many rows as still find a pair at the threshold.

    A pair of Jaccard similarity s agrees in some band with probability 1 - (1 - s**rows)**bands
    (Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", 3.4).

    Args:
        threshold: Jaccard similarity of the pairs to find.
        recall: least probability of finding one exactly at the threshold.
    """
    for rows in range(PERMUTATIONS, 1, -1):
        bands = PERMUTATIONS // rows
        if 1 - (1 - threshold**rows) ** bands >= recall:
            return bands, rows
    return PERMUTATIONS, 1


def band_keys(signatures: SignatureArray, bands: int, rows: int) -> IntArray:
    """A key for each band of each signature, shape (n, bands): equal bands have equal keys."""
    used = signatures[:, : bands * rows].reshape(len(signatures), bands, rows)
    factors = np.random.RandomState(SEED).randint(0, 1 << 62, rows, dtype=np.int64) * 2 + 1
    keys = np.zeros((len(signatures), bands), dtype=np.int64)
    for place in range(rows):
        keys += used[:, :, place].astype(np.int64) * factors[place]
    return keys
