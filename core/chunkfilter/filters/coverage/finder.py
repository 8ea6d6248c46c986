"""Finds the kept chunks that cover one, from the arrays of the whole batch."""

from collections.abc import Sequence

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.coverage.cover import MAX_KEEPERS, one_or_two, smallest_cover
from chunkfilter.filters.coverage.crowds import Answers, one_or_two_of_many
from chunkfilter.filters.coverage.needs import Needs
from chunkfilter.filters.coverage.preference import Preference
from chunkfilter.filters.coverage.runs import Covering, RunFinder
from chunkfilter.filters.coverage.singles import Singles
from chunkfilter.filters.coverage.units import Units
from chunkfilter.text.ragged import IntArray

#: Lists of so few rows in all are searched for one or two keepers by plain set operations.
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

    def find(self, row: int, stays: BoolArray, preference: Preference) -> tuple[int, ...] | None:
        """A few rows that cover one, ``None`` if it takes more than ``most``.

        Rows that hold all of a stretch are tried first; only where they do not do, several may share one.

        Args:
            row: a chunk that does not stay.
            stays: shape (n,): chunks that may be named.
            preference: of rows that give the same, the one with the smallest value is named.
        """
        if not self._coverable[row]:
            return None
        given = list(self._needs.sentences(row))
        numbers = self._needs.stretches_of(row)
        asked = [*((rows,) for rows in given), *map(self._answers, numbers)]
        crowded = sum(len(rows) for answers in asked for rows in answers) > _FEW
        if crowded:
            found = one_or_two_of_many(asked, stays, self._most, preference)
            if found is not None:
                return found
        sentences: list[list[int]] = []
        for rows in given:
            sentences.append(_staying(rows, stays))
            if not sentences[-1]:
                return None
        whole = [
            [other for rows in answers for other in _staying(rows, stays)] for answers in asked[len(given) :]
        ]
        if all(whole):
            lists = [*sentences, *whole]
            found = None if crowded else one_or_two(lists, self._most, preference)
            found = found or smallest_cover(lists, (), self._most, preference, least=3)
            if found is not None:
                return found
        coverings = self._coverings(numbers, stays)
        return None if coverings is None else smallest_cover(sentences, coverings, self._most, preference)

    def score(self, row: int, keepers: tuple[int, ...]) -> float:
        """The share of its words that the keepers of a covered chunk hold: all."""
        del row, keepers
        return 1.0

    def _givers(self, key: int, seen: bool, stays: BoolArray) -> list[int]:
        """The rows that stay and give a sentence, in what is seen of them if it must be seen."""
        return _staying(self._needs.givers(key, seen), stays)

    def _answers(self, number: int) -> Answers:
        """The rows that hold a stretch in one run, and those that give the sentence that does as well."""
        key = int(self._needs.stretches.keys[number])
        rows = self._singles.rows(number)
        return (
            (rows, self._needs.givers(key, bool(self._needs.stretches.seen[number]))) if key >= 0 else (rows,)
        )

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
