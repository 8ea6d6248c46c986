"""Tokens as numbers, for whole batches of texts."""

from array import array
from collections.abc import Callable, Iterable
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from chunkfilter.text.growing import Growing
from chunkfilter.text.normalise import clean, tokens_of_piece
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of, ranges, row_blocks

#: Texts whose pieces are numbered together.
_TEXTS = 256
#: Pieces whose tokens are gathered at once, so that what is in between stays in a near cache.
_BLOCK = 1 << 16


class Vocabulary:
    """Numbers tokens in the order they are first seen, and turns texts into rows of numbers.

    Texts are cut at white space and each distinct piece is taken apart once: most pieces of real text were
    seen before, so the cost is that of ``str.split``. Not safe to share between threads while it grows.

    Args:
        tokens_of: the tokens of a piece of text without white space; ``None`` for those of the normal form
            (:func:`chunkfilter.text.normalise.tokens`).
    """

    def __init__(self, tokens_of: Callable[[str], list[str]] | None = None) -> None:
        self._normalise = tokens_of is None
        self._numbers: dict[str, int] = {}
        self._pieces = _Pieces(self._numbers, tokens_of or tokens_of_piece)

    def __len__(self) -> int:
        return len(self._numbers)

    def tokens(self) -> list[str]:
        """Every token seen; the position is its number."""
        return list(self._numbers)

    def encode(self, texts: Iterable[str]) -> Ragged:
        """The tokens of each text as numbers of type int32: one row a text."""
        number = self._pieces.__getitem__
        pieces, counts = Growing(np.int32), list[int]()
        remaining = map(clean, texts) if self._normalise else iter(texts)
        while block := [text.split() for text in islice(remaining, _TEXTS)]:
            counts += map(len, block)
            pieces.add(np.array(list(map(number, chain.from_iterable(block))), dtype=np.int32))
        return self._tokens_of(Ragged(pieces.whole(), offsets_of(counts)))

    def _tokens_of(self, pieces: Ragged) -> Ragged:
        lengths, starts, known = self._pieces.tables()
        values = Growing(np.int32)
        for part in row_blocks(np.arange(len(pieces.values) + 1), _BLOCK):
            numbers = pieces.values[part]
            values.add(known[ranges(starts[numbers], lengths[numbers])])
        ends = offsets_of(lengths[pieces.values])
        return Ragged(values.whole(), ends[pieces.offsets])


class _Pieces(dict[str, int]):
    """White-space separated piece -> its number; takes a piece apart when it is first asked for."""

    def __init__(self, numbers: dict[str, int], tokens_of: Callable[[str], list[str]]) -> None:
        super().__init__()
        self._numbers = numbers
        self._tokens_of = tokens_of
        self._lengths = array("i")
        self._values = array("i")

    def __missing__(self, piece: str) -> int:
        numbers = self._numbers
        found = self._tokens_of(piece)
        for token in found:
            self._values.append(numbers.setdefault(token, len(numbers)))
        number = self[piece] = len(self._lengths)
        self._lengths.append(len(found))
        return number

    def tables(self) -> tuple[IntArray, IntArray, NDArray[np.int32]]:
        """Tokens a piece, the place of its first one, and the tokens of all pieces one after another."""
        lengths = np.array(self._lengths, dtype=np.int64)
        return lengths, offsets_of(lengths)[:-1], np.array(self._values, dtype=np.int32)
