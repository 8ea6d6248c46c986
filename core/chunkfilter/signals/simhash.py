"""SimHash: 64 bits that differ little between texts that share most of their shingles.

Charikar, "Similarity estimation techniques from rounding algorithms", 2002.
"""

import itertools

import numpy as np

from chunkfilter.signals.shingle_hashes import HashArray, ShingleHashes
from chunkfilter.text.bits import bit_counts
from chunkfilter.text.ragged import IntArray

BITS = 64
#: Hashes taken apart at once.
_TILE = 1 << 16


def simhashes(hashes: ShingleHashes) -> HashArray:
    """SimHash of each text, shape (n,): bit b is set if more of its shingles' hashes have it than not."""
    result = np.empty(len(hashes), dtype=np.uint64)
    cuts = np.flatnonzero(np.diff(hashes.offsets[:-1] // _TILE)) + 1
    for rows in np.split(np.arange(len(hashes)), cuts):
        if not len(rows):
            continue
        start, end = hashes.offsets[rows[0]], hashes.offsets[rows[-1] + 1]
        bits = np.unpackbits(hashes.values[start:end].astype("<u8").view(np.uint8), bitorder="little")
        totals = np.add.reduceat(bits.reshape(-1, BITS), hashes.offsets[rows] - start, axis=0, dtype=np.int64)
        counts = hashes.offsets[rows + 1] - hashes.offsets[rows]
        majority = np.packbits(2 * totals > counts[:, None], axis=1, bitorder="little")
        result[rows] = np.ascontiguousarray(majority).view("<u8")[:, 0]
    return result


def distances(left: HashArray, right: HashArray) -> IntArray:
    """Number of differing bits of each pair, shape (p,)."""
    return bit_counts(left ^ right).astype(np.int64)


def blocks(hashes: HashArray, count: int) -> IntArray:
    """Cut each hash into ``count`` blocks of bits; two blocks at different places are never equal.

    Hashes that differ in fewer than ``count`` bits agree in at least one block (Manku, Jain and Das Sarma,
    "Detecting near-duplicates for web crawling", 2007).

    Returns:
        Shape (n, count).
    """
    edges = [BITS * place // count for place in range(count + 1)]
    ranges = list(itertools.pairwise(edges))
    columns = [(hashes >> np.uint64(low)) & np.uint64((1 << (high - low)) - 1) for low, high in ranges]
    keys = np.stack(columns, axis=1) if len(hashes) else np.empty((0, count), np.uint64)
    width = max(high - low for low, high in ranges)
    if width == BITS:
        return keys.view(np.int64)
    return keys.astype(np.int64) + (np.arange(count) << width)
