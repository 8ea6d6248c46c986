"""Set bits, counted."""

import numpy as np
from numpy.typing import NDArray

_OF_BYTE = np.array([number.bit_count() for number in range(256)], dtype=np.uint8)


def bit_counts(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Number of set bits of each word, of the same shape."""
    if hasattr(np, "bitwise_count"):  # numpy 2
        return np.bitwise_count(words)
    by_byte = _OF_BYTE[np.ascontiguousarray(words).view(np.uint8)]
    counts: NDArray[np.uint8] = by_byte.reshape(*words.shape, 8).sum(axis=-1, dtype=np.uint8)
    return counts
