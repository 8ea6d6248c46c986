"""The sentences of the chunks of a run as numbers: equal numbers mean equal text in an equal scope."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from chunkfilter.text.normalise import token_weight, tokens_of_normal
from chunkfilter.text.ragged import BoolArray, IntArray, Ragged, offsets_of
from chunkfilter.text.reading import Reading
from chunkfilter.text.sentences import terminator, without_full_stop


@dataclass(frozen=True, slots=True, eq=False)
class SentenceTable:
    """The sentences of n chunks.

    Args:
        rows: the number of each sentence of each chunk, n rows.
        leads: shape (total,): place, in the flat sentences, of the line that leads each one in; -1 for none.
        given: shape (total,): the number of each sentence as it is given to others.
        headless, start_cut, end_cut, open, start_given, end_given: shape (n,), as in :class:`Reading`.
        texts: the text of each number.
        scopes: shape (numbers,): the scope of each number.
        opened: shape (numbers,): the number of each sentence without its full stop.
        terminators: shape (numbers,): the number of what each sentence ends with; -1 without terminator.
    """

    rows: Ragged
    leads: IntArray
    given: IntArray
    headless: BoolArray
    start_cut: BoolArray
    end_cut: BoolArray
    open: BoolArray
    start_given: BoolArray
    end_given: BoolArray
    texts: list[str]
    scopes: IntArray
    opened: IntArray
    terminators: IntArray


def sentence_table(readings: Iterable[Reading], scopes: IntArray) -> SentenceTable:
    """Number the sentences of chunks.

    Args:
        readings: of n chunks.
        scopes: shape (n,); sentences of different scopes get different numbers.
    """
    numbers = _Numbers()
    flat, given, leads, lengths = list[int](), list[int](), list[int](), list[int]()
    flags = np.zeros((len(_FLAGS), len(scopes)), dtype=np.bool_)
    for row, (reading, scope) in enumerate(zip(readings, scopes.tolist(), strict=True)):
        leads += [place if place < 0 else len(flat) + place for place in reading.leads]
        flat += numbers.of(reading.texts, scope)
        given += numbers.of(reading.given(), scope)
        lengths.append(len(reading.texts))
        flags[:, row] = [getattr(reading, name) for name in _FLAGS]
    opened, terminators = numbers.derived()
    return SentenceTable(
        rows=Ragged(np.array(flat, dtype=np.int64), offsets_of(lengths)),
        leads=np.array(leads, dtype=np.int64),
        given=np.array(given, dtype=np.int64),
        **dict(zip(_FLAGS, flags, strict=True)),
        texts=numbers.texts,
        scopes=np.array(numbers.scopes, dtype=np.int64),
        opened=opened,
        terminators=terminators,
    )


_FLAGS = ("headless", "start_cut", "end_cut", "open", "start_given", "end_given")


class _Numbers:
    """Gives equal numbers to equal sentences of one scope."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.scopes: list[int] = []
        self._known: dict[int, dict[str, int]] = {}

    def of(self, texts: Iterable[str], scope: int) -> list[int]:
        known = self._known.setdefault(scope, {})
        found = []
        for text in texts:
            number = known.get(text)
            if number is None:
                number = known[text] = len(self.texts)
                self.texts.append(text)
                self.scopes.append(scope)
            found.append(number)
        return found

    def derived(self) -> tuple[IntArray, IntArray]:
        """The numbers of each sentence without its full stop and of its terminator, -1 without one."""
        opened, ending = list[int](), list[int]()
        for text, scope in list(zip(self.texts, self.scopes, strict=True)):
            opened += self.of([without_full_stop(text)], scope)
            last = terminator(text)
            ending += self.of([last], scope) if last else [-1]
        others = len(self.texts) - len(opened)
        return (
            np.array([*opened, *range(len(opened), len(self.texts))], dtype=np.int64),
            np.array([*ending, *[-1] * others], dtype=np.int64),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of n chunks as numbers.

    Args:
        rows: n rows of numbers; equal numbers mean equal tokens in an equal scope.
        ends: shape (sentences,): place, in the flat tokens, after each sentence.
        row_of: shape (total,): the chunk of each token.
        words: shape (total + 1,): quarters of a word that the tokens before each place count.
    """

    rows: Ragged
    ends: IntArray
    row_of: NDArray[np.int32]
    words: IntArray


def tokens_of(table: SentenceTable) -> Tokens:
    """The tokens of all chunks, each distinct sentence taken apart once."""
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    flat, lengths = list[int](), list[int]()
    used = int(table.rows.values.max(initial=-1)) + 1
    for parts in map(tokens_of_normal, table.texts[:used]):
        flat += map(numbers.__getitem__, parts)
        lengths.append(len(parts))
    weights = np.fromiter(map(token_weight, numbers), dtype=np.int64, count=len(numbers))
    values = np.array(flat, dtype=np.int32)
    weighed = Ragged(weights[values], offsets_of(lengths)).taken(table.rows.values)
    if len(np.unique(table.scopes)) > 1:
        scoped = np.repeat(table.scopes[:used], lengths) * len(numbers) + values
        values = np.unique(scoped, return_inverse=True)[1].reshape(-1).astype(np.int32)
    by_place = Ragged(values, offsets_of(lengths)).taken(table.rows.values)
    offsets = by_place.offsets[table.rows.offsets]
    return Tokens(
        Ragged(by_place.values, offsets),
        by_place.offsets[1:],
        np.repeat(np.arange(len(table.rows), dtype=np.int32), np.diff(offsets)),
        offsets_of(weighed.values.astype(np.int64, copy=False)),
    )
