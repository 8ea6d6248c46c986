"""For each stretch the rows that hold all of it in one run: nearly always enough to cover a chunk."""

from collections.abc import Iterator

import numpy as np

from chunkfilter.filters.batch import BoolArray
from chunkfilter.filters.coverage.index import RowArray, Shingles
from chunkfilter.filters.coverage.stretches import RUN, Stretches
from chunkfilter.text.ragged import AnyIntArray, IntArray, Ragged, offsets_of, ranges
from chunkfilter.text.weights import Weights
from chunkfilter.text.words import QUARTERS

#: Words compared at once.
_TILE = 1 << 22
#: Stretches that take more words to compare than this are compared when they are asked for, equal ones once.
_CROWD = 1 << 12
#: Those that take more than this, as in texts that repeat one word, are left to the search that knows which
#: chunks stay.
_MOST_COMPARED = 1 << 18


class Singles:
    """The rows that hold whole stretches, found for all stretches of a batch at once.

    Args:
        stretches: s stretches.
        shingles: by size, for every size among the stretches asked for.
        asking: shape (s,): stretches to answer.
        words: n rows.
        rows: shape (total,): the row of each word.
        seen: shape (n,), one past the last word seen of each row.
        weight: of the words.
    """

    def __init__(
        self,
        stretches: Stretches,
        shingles: dict[int, Shingles],
        asking: BoolArray,
        words: Ragged,
        rows: RowArray,
        seen: IntArray,
        weight: Weights,
    ) -> None:
        self._stretches = stretches
        self._words = words
        self._seen = seen
        self._weight = weight
        self._row_of = rows
        self._crowds: dict[int, list[tuple[Shingles, int]]] = {}
        self._answered: dict[tuple[object, ...], IntArray] = {}
        found = [
            part
            for size, of_size in shingles.items()
            for part in self._found(of_size, np.flatnonzero(asking & (stretches.sizes == size)))
        ]
        numbers = np.concatenate([part[0] for part in found]) if found else np.empty(0, dtype=np.int64)
        holding = np.concatenate([part[1] for part in found]) if found else np.empty(0, dtype=np.int64)
        order = np.lexsort((holding, numbers))
        self._rows = holding[order]
        self._first = np.searchsorted(numbers[order], np.arange(len(stretches.rows) + 1))

    def rows(self, stretch: int) -> IntArray:
        """Rows that hold a stretch, ascending; a row may come more than once, and that of the stretch too."""
        crowds = self._crowds.get(stretch)
        if crowds is not None:
            parts = [self._crowd(stretch, *crowd) for crowd in crowds]
            return parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))
        return self._rows[self._first[stretch] : self._first[stretch + 1]]

    def _found(self, shingles: Shingles, asking: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Pairs of a stretch and a row that holds it, tile by tile."""
        stretches, size = self._stretches, shingles.size
        lengths = stretches.ends[asking] - stretches.starts[asking]
        numbers, ours = _rarest(shingles, asking[lengths >= size], stretches)
        short = _around(asking[lengths < size], stretches, size)
        numbers, ours = np.concatenate([numbers, short[0]]), np.concatenate([ours, short[1]])
        groups = shingles.group[ours]
        numbers, ours, groups = numbers[groups >= 0], ours[groups >= 0], groups[groups >= 0]
        counts = shingles.offsets[groups + 1] - shingles.offsets[groups]
        compared = counts * np.maximum(stretches.ends - stretches.starts, size)[numbers]
        for place in np.flatnonzero((compared > _CROWD) & (compared <= _MOST_COMPARED)).tolist():
            self._crowds.setdefault(int(numbers[place]), []).append((shingles, int(ours[place])))
        chosen = np.flatnonzero(compared <= _CROWD)
        compared = compared[chosen]
        tiles = np.flatnonzero(np.diff(np.cumsum(compared) // _TILE)) + 1
        for tile in np.split(chosen, tiles):
            found, rows = self._held(shingles, numbers[tile], ours[tile], groups[tile], counts[tile])
            others = rows != stretches.rows[found]
            yield found[others], rows[others]

    def _crowd(self, stretch: int, shingles: Shingles, ours: int) -> IntArray:
        """The rows of a crowd that hold a stretch, by a shingle of it."""
        stretches, group = self._stretches, shingles.group[ours : ours + 1]
        start = min(int(stretches.starts[stretch]), ours)
        end = max(int(stretches.ends[stretch]), ours + shingles.size)
        whole = start == stretches.lows[stretch] and end == stretches.highs[stretch]
        run = self._words.values[start:end].tobytes()
        key = (shingles.size, int(group[0]), run, bool(stretches.seen[stretch]), bool(whole))
        if key not in self._answered:
            counts = shingles.offsets[group + 1] - shingles.offsets[group]
            found = self._held(shingles, np.array([stretch]), np.array([ours]), group, counts)
            self._answered[key] = np.unique(found[1])
        return self._answered[key]

    def _held(
        self, shingles: Shingles, numbers: IntArray, ours: IntArray, groups: AnyIntArray, counts: IntArray
    ) -> tuple[IntArray, IntArray]:
        stretches = self._stretches
        theirs = shingles.places[ranges(shingles.offsets[groups], counts)]
        rows, numbers = self._row_of[theirs].astype(np.int64), np.repeat(numbers, counts)
        ours = np.repeat(ours, counts)
        starts = np.minimum(stretches.starts[numbers], ours)
        ends = np.maximum(stretches.ends[numbers], ours + shingles.size)
        shift = theirs - ours
        limit = np.where(stretches.seen[numbers], self._seen[rows], self._words.offsets[rows + 1])
        long_enough = self._weight.between(starts, ends) >= RUN * QUARTERS
        long_enough |= (starts == stretches.lows[numbers]) & (ends == stretches.highs[numbers])
        fits = (starts + shift >= self._words.offsets[rows]) & (ends + shift <= limit) & long_enough
        starts, ends, shift, rows, numbers = starts[fits], ends[fits], shift[fits], rows[fits], numbers[fits]
        lengths, values = ends - starts, self._words.values
        unequal = values[ranges(starts, lengths)] != values[ranges(starts + shift, lengths)]
        equal = np.ones(len(starts), dtype=np.bool_)
        equal[np.repeat(np.arange(len(starts)), lengths)[unequal]] = False
        return numbers[equal], rows[equal]


def _rarest(shingles: Shingles, asking: IntArray, stretches: Stretches) -> tuple[IntArray, IntArray]:
    """For each stretch with room for a shingle, the one with the fewest places inside it."""
    if not len(asking):
        return asking, asking
    counts = stretches.ends[asking] - stretches.starts[asking] - shingles.size + 1
    places = ranges(stretches.starts[asking], counts)
    groups = shingles.group[places]
    sizes = np.where(groups < 0, 0, shingles.offsets[groups + 1] - shingles.offsets[groups])
    coded = sizes * (1 << 24) + (places - np.repeat(stretches.starts[asking], counts))
    rarest = np.minimum.reduceat(coded, offsets_of(counts)[:-1])
    return asking, stretches.starts[asking] + (rarest & ((1 << 24) - 1))


def _around(asking: IntArray, stretches: Stretches, size: int) -> tuple[IntArray, IntArray]:
    """For each stretch shorter than a shingle, the shingles that hold all of it."""
    first = np.maximum(stretches.lows[asking], stretches.ends[asking] - size)
    last = np.minimum(stretches.starts[asking], stretches.highs[asking] - size)
    counts = np.maximum(last - first + 1, 0)
    return np.repeat(asking, counts), ranges(first, counts)
