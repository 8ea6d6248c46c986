"""Finds the kept chunks that cover one, from the arrays of the whole batch."""

from collections.abc import Callable, Sequence

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.coverage.cover import MAX_KEEPERS, one_or_two, smallest_cover
from chunkfilter.filters.coverage.needs import Needs
from chunkfilter.filters.coverage.runs import Covering, RunFinder
from chunkfilter.filters.coverage.singles import Singles
from chunkfilter.filters.coverage.units import Units
from chunkfilter.text.ragged import IntArray

#: Lists with fewer rows in all are searched for one or two keepers by plain set operations.
_FEW = 1000
#: Shorter lists are faster without numpy.
_SHORT = 16


def _staying(rows: IntArray, stays: BoolArray) -> list[int]:
    if len(rows) <= _SHORT:
        return [row for row in rows.tolist() if stays[row]]
    found: list[int] = rows[stays[rows]].tolist()
    return found


class CoverFinder:
    """Answers which chunks of those that stay cover a given one.

    Args:
        batch: n chunks.
        units: their sentences.
        active: shape (n,): chunks that take part.
        gives: shape (n,): those of them that may stand for others.
        most: largest number of keepers.
        seams: whether runs may only meet where a keeper begins or ends; ``False`` measures what that costs.
    """

    def __init__(
        self,
        batch: Batch,
        units: Units,
        active: BoolArray,
        gives: BoolArray,
        *,
        most: int = MAX_KEEPERS,
        seams: bool = True,
    ) -> None:
        needs = self._needs = Needs(batch, units, active, gives)
        self._coverable = needs.coverable
        self._runs = RunFinder(batch.words, batch.word_rows, units.seen, batch.weight, seams=seams)
        asking = self._coverable[needs.stretches.rows]
        self._singles = Singles(
            needs.stretches,
            needs.shingles,
            asking,
            batch.words,
            batch.word_rows,
            units.seen,
            batch.weight,
        )
        self._most = most

    @property
    def coverable(self) -> IntArray:
        """Rows that other rows might cover, ascending."""
        return np.flatnonzero(self._coverable)

    def find(self, row: int, stays: BoolArray, preference: Callable[[int], int]) -> tuple[int, ...] | None:
        """A few rows that cover one, ``None`` if it takes more than ``most``.

        Rows that hold all of a stretch are tried first; only where they do not do, several may share one.

        Args:
            row: a chunk that does not stay.
            stays: shape (n,): chunks that may be named.
            preference: of rows that give the same, the one with the smallest value is named.
        """
        if not self._coverable[row]:
            return None
        sentences: list[list[int]] = []
        for rows in self._needs.sentences(row):
            sentences.append(_staying(rows, stays))
            if not sentences[-1]:
                return None
        numbers = self._needs.stretches_of(row)
        whole = [self._holders(number, stays) for number in numbers]
        if all(whole):
            found = self._by_lists([*sentences, *whole], preference)
            if found is not None:
                return found
        coverings = self._coverings(numbers, stays)
        return None if coverings is None else smallest_cover(sentences, coverings, self._most, preference)

    def _by_lists(self, asked: list[list[int]], preference: Callable[[int], int]) -> tuple[int, ...] | None:
        if sum(map(len, asked)) > _FEW:
            return smallest_cover(asked, (), self._most, preference)
        found = one_or_two(asked, self._most, preference)
        return found or smallest_cover(asked, (), self._most, preference, least=3)

    def score(self, row: int, keepers: tuple[int, ...]) -> float:
        """The share of its words that the keepers of a covered chunk hold: all."""
        del row, keepers
        return 1.0

    def _givers(self, key: int, seen: bool, stays: BoolArray) -> list[int]:
        """The rows that stay and give a sentence, in what is seen of them if it must be seen."""
        return _staying(self._needs.givers(key, seen), stays)

    def _holders(self, number: int, stays: BoolArray) -> list[int]:
        """The rows that stay and hold a stretch in one run, or give the sentence that does as well."""
        found = _staying(self._singles.rows(number), stays)
        key = int(self._needs.stretches.keys[number])
        if key >= 0:
            found.extend(self._givers(key, bool(self._needs.stretches.seen[number]), stays))
        return found

    def _coverings(self, numbers: Sequence[int], stays: BoolArray) -> list[Covering] | None:
        coverings: list[Covering] = []
        for number in numbers:
            stretch = self._needs.stretches[number]
            givers = self._givers(stretch.key, stretch.seen, stays) if stretch.key >= 0 else []
            covering = self._runs.covering(stretch, self._needs.shingles[stretch.size], stays, givers)
            if covering is None:
                return None
            coverings.append(covering)
        return coverings
