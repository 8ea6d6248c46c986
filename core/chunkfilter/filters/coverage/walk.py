"""The walk from the least to the most wanted chunk: one goes if what it holds still stands in the rest."""

from collections.abc import Callable
from typing import Protocol

from chunkfilter.filters.batch import BoolArray
from chunkfilter.filters.coverage.ledger import Ledger
from chunkfilter.text.ragged import IntArray


class Finder(Protocol):
    """Answers which chunks of those that stay cover a given one."""

    @property
    def coverable(self) -> IntArray:
        """Rows that other rows might cover, ascending."""
        ...

    def find(self, row: int, stays: BoolArray, preference: Callable[[int], int], /) -> tuple[int, ...] | None:
        """Keepers of a row that does not stay, ``None`` if there are none."""
        ...


class Walk:
    """Decides which chunks go, so that in the end each is covered by the keepers it names and they all stay.

    Args:
        finder: finds covers.
        ledger: copies that have gone before; the walk adds to it.
        stays: shape (n,): chunks that have not gone; changed by the walk.
        stored: the first rows, which never go.
    """

    def __init__(self, finder: Finder, ledger: Ledger, stays: BoolArray, stored: int) -> None:
        self._finder = finder
        self._ledger = ledger
        self._stays = stays
        self._stored = stored

    def run(self) -> None:
        """Walk once, then settle: in the end no chunk that stays is covered by others that stay."""
        order = self._finder.coverable[::-1].tolist()
        blocked = [row for row in order if self._stays[row] and not self._let_go(row)]
        if blocked:
            self._settle(order)

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

    def _settle(self, order: list[int]) -> None:
        """Where a covered chunk would have to stay for one that has gone, take that one back instead.

        What was taken back does not go again, so this ends.
        """
        returned: set[int] = set()
        changed = True
        while changed:
            changed = False
            for row in order:
                if not self._stays[row] or row in returned:
                    continue
                keepers = self._cover(row, -1)
                if keepers is None:
                    continue
                rehomed = self._rehomed(row)
                lost = [other for other, found in rehomed.items() if found is None]
                self._commit(row, keepers, rehomed)
                for other in lost:
                    self._ledger.forget(other)
                    self._stays[other] = True
                returned.update(lost)
                changed = True

    def _cover(self, row: int, now: int) -> tuple[int, ...] | None:
        """Keepers of a row without itself; where there are none it stays."""
        was, self._stays[row] = bool(self._stays[row]), False
        found = self._finder.find(row, self._stays, lambda other: self._preference(other, now))
        if found is None:
            self._stays[row] = was
        return found

    def _preference(self, row: int, now: int) -> int:
        """Rows that will stay for certain come first, then the most wanted."""
        settled = row > now or row < self._stored or self._ledger.stands_for(row)
        return row if settled else len(self._stays) + row

    def _rehomed(self, row: int) -> dict[int, tuple[int, ...] | None]:
        """Other keepers for each chunk that a row, no longer there, stands for."""
        return {other: self._cover(other, row) for other in sorted(self._ledger.stands_for(row))}

    def _commit(self, row: int, keepers: tuple[int, ...], rehomed: dict[int, tuple[int, ...] | None]) -> None:
        for other, found in rehomed.items():
            if found is not None:
                self._ledger.name(other, found)
        self._ledger.name(row, keepers)
