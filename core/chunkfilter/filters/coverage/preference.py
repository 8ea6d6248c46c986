"""Which of several rows that give the same is named as keeper: the one with the smallest value."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from chunkfilter.filters.coverage.ledger import Ledger
from chunkfilter.text.ragged import IntArray


class Preference(Protocol):
    """Values of rows, distinct for distinct rows."""

    def __call__(self, row: int, /) -> int:
        """The value of one row."""
        ...

    def best(self, rows: IntArray, /) -> int:
        """The row with the smallest value among some, at least one."""
        ...


class FirstWanted:
    """The most wanted row."""

    def __call__(self, row: int, /) -> int:
        """The row itself: a smaller number is more wanted."""
        return row

    def best(self, rows: IntArray, /) -> int:
        """The smallest."""
        return int(rows.min())


@dataclass(frozen=True, slots=True)
class Settled:
    """Rows that will stay for certain come first, then the most wanted.

    Args:
        now: where the walk stands: later rows have had their turn.
        stored: the first rows, which never go.
        ledger: who stands for whom.
    """

    now: int
    stored: int
    ledger: Ledger

    def __call__(self, row: int, /) -> int:
        """The row itself, or so much more that it comes after all settled ones."""
        settled = row > self.now or row < self.stored or self.ledger.needed[row]
        return row if settled else len(self.ledger.needed) + row

    def best(self, rows: IntArray, /) -> int:
        """The first settled row, else the most wanted."""
        settled = (rows > self.now) | (rows < self.stored) | self.ledger.needed[rows]
        return int(rows[np.argmin(np.where(settled, rows, len(self.ledger.needed) + rows))])
