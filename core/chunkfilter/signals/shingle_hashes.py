"""Hashes of shingles that depend on nothing but the words: the same in every run and process."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkfilter.text.ragged import IntArray, Ragged, offsets_of, ranges, row_blocks
from chunkfilter.text.shingle_sets import SIZE, Shingle, shingle_places
from chunkfilter.text.slices import mixed

HashArray = NDArray[np.uint64]

#: Shingles hashed at once, so that what is in between stays in a near cache.
_BLOCK = 1 << 15
#: Shingles whose hashes are held at once where not all are needed together.
_HELD = 1 << 21
#: Odd factors of the first, second and third word of a shingle: fractional digits of pi, made odd.
FACTORS = np.array([0x243F6A8885A308D3, 0x13198A2E03707345, 0xA4093822299F31D1], dtype=np.uint64)


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
    return int(mixed((word_hashes(shingle) * FACTORS[: len(shingle)]).sum(keepdims=True))[0])


def word_hashes(words: Iterable[str]) -> HashArray:
    """64 bits of BLAKE2b of each word."""
    encoded = (word.encode("utf-8", "surrogatepass") for word in words)
    digests = [hashlib.blake2b(word, digest_size=8).digest() for word in encoded]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def shingle_hashes(rows: Ragged, tokens: Sequence[str]) -> ShingleHashes:
    """Hash the shingles of each text.

    Args:
        rows: the tokens of n texts as numbers.
        tokens: the token of each number.
    """
    return _joined(rows, tokens, word_hashes(tokens))


def hashed_blocks(rows: Ragged, tokens: Sequence[str]) -> Iterator[ShingleHashes]:
    """The hashes of some texts after others, for what need not hold all at once."""
    by_number = word_hashes(tokens)
    for part in row_blocks(rows.offsets, _HELD):
        yield _joined(rows.part(part), tokens, by_number)


def _joined(rows: Ragged, tokens: Sequence[str], by_number: HashArray) -> ShingleHashes:
    parts = [_hashed(rows.part(part), tokens, by_number) for part in row_blocks(rows.offsets, _BLOCK)]
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    return ShingleHashes(np.concatenate([part.values for part in parts]), offsets_of(lengths))


def _hashed(rows: Ragged, tokens: Sequence[str], by_number: HashArray) -> ShingleHashes:
    places, counts = shingle_places(rows)
    lone = np.flatnonzero(counts == 0)
    offsets = offsets_of(np.where(counts == 0, 1, counts))
    values = np.empty(offsets[-1], dtype=np.uint64)
    values[offsets[lone]] = [
        shingle_hash(tuple(map(tokens.__getitem__, rows[row].tolist()))) for row in lone.tolist()
    ]
    if len(places):
        hashed = by_number[rows.values]  # looked up once, though used in three
        sums = hashed[: 1 - SIZE] * FACTORS[0]
        for step, factor in enumerate(FACTORS[1:], start=1):
            sums += hashed[step : step + len(sums)] * factor
        values[ranges(offsets[:-1], counts)] = mixed(sums[places])
    return ShingleHashes(values, offsets)
