"""Hashes of shingles that depend on nothing but the words: the same in every run and process."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkfilter.text.ragged import IntArray, Ragged, offsets_of, ranges
from chunkfilter.text.shingle_sets import SIZE, Shingle, shingle_places, text_shingles
from chunkfilter.text.slices import mixed

HashArray = NDArray[np.uint64]

#: Shingles hashed at once, so that what is in between stays in a near cache.
_BLOCK = 1 << 15
#: Odd factors of the first, second and third word of a shingle: fractional digits of pi, made odd.
_FACTORS = np.array([0x243F6A8885A308D3, 0x13198A2E03707345, 0xA4093822299F31D1], dtype=np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class ShingleHashes:
    """Hashes of the shingles of n texts, in order; every text has at least one.

    Args:
        values: shape (total,), uint64.
        offsets: shape (n + 1,): those of text i are ``values[offsets[i]:offsets[i + 1]]``.
    """

    values: HashArray
    offsets: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1


def shingle_hash(shingle: Shingle) -> int:
    """64-bit hash of one shingle."""
    return int(mixed((word_hashes(shingle) * _FACTORS[: len(shingle)]).sum(keepdims=True))[0])


def word_hashes(words: Iterable[str]) -> HashArray:
    """64 bits of BLAKE2b of each word."""
    encoded = (word.encode("utf-8", "surrogatepass") for word in words)
    digests = [hashlib.blake2b(word, digest_size=8).digest() for word in encoded]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def shingle_hashes(texts: Sequence[str], rows: Ragged, words: Sequence[str]) -> ShingleHashes:
    """Hash the shingles of each text.

    Args:
        texts: n texts.
        rows: their words as numbers.
        words: the words by number.
    """
    places, counts = shingle_places(rows)
    by_number = word_hashes(words)
    lone = np.flatnonzero(counts == 0)
    offsets = offsets_of(np.where(counts == 0, 1, counts))
    values = np.empty(offsets[-1], dtype=np.uint64)
    values[offsets[lone]] = [shingle_hash(text_shingles(texts[row])[0]) for row in lone.tolist()]
    ours = ranges(offsets[:-1], counts)
    for first in range(0, len(places), _BLOCK):
        part = places[first : first + _BLOCK]
        hashed = by_number[rows.values[part[0] : part[-1] + SIZE]]  # looked up once, though used in three
        sums = hashed[: 1 - SIZE] * _FACTORS[0]
        for step, factor in enumerate(_FACTORS[1:], start=1):
            sums += hashed[step : step + len(sums)] * factor
        values[ours[first : first + _BLOCK]] = mixed(sums[part - part[0]])
    return ShingleHashes(values, offsets)
