"""Numbers of white-space separated pieces, for many texts at once: a cache before a dictionary.

A piece of up to 16 bytes of UTF-8 is two integers, which say exactly what it is. Each has one slot of a
table, by a hash of both: what stands there is compared, not trusted. Longer pieces, and those whose slot
holds another, are looked up in the dictionary, one by one.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from chunkfilter.text.ragged import IntArray

#: Slots of the table: some ten thousand pieces make up most of the words of most batches.
_SLOTS = 1 << 16
_HALF = 8
_LONGEST = 2 * _HALF
#: The bytes of an integer that belong to a piece of 0 to 8 bytes.
_MASKS = np.array([(1 << (8 * count)) - 1 for count in range(_HALF + 1)], dtype=np.uint64)
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], dtype=np.uint64)

_IS_SPACE = np.zeros(256, dtype=np.bool_)
_IS_SPACE[[9, 10, 11, 12, 13, 28, 29, 30, 31, 32]] = True
#: First bytes of the white space beyond ASCII: U+0085 and U+00A0, U+1680, U+2000 to U+205F, U+3000.
_MAY_BE_SPACE = np.zeros(256, dtype=np.bool_)
_MAY_BE_SPACE[[0xC2, 0xE1, 0xE2, 0xE3]] = True
_WIDE_SPACES = [
    int.from_bytes(character.encode("utf-8"), "little")
    for character in map(chr, range(0x80, 0x3001))
    if character.isspace()
]

Numbers = NDArray[np.int32]


class PieceCache:
    """Looks pieces up in a dictionary that numbers those it does not know.

    Args:
        numbers: number of each piece; asked for one it lacks, it gives it the next.
    """

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers = numbers
        self._keys = np.zeros((2, _SLOTS), dtype=np.uint64)
        self._values = np.zeros(_SLOTS, dtype=np.int32)

    def pieces(self, texts: Sequence[str]) -> tuple[Numbers, IntArray] | None:
        """The numbers of the pieces of texts, one text after another, and how many each text has.

        ``None`` for texts with white space beyond ASCII, or with the character NUL.
        """
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        joined = b" ".join(encoded)
        padded = np.frombuffer(joined + bytes(_LONGEST), dtype=np.uint8)
        letters = padded[: len(joined)]
        if b"\0" in joined or _has_wide_space(padded, joined):
            return None
        space = np.ones(len(letters) + 2, dtype=np.bool_)
        np.take(_IS_SPACE, letters, out=space[1:-1], mode="clip")
        edges = np.flatnonzero(space[1:] != space[:-1])
        starts, ends = edges[::2], edges[1::2]
        bounds = np.cumsum([0, *(len(text) + 1 for text in encoded)])
        return self._looked_up(joined, padded, starts, ends), np.diff(np.searchsorted(starts, bounds))

    def _looked_up(
        self, joined: bytes, padded: NDArray[np.uint8], starts: IntArray, ends: IntArray
    ) -> Numbers:
        first, second = keys = _keys(padded, starts, ends - starts)
        slots = ((first * _FACTORS[0] ^ second) * _FACTORS[1] >> np.uint64(48)).astype(np.int64) % _SLOTS
        numbers: Numbers = self._values[slots]
        known = (self._keys[0][slots] == first) & (self._keys[1][slots] == second)
        short = ends - starts <= _LONGEST
        missing = np.flatnonzero(~(known & short))
        places = zip(starts[missing].tolist(), ends[missing].tolist(), strict=True)
        numbers[missing] = [
            self._numbers[joined[start:end].decode("utf-8", "surrogatepass")] for start, end in places
        ]
        fresh = missing[short[missing]]
        fresh = fresh[np.unique(slots[fresh], return_index=True)[1]]
        self._keys[:, slots[fresh]] = keys[:, fresh]
        self._values[slots[fresh]] = numbers[fresh]
        return numbers


def _keys(padded: NDArray[np.uint8], starts: IntArray, lengths: IntArray) -> NDArray[np.uint64]:
    """The first 16 bytes of each piece, zeros behind its end, as two integers, shape (2, pieces)."""
    at_each = np.ndarray((len(padded) - _HALF + 1,), dtype="<u8", buffer=padded, strides=(1,))
    keys = np.empty((2, len(starts)), dtype=np.uint64)
    for half in range(2):
        counts = np.clip(lengths - half * _HALF, 0, _HALF)
        keys[half] = at_each[starts + np.where(counts > 0, half * _HALF, 0)]
        keys[half] &= _MASKS[counts]
    return keys


def _has_wide_space(padded: NDArray[np.uint8], joined: bytes) -> bool:
    if joined.isascii():
        return False
    places = np.flatnonzero(_MAY_BE_SPACE[padded[: len(joined)]])
    codes = padded[places].astype(np.int64) | padded[places + 1].astype(np.int64) << 8
    third = padded[places + 2].astype(np.int64) << 16
    return bool(np.isin(codes, _WIDE_SPACES).any() or np.isin(codes | third, _WIDE_SPACES).any())
