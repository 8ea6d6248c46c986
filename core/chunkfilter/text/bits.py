"""Set bits, counted."""

import numpy as np
from numpy.typing import NDArray

#: Eight counts of bits in one number are four in lanes of 16 bits, and then one in the highest.
_EVEN_BYTES = np.uint64(0x00FF00FF00FF00FF)
_ONE_EACH = np.uint64(0x0001000100010001)
_OF_BYTE = np.array([number.bit_count() for number in range(256)], dtype=np.uint8)


def bit_counts(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Number of set bits of each word, of the same shape."""
    if hasattr(np, "bitwise_count"):  # numpy 2
        return np.bitwise_count(words)
    by_byte = _OF_BYTE[np.ascontiguousarray(words).view(np.uint8)]
    counts: NDArray[np.uint8] = by_byte.reshape(*words.shape, 8).sum(axis=-1, dtype=np.uint8)
    return counts


def bit_sums(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Number of set bits of each row of words, shape (n,).

    Args:
        words: shape (n, w).
    """
    counts = bit_counts(words)
    sums: NDArray[np.int64]
    if counts.shape[1] % 8 or counts.shape[1] >= 1024:  # a row of 1,024 may have more bits than a lane holds
        sums = counts.sum(axis=1, dtype=np.int64)
        return sums
    eights = counts.view(np.uint64)
    lanes = (eights & _EVEN_BYTES) + (eights >> np.uint64(8) & _EVEN_BYTES)
    sums = (np.add.reduce(lanes.T) * _ONE_EACH >> np.uint64(48)).view(np.int64)
    return sums
