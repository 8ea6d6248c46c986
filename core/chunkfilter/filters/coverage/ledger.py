"""Who stands for whom."""

from collections.abc import Set as AbstractSet

import numpy as np

_NOBODY: frozenset[int] = frozenset()


class Ledger:
    """Keeps, for each chunk that went, its keepers, and for each keeper the chunks it stands for.

    Args:
        count: number of chunks.
    """

    def __init__(self, count: int) -> None:
        self.keepers: dict[int, tuple[int, ...]] = {}
        #: Whether a chunk stands for any other, shape (count,).
        self.needed = np.zeros(count, dtype=np.bool_)
        self._stands_for: dict[int, set[int]] = {}

    def name(self, row: int, keepers: tuple[int, ...]) -> None:
        """Let a chunk go for its keepers, or give it new ones."""
        self.forget(row)
        self.keepers[row] = keepers
        for keeper in keepers:
            self._stands_for.setdefault(keeper, set()).add(row)
            self.needed[keeper] = True

    def forget(self, row: int) -> None:
        """Strike out a chunk: it does not go, or for others."""
        for keeper in self.keepers.pop(row, ()):
            self._stands_for[keeper].discard(row)
            self.needed[keeper] = bool(self._stands_for[keeper])

    def stands_for(self, row: int) -> AbstractSet[int]:
        """The chunks that name a row as keeper."""
        return self._stands_for.get(row, _NOBODY)
