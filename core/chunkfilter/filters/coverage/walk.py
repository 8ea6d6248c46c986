"""The walk from the least to the most wanted chunk: one goes if what it holds still stands in the rest."""

from collections import Counter
from collections.abc import Callable
from typing import Protocol

from chunkfilter.filters.batch import BoolArray
from chunkfilter.filters.coverage.copies import Copies
from chunkfilter.filters.coverage.ledger import Ledger
from chunkfilter.filters.coverage.preference import Preference, Settled
from chunkfilter.text.ragged import IntArray

Keepers = tuple[int, ...]

#: How often a chunk may be taken back before it stays for good; once or twice is enough on real texts.
MOST_RETURNS = 8


class Finder(Protocol):
    """Answers which chunks of those that stay cover a given one."""

    @property
    def coverable(self) -> IntArray:
        """Rows that other rows might cover, ascending."""
        ...

    def find(self, row: int, stays: BoolArray, preference: Preference, /) -> Keepers | None:
        """Keepers of a row that does not stay, ``None`` if there are none."""
        ...

    def score(self, row: int, keepers: Keepers, /) -> float:
        """The share of a row's words that its keepers hold."""
        ...


class Walk:
    """Decides which chunks go, so that in the end each is covered by the keepers it names and they all stay.

    Copies have gone before, each for the first of them. A finder may know the others, which is only needed
    once one of them has to come back.

    Args:
        finder: prepares a finder; its argument tells which chunks may stand for others.
        copies: of the batch.
        active: shape (n,): chunks that take part.
        stored: the first rows, which never go.
    """

    def __init__(
        self, finder: Callable[[BoolArray], Finder], copies: Copies, active: BoolArray, stored: int
    ) -> None:
        self.ledger = Ledger(len(active))
        self._copies = copies
        self._active = active
        self._stays = active.copy()
        self._stored = stored
        for row, first in copies.first_copies().items():
            self.ledger.name(row, (first,))
            self._stays[row] = False
        self._prepare = finder
        self._known = self._stays.copy()
        self.finder = finder(self._known)

    def run(self) -> None:
        """Walk once, then settle: in the end no chunk that stays is covered by others that stay."""
        order = self.finder.coverable[::-1].tolist()
        blocked = [row for row in order if self._stays[row] and not self._let_go(row)]
        if any(self._returned_for(row) for row in blocked):
            self._settle()

    def _let_go(self, row: int) -> bool:
        """Let a chunk go unless it is not covered; ``False`` if it is, but those it stands for need it."""
        keepers = self._cover(row, row)
        if keepers is None:
            return True
        rehomed = self._rehomed(row)
        if None in rehomed.values():
            self._stays[row] = True
            return False
        self._commit(row, keepers, rehomed)
        return True

    def _settle(self) -> None:
        """Walk on with what was taken back, until nothing more goes; what came back too often stays."""
        returns, changed = Counter[int](), True
        while changed:
            changed = False
            for row in self.finder.coverable[::-1].tolist():
                if self._stays[row] and returns[row] < MOST_RETURNS:
                    returns.update(self._returned_for(row))
                    changed |= not self._stays[row]

    def _returned_for(self, row: int) -> set[int]:
        """Let a chunk go if it is covered, and take back those it stands for that nobody else covers."""
        keepers = self._cover(row, -1)
        if keepers is None:
            return set()
        rehomed = self._rehomed(row)
        self._commit(row, keepers, rehomed)
        returned: set[int] = set()
        for other in [other for other, found in rehomed.items() if found is None]:
            found = self._cover(other, -1)
            if found is not None:
                self.ledger.name(other, found)
            else:
                self._take_back(other)
                returned.add(other)
        return returned

    def _take_back(self, row: int) -> None:
        """A removed chunk stays after all; a copy, unknown to the finder, may now stand for others."""
        self.ledger.forget(row)
        self._stays[row] = True
        if not self._known[row]:
            self._known = self._active
            self.finder = self._prepare(self._active)

    def _cover(self, row: int, now: int) -> Keepers | None:
        """Keepers of a row without itself; where there are none it stays."""
        was, self._stays[row] = bool(self._stays[row]), False
        copy = self._copies.standing(row, self._stays)
        if copy is not None:
            return (copy,)
        found = self.finder.find(row, self._stays, Settled(now, self._stored, self.ledger))
        if found is None:
            self._stays[row] = was
        return found

    def _rehomed(self, row: int) -> dict[int, Keepers | None]:
        """Other keepers for each chunk that a row, no longer there, stands for."""
        return {other: self._cover(other, row) for other in sorted(self.ledger.stands_for(row))}

    def _commit(self, row: int, keepers: Keepers, rehomed: dict[int, Keepers | None]) -> None:
        for other, found in rehomed.items():
            if found is not None:
                self.ledger.name(other, found)
        self.ledger.name(row, keepers)
