"""The chunks of a variant, ranked for each question: one deep search, one mask a variant."""

from dataclasses import dataclass

import numpy as np

from chunkfilter.evaluate.search import Search
from chunkfilter.evaluate.sets import BoolArray, first_of_each
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.text.ragged import IntArray

#: How many times deeper the search goes for questions that a mask left with too few chunks.
_DEEPER = 4


@dataclass(frozen=True, slots=True)
class Need:
    """How deep a ranking has to reach.

    Args:
        k: chunks.
        tokens: tokens of the chunks together.
        token_counts: tokens of each chunk, shape (n,).
    """

    k: int
    tokens: int
    token_counts: IntArray

    @property
    def usual_depth(self) -> int:
        """How many chunks of average length that is, twice."""
        mean = max(float(self.token_counts.mean()) if len(self.token_counts) else 1.0, 1.0)
        return 2 * (self.k + int(self.tokens / mean) + 1)

    def reached_after(self, ranked: IntArray) -> IntArray:
        """How many chunks of each row, shape (q, d), are needed; d + 1 where it is too short."""
        counts = np.where(ranked < 0, 0, self.token_counts[ranked])
        tokens, chunks = np.cumsum(counts, axis=1), np.cumsum(ranked >= 0, axis=1)
        enough: BoolArray = (tokens >= self.tokens) & (chunks >= self.k)  # remains so once it is
        needed: IntArray = np.count_nonzero(~enough, axis=1) + 1
        return needed


class Ranking:
    """Ranks the chunks for each question, over any part of them.

    Args:
        search: over all n chunks.
        queries: unit vectors of the questions, shape (q, d).
        need: how deep a ranking has to reach.
    """

    def __init__(self, search: Search, queries: FloatArray, need: Need) -> None:
        self._search = search
        self._queries = queries
        self._need = need
        self._order, _ = search(queries, need.usual_depth)

    def over(self, kept: BoolArray, copies: IntArray | None = None) -> IntArray:
        """The kept chunks of each question, best first, as deep as needed.

        Equal to a search over the kept chunks alone where the search is exact.

        Args:
            kept: shape (n,).
            copies: a number for each chunk, shape (n,): of chunks with the same number only the best ranked
                one counts, question by question. ``None`` for no such merging.

        Returns:
            Positions of chunks, -1 after the last, shape (q, depth).
        """
        lists = _ranked(self._order, kept, copies)
        needed = self._need.reached_after(lists)
        short = np.flatnonzero(needed > lists.shape[1])
        asked = self._order.shape[1]
        while len(short) and asked < len(kept):
            asked = min(asked * _DEEPER, len(kept))
            order, _ = self._search(self._queries[short], asked)
            deeper = _ranked(order, kept, copies)
            lists = _widened(lists, deeper.shape[1])
            lists[short] = _widened(deeper, lists.shape[1])
            needed[short] = self._need.reached_after(lists[short])
            short = short[needed[short] > lists.shape[1]]
        return lists[:, : max(int(needed.max(initial=0)), self._need.k)]


def _ranked(order: IntArray, kept: BoolArray, copies: IntArray | None) -> IntArray:
    lists = _to_the_front(order, kept[order])
    if copies is None or not lists.size:
        return lists
    first = first_of_each(np.where(lists < 0, 0, copies[lists] + 1))
    return _to_the_front(lists, first & (lists >= 0))


def _to_the_front(order: IntArray, chosen: BoolArray) -> IntArray:
    """What is chosen of each row, moved to its front; -1 behind it."""
    places = np.cumsum(chosen, axis=1) - 1
    lists = np.full((len(order), int(places[:, -1].max(initial=-1)) + 1 if order.size else 0), -1, np.int64)
    rows, columns = np.nonzero(chosen)
    lists[rows, places[rows, columns]] = order[rows, columns]
    return lists


def _widened(lists: IntArray, width: int) -> IntArray:
    return np.pad(lists, ((0, 0), (0, max(width - lists.shape[1], 0))), constant_values=-1)
