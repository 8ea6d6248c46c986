"""What each chunk asks of those that would cover it, and which chunks meet that.

A need is a sentence, two neighbouring sentences, a sentence with the line that leads it in, or a piece
together with the sentence beside it. Needs are numbered, equal numbers for equal needs.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from chunkfilter.rules.coverage.fragments import Fragments, find_fragments
from chunkfilter.rules.coverage.table import SentenceTable, Tokens
from chunkfilter.text.ragged import AnyIntArray, BoolArray, IntArray, Ragged, offsets_of


@dataclass(frozen=True, slots=True, eq=False)
class Needs:
    """The needs of n chunks.

    Args:
        rows: the needs of each chunk, n rows of numbers.
        holders: the chunks that meet each need, ascending, k rows; the chunk that asks may be one of them.
        possible: shape (n,): chunks that ask, each of whose needs some other chunk meets.
    """

    rows: Ragged
    holders: Ragged
    possible: BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class _Items:
    """Things that chunks ask for or give: p keys, the chunk of each, its first and last sentence."""

    keys: IntArray
    rows: IntArray
    first: IntArray
    last: IntArray


class _Layout:
    """Places in the flat sentences, and the parts of each chunk that are whole.

    Args:
        table: sentences of n chunks.
    """

    def __init__(self, table: SentenceTable) -> None:
        self.table = table
        self.rows = table.rows.rows
        self.filled = np.flatnonzero(table.rows.lengths > 0)
        self.first, self.last = table.rows.offsets[:-1], table.rows.offsets[1:] - 1
        self.low = self.first + (table.start_cut | table.headless)
        self.high = self.last - table.end_cut
        self.count = len(table.texts)
        places = np.arange(len(self.rows))
        self.is_first, self.is_last = places == self.first[self.rows], places == self.last[self.rows]
        #: Sentences that a chunk asks for, and whether each is open: no terminator shows that it ends.
        self.asked = (places >= self.low[self.rows]) & (places <= self.high[self.rows])
        self.open = self.is_last & table.open[self.rows]
        #: Sentences that a chunk gives.
        self.given = ~(self.is_first & ~table.start_given[self.rows])
        self.given &= ~(self.is_last & ~table.end_given[self.rows])

    def codes(self, numbers: AnyIntArray, opened: BoolArray | bool) -> IntArray:
        """A code for each sentence; another one if it counts without its full stop."""
        codes: IntArray = np.where(opened, self.count + self.table.opened[numbers], numbers)
        return codes

    def pairs(self, numbers: AnyIntArray, codes: IntArray) -> IntArray:
        """Keys of pairs of a sentence and the code of another; those of single sentences are their codes."""
        return 2 * self.count * (numbers.astype(np.int64) + 1) + codes

    def items(self, keys: IntArray, first: IntArray, last: IntArray) -> _Items:
        """Items that reach from some sentences to others of the same chunk."""
        return _Items(keys, self.rows[last], first, last)


def find_needs(
    table: SentenceTable, tokens: Tokens, seen: IntArray | None, asking: BoolArray, giving: BoolArray
) -> Needs:
    """Match what chunks ask for with what others give.

    Args:
        table: sentences of n chunks.
        tokens: of the same chunks.
        seen: shape (n,): tokens of each chunk that an embedder sees, ``None`` if it sees all. What begins
            among them must be met by what is seen of others.
        asking: shape (n,): chunks that may be removed.
        giving: shape (n,): chunks that may cover others.
    """
    layout = _Layout(table)
    limits = None if seen is None else tokens.rows.offsets[:-1] + seen
    begins = np.concatenate([[0], tokens.ends[:-1]]) if len(tokens.ends) else tokens.ends
    asked = [_where(items, asking[items.rows]) for items in _asked(layout)]
    keys = np.concatenate([_asked_keys(items, begins, limits) for items in asked])
    rows = np.concatenate([items.rows for items in asked])
    wanted, numbers = np.unique(keys, return_inverse=True)
    given = [
        part
        for items in _given(layout)
        for part in _given_keys(_where(items, giving[items.rows]), tokens.ends, limits, wanted)
    ]
    pieces = _fragments(layout, begins, tokens.ends, asking)
    found = find_fragments(pieces, tokens, giving)
    must = (
        np.zeros(len(pieces.rows), dtype=np.bool_) if limits is None else pieces.starts < limits[pieces.rows]
    )
    shown = np.ones(len(found.rows), dtype=np.bool_) if limits is None else found.ends <= limits[found.rows]
    base = len(wanted) + 2  # fragments are numbered behind the other needs; -1 becomes a need nobody meets
    return _matched(
        np.concatenate([rows, pieces.rows]),
        np.concatenate([numbers, base + 2 * found.groups + must]),
        np.concatenate(
            [*(part[0] for part in given), base + 2 * found.found, (base + 2 * found.found + 1)[shown]]
        ),
        np.concatenate([*(part[1] for part in given), found.rows, found.rows[shown]]),
        asking & (table.rows.lengths > 0),
    )


def _where(items: _Items, mask: BoolArray) -> _Items:
    return _Items(items.keys[mask], items.rows[mask], items.first[mask], items.last[mask])


def _asked(layout: _Layout) -> Iterator[_Items]:
    table, asked = layout.table, layout.asked
    places = np.flatnonzero(asked)
    numbers = table.rows.values
    codes = layout.codes(numbers, layout.open)
    second = places[asked[places - 1] & ~layout.is_first[places]]
    yield layout.items(layout.pairs(numbers[second - 1], codes[second]), second - 1, second)
    led = places[(table.leads[places] >= 0) & (table.leads[places] != places - 1)]
    yield layout.items(layout.pairs(numbers[table.leads[led]], codes[led]), table.leads[led], led)
    lone = places[(layout.low == layout.high)[layout.rows[places]]]
    yield layout.items(codes[lone], lone, lone)
    behind = places[table.headless[layout.rows[places]] & (places == layout.low[layout.rows[places]])]
    yield layout.items(layout.pairs(layout.count + numbers[behind - 1], codes[behind]), behind, behind)


def _given(layout: _Layout) -> Iterator[_Items]:
    table, numbers = layout.table, layout.table.rows.values
    places = np.flatnonzero(layout.given)
    for opened in (False, True):
        codes = layout.codes(table.given[places], opened)
        yield layout.items(codes, places, places)
        mask = layout.given[places - 1] & ~layout.is_first[places]
        yield layout.items(
            layout.pairs(numbers[places[mask] - 1], codes[mask]), places[mask] - 1, places[mask]
        )
        leads = table.leads[places]
        mask = (leads >= 0) & layout.given[leads]
        yield layout.items(layout.pairs(numbers[leads[mask]], codes[mask]), leads[mask], places[mask])
        ends = np.where(layout.is_first[places], -1, table.terminators[numbers[places - 1]])
        mask = ends >= 0
        yield layout.items(layout.pairs(layout.count + ends[mask], codes[mask]), places[mask], places[mask])


def _fragments(layout: _Layout, begins: IntArray, ends: IntArray, asking: BoolArray) -> Fragments:
    """The pieces of each chunk with the sentence beside them, as slices of the flat tokens."""
    table, lengths = layout.table, layout.table.rows.lengths
    at_start = np.flatnonzero(asking & table.start_cut & (lengths > 0))
    at_end = np.flatnonzero(asking & table.end_cut & (lengths > 0))
    both = table.start_cut & (lengths <= 2)  # then the piece at the start reaches to the end
    at_end = at_end[~both[at_end]]
    beside_start = np.minimum(layout.first[at_start] + 1, layout.last[at_start])
    beside_end = np.maximum(layout.last[at_end] - 1, layout.first[at_end] + table.headless[at_end])
    beside_end = np.minimum(beside_end, layout.last[at_end])
    return Fragments(
        np.concatenate([at_start, at_end]),
        np.concatenate([begins[layout.first[at_start]], begins[beside_end]]),
        np.concatenate([ends[beside_start], ends[layout.last[at_end]]]),
    )


def _asked_keys(items: _Items, begins: IntArray, limits: IntArray | None) -> IntArray:
    """Odd keys for what must be met by what an embedder sees, even ones for what may be met anywhere."""
    return 2 * items.keys + (False if limits is None else begins[items.first] < limits[items.rows])


def _given_keys(
    items: _Items, ends: IntArray, limits: IntArray | None, wanted: IntArray
) -> Iterator[tuple[IntArray, IntArray]]:
    """The numbers of the wanted keys among those given, and the chunks that give them."""
    shown = (
        np.zeros(0, dtype=np.int64)
        if limits is None
        else np.flatnonzero(ends[items.last] <= limits[items.rows])
    )
    for keys, rows in ((2 * items.keys, items.rows), (2 * items.keys[shown] + 1, items.rows[shown])):
        numbers = np.minimum(np.searchsorted(wanted, keys), max(len(wanted) - 1, 0))
        there = wanted[numbers] == keys if len(wanted) else np.zeros(len(keys), dtype=np.bool_)
        yield numbers[there], rows[there]


def _matched(rows: IntArray, needs: IntArray, given: IntArray, holders: IntArray, asking: BoolArray) -> Needs:
    """Put needs and the chunks that meet them in rows; see :func:`find_needs`."""
    count = len(asking)
    entries = np.unique(given * count + holders)
    number_of_needs = int(max(needs.max(initial=-1), given.max(initial=-1))) + 1
    held = np.bincount(entries // max(count, 1), minlength=number_of_needs)
    own = needs * count + rows
    place = np.minimum(np.searchsorted(entries, own), max(len(entries) - 1, 0))
    own_holder = entries[place] == own if len(entries) else np.zeros(len(own), dtype=np.bool_)
    possible = asking.copy()
    possible[rows[held[needs] - own_holder < 1]] = False
    asked = np.bincount(rows, minlength=count)
    possible &= asked > 0  # a lone terminator asks for nothing that a sentence could meet
    order = np.lexsort((needs, rows))
    return Needs(
        Ragged(needs[order], offsets_of(asked)),
        Ragged(entries % max(count, 1), offsets_of(held)),
        possible,
    )
