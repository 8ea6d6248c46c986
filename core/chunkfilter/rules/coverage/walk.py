"""The walk from the least to the most wanted chunk: one is removed if kept chunks cover it."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from chunkfilter.text.ragged import BoolArray

Representatives = tuple[int, ...]
#: ``(row, kept, preference) -> the kept rows that cover it``, ``None`` if there are none.
Find = Callable[[int, BoolArray, Callable[[int], int]], Representatives | None]

#: How often a removal may be taken back before the chunk is kept for good; once or twice is enough on real
#: texts.
MOST_RETURNS = 8


class Copies(Protocol):
    """Which chunks are copies of each other."""

    def first_copies(self) -> dict[int, int]:
        """For each chunk with a copy more wanted than itself, the most wanted one."""
        ...

    def kept_copy(self, row: int, kept: BoolArray, /) -> int | None:
        """The most wanted kept copy of a chunk, other than itself."""
        ...


class Removals:
    """For each removed chunk its representatives, and for each of those the chunks it covers.

    Args:
        count: number of chunks.
    """

    def __init__(self, count: int) -> None:
        self.representatives: dict[int, Representatives] = {}
        #: Whether a chunk represents any other, shape (count,).
        self.represents = np.zeros(count, dtype=np.bool_)
        self._covered_by: dict[int, set[int]] = {}

    def record(self, row: int, representatives: Representatives) -> None:
        """Write down a removal, or other representatives for it."""
        self.forget(row)
        self.representatives[row] = representatives
        for other in representatives:
            self._covered_by.setdefault(other, set()).add(row)
            self.represents[other] = True

    def forget(self, row: int) -> None:
        """Take a removal back."""
        for other in self.representatives.pop(row, ()):
            self._covered_by[other].discard(row)
            self.represents[other] = bool(self._covered_by[other])

    def covered_by(self, row: int) -> list[int]:
        """The removed chunks that name a row, ascending."""
        return sorted(self._covered_by.get(row, ()))


@dataclass(frozen=True, slots=True)
class _Settled:
    """Prefers rows that will be kept for certain, then the most wanted.

    Args:
        now: where the walk is: later rows have been decided.
        existing: the first rows, which are never removed.
        removals: so far.
    """

    now: int
    existing: int
    removals: Removals

    def __call__(self, row: int) -> int:
        settled = row > self.now or row < self.existing or self.removals.represents[row]
        return row if settled else len(self.removals.represents) + row


class Walk:
    """Decides which chunks are removed, so that in the end each is covered by kept chunks and no kept one is.

    Args:
        find: finds the kept chunks that cover one.
        candidates: rows that others might cover, ascending.
        copies: of the chunks; each is removed first, for the most wanted of them.
        active: shape (n,): chunks that take part.
        existing: the first rows, which are never removed.
    """

    def __init__(
        self, find: Find, candidates: list[int], copies: Copies, active: BoolArray, existing: int
    ) -> None:
        self.removals = Removals(len(active))
        self._find = find
        self._candidates = candidates
        self._copies = copies
        self._kept = active.copy()
        self._existing = existing
        for row, first in copies.first_copies().items():
            self.removals.record(row, (first,))
            self._kept[row] = False

    def run(self) -> None:
        """Walk once; then settle, until no kept chunk is covered by other kept ones."""
        order = self._candidates[::-1]
        blocked = [row for row in order if self._kept[row] and not self._removed(row)]
        if any(self._returned_for(row) for row in blocked):
            self._settle()

    def _removed(self, row: int) -> bool:
        """Remove a chunk unless it is not covered; ``False`` if it is, but those it represents need it."""
        representatives = self._cover(row, row)
        if representatives is None:
            return True
        others = self._other_covers(row)
        if None in others.values():
            self._kept[row] = True
            return False
        self._commit(row, representatives, others)
        return True

    def _settle(self) -> None:
        """Walk on with what was taken back until nothing more is removed; what came back often is kept."""
        returns, changed = Counter[int](), True
        while changed:
            changed = False
            for row in self._candidates[::-1]:
                if self._kept[row] and returns[row] < MOST_RETURNS:
                    returns.update(self._returned_for(row))
                    changed |= not self._kept[row]

    def _returned_for(self, row: int) -> set[int]:
        """Remove a chunk if it is covered, and take back the removals that nothing else covers."""
        representatives = self._cover(row, -1)
        if representatives is None:
            return set()
        others = self._other_covers(row)
        self._commit(row, representatives, others)
        returned: set[int] = set()
        for other in [other for other, found in others.items() if found is None]:
            found = self._cover(other, -1)
            if found is not None:
                self.removals.record(other, found)
            else:
                self.removals.forget(other)
                self._kept[other] = True
                returned.add(other)
        return returned

    def _cover(self, row: int, now: int) -> Representatives | None:
        """Representatives of a row without itself; where there are none it keeps its state."""
        was, self._kept[row] = bool(self._kept[row]), False
        copy = self._copies.kept_copy(row, self._kept)
        if copy is not None:
            return (copy,)
        found = self._find(row, self._kept, _Settled(now, self._existing, self.removals))
        if found is None:
            self._kept[row] = was
        return found

    def _other_covers(self, row: int) -> dict[int, Representatives | None]:
        """Other representatives for each chunk that a row, no longer kept, represents."""
        return {other: self._cover(other, row) for other in self.removals.covered_by(row)}

    def _commit(
        self, row: int, representatives: Representatives, others: dict[int, Representatives | None]
    ) -> None:
        for other, found in others.items():
            if found is not None:
                self.removals.record(other, found)
        self.removals.record(row, representatives)
