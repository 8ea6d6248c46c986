"""Finds the kept chunks that cover one, from the arrays of the whole batch."""

from collections.abc import Callable

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.coverage.cover import MAX_KEEPERS, smallest_cover
from chunkfilter.filters.coverage.needs import Needs
from chunkfilter.filters.coverage.runs import Covering, RunFinder
from chunkfilter.filters.coverage.units import Units
from chunkfilter.text.ragged import IntArray


class CoverFinder:
    """Answers which chunks of those that stay cover a given one.

    Args:
        batch: n chunks.
        units: their sentences.
        active: shape (n,): chunks that take part.
        gives: shape (n,): those of them that may stand for others.
        most: largest number of keepers.
    """

    def __init__(
        self, batch: Batch, units: Units, active: BoolArray, gives: BoolArray, most: int = MAX_KEEPERS
    ) -> None:
        self._needs = Needs(batch, units, active, gives)
        self._coverable = self._needs.coverable
        self._runs = RunFinder(batch.words, units.seen, batch.word_weights)
        self._most = most

    @property
    def coverable(self) -> IntArray:
        """Rows that other rows might cover, ascending."""
        return np.flatnonzero(self._coverable)

    def find(self, row: int, stays: BoolArray, preference: Callable[[int], int]) -> tuple[int, ...] | None:
        """The fewest rows that cover one, ``None`` if it takes more than ``most``.

        Args:
            row: a chunk that does not stay.
            stays: shape (n,): chunks that may be named.
            preference: of rows that give the same, the one with the smallest value is named.
        """
        if not self._coverable[row]:
            return None
        need = self._needs.of(row)
        sentences: list[list[int]] = []
        for key, seen in need.sentences:
            sentences.append(self._givers(key, seen, stays))
            if not sentences[-1]:
                return None
        coverings: list[Covering] = []
        for stretch in need.stretches:
            givers = self._givers(stretch.key, stretch.seen, stays) if stretch.key >= 0 else []
            covering = self._runs.covering(stretch, self._needs.shingles[stretch.size], stays, givers)
            if covering is None:
                return None
            coverings.append(covering)
        return smallest_cover(sentences, coverings, self._most, preference)

    def score(self, row: int, keepers: tuple[int, ...]) -> float:
        """The share of its words that the keepers of a covered chunk hold: all."""
        del row, keepers
        return 1.0

    def _givers(self, key: int, seen: bool, stays: BoolArray) -> list[int]:
        """The rows that stay and give a sentence, in what is seen of them if it must be seen."""
        holders = self._needs.seen if seen else self._needs.anywhere
        rows = holders.rows[holders.offsets[key] : holders.offsets[key + 1]]
        found: list[int] = rows[stays[rows]].tolist()
        return found
