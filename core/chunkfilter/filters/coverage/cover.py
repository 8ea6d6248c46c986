"""The few kept chunks that together cover one: a small exact set cover, depth first."""

from collections.abc import Callable, Sequence

from chunkfilter.filters.coverage.runs import Covering

#: Most keepers a removal may name, so that no chunk is pieced together from all over a corpus.
MAX_KEEPERS = 3
#: Candidates that one search looks at before it gives up and the chunk stays; real corpora stay below.
MOST_STEPS = 50_000


def smallest_cover(
    sentences: Sequence[Sequence[int]],
    stretches: Sequence[Covering],
    most: int = MAX_KEEPERS,
    preference: Callable[[int], int] = int,
    least: int = 1,
) -> tuple[int, ...] | None:
    """The fewest rows that cover everything asked for, ``None`` if more than ``most`` would be needed.

    Args:
        sentences: for each sentence the rows that give it.
        stretches: the stretches with the runs on them.
        most: largest number of rows.
        preference: among rows that give the same, the one with the smallest value is taken.
        least: number of rows to begin with, where fewer are known not to do.
    """
    search = _Search(sentences, stretches, preference)
    for depth in range(least, most + 1):
        found = search.deepen((), search.everything, depth)
        if found is not None:
            return tuple(sorted(found))
    return None


def one_or_two(
    asked: Sequence[Sequence[int]], most: int, preference: Callable[[int], int]
) -> tuple[int, ...] | None:
    """One row that is in every list, else two that share the lists between them, else ``None``.

    Args:
        asked: lists of rows, none of them empty.
        most: no pair is looked for if it is 1.
        preference: the rows with the smallest values are taken.
    """
    lists = [set(rows) for rows in sorted(asked, key=len)]
    in_all = set.intersection(*lists)
    if in_all:
        return (min(in_all, key=preference),)
    if most == 1:
        return None
    for one in sorted(lists[0], key=preference):
        in_others = set.intersection(*(rows for rows in lists if one not in rows))
        if in_others:
            other = min(in_others, key=preference)
            return (one, other) if one < other else (other, one)
    return None


class _Search:
    """Each sentence is a bit; ``given`` maps the rows worth choosing to the sentences they give."""

    def __init__(
        self,
        sentences: Sequence[Sequence[int]],
        stretches: Sequence[Covering],
        preference: Callable[[int], int],
    ) -> None:
        self._stretches = stretches
        self._steps = 0
        given = {row: 0 for stretch in stretches for row in stretch.runs}
        for place, rows in enumerate(sentences):
            for row in rows:
                given[row] = given.get(row, 0) | 1 << place
        self._given = self._distinct(given, preference)
        self.everything = (1 << len(sentences)) - 1
        self._most_given = max((mask.bit_count() for mask in self._given.values()), default=0)
        self._holders = [
            [row for row, mask in self._given.items() if mask >> place & 1] for place in range(len(sentences))
        ]

    def _distinct(self, given: dict[int, int], preference: Callable[[int], int]) -> dict[int, int]:
        """Rows that differ in what they give, best liked first."""
        best: dict[tuple[object, ...], int] = {}
        for row in sorted(given, key=preference):
            best.setdefault((given[row], *(stretch.runs.get(row) for stretch in self._stretches)), row)
        return {row: given[row] for row in best.values()}

    def deepen(self, chosen: tuple[int, ...], left: int, depth: int) -> tuple[int, ...] | None:
        """Add up to ``depth`` rows to the chosen ones until nothing is left."""
        if left.bit_count() > depth * self._most_given:
            return None
        open_stretch = None if left else self._first_open(chosen)
        if not left and open_stretch is None:
            return chosen
        if not depth or self._steps > MOST_STEPS:
            return None
        candidates = (
            self._by_run(chosen, open_stretch, depth) if open_stretch else self._by_sentence(left, depth)
        )
        for row in candidates:
            found = self.deepen((*chosen, row), left & ~self._given[row], depth - 1)
            if found is not None:
                return found
        return None

    def _first_open(self, chosen: tuple[int, ...]) -> Covering | None:
        return next((one for one in self._stretches if one.reach(chosen)[0] < one.end), None)

    def _by_sentence(self, left: int, depth: int) -> Sequence[int]:
        """Rows that give the rarest sentence left, those that give most first."""
        places = (place for place in range(left.bit_length()) if left >> place & 1)
        holders = min((self._holders[place] for place in places), key=len)
        self._steps += len(holders)
        if depth == 1:
            return [row for row in holders if not left & ~self._given[row]]
        return sorted(holders, key=lambda row: -(self._given[row] & left).bit_count())

    def _by_run(self, chosen: tuple[int, ...], stretch: Covering, depth: int) -> Sequence[int]:
        """Rows that lead a stretch further, those that lead furthest first."""
        here = stretch.reach(chosen)
        self._steps += len(stretch.runs)
        leading = [row for row in self._given if stretch.leads_on(row, here)]
        led = [(stretch.reach((*chosen, row))[0], row) for row in leading]
        enough = stretch.end if depth == 1 else 0
        return [row for end, row in sorted(led, key=lambda entry: -entry[0]) if end >= enough]
