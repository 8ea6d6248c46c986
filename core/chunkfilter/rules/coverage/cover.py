"""The few kept chunks that together cover one: a small exact set cover."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np

from chunkfilter.rules.coverage.needs import Needs
from chunkfilter.text.ragged import BoolArray

#: Most representatives a removal may name, so that no chunk is pieced together from all over a corpus.
MOST = 3
#: Kept holders of a need, the most wanted first, that are tried as representatives, and entries of its list
#: that are looked at for them. A chunk that would take more is kept: this bounds the work where a need is met
#: by thousands.
TRIED, LOOKED_AT = 64, 4096

Slice = tuple[int, int]


class CoverFinder:
    """Finds kept chunks that cover a given one.

    Args:
        needs: of n chunks.
    """

    def __init__(self, needs: Needs) -> None:
        self._needs = needs.rows
        self._offsets = needs.holders.offsets
        self._holders = memoryview(np.ascontiguousarray(needs.holders.values, dtype=np.int64).data)
        self.possible = needs.possible

    def find(self, row: int, kept: BoolArray, preference: Callable[[int], int]) -> tuple[int, ...] | None:
        """The fewest kept chunks, ascending, that meet all needs of a chunk; ``None`` for over ``MOST``.

        Args:
            row: a chunk that is not kept.
            kept: shape (n,): chunks that may be named.
            preference: among chunks that do equally well, the one with the smallest value is named.
        """
        if not self.possible[row]:
            return None
        needs = self._needs[row].tolist()
        lists = [(int(self._offsets[need]), int(self._offsets[need + 1])) for need in dict.fromkeys(needs)]
        lists.sort(key=lambda bounds: bounds[1] - bounds[0])
        for most in range(1, MOST + 1):
            found = self._search(lists, most, kept, preference)
            if found is not None:
                return tuple(sorted(found))
        return None

    def _search(
        self, lists: Sequence[Slice], most: int, kept: BoolArray, preference: Callable[[int], int]
    ) -> tuple[int, ...] | None:
        """At most ``most`` rows of which each list holds one: one of the shortest list is among them."""
        for row in sorted(self._kept(lists[0], kept), key=preference):
            left = [bounds for bounds in lists[1:] if not self._holds(bounds, row)]
            if not left:
                return (row,)
            if most > 1:
                found = self._search(left, most - 1, kept, preference)
                if found is not None:
                    return (row, *found)
        return None

    def _kept(self, bounds: Slice, kept: BoolArray) -> list[int]:
        start, end = bounds
        looked_at = self._holders[start : min(end, start + LOOKED_AT)]
        return list(islice((row for row in looked_at if kept[row]), TRIED))

    def _holds(self, bounds: Slice, row: int) -> bool:
        place = bisect_left(self._holders, row, *bounds)
        return place < bounds[1] and self._holders[place] == row
