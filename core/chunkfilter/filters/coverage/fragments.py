"""Fragments: pieces of sentences, shorter than a run, that a chunk's edges cut.

Under ``coverage@t`` with guards a fragment need not lie in a run of five words: it is enough that a chunk
which stands for other words of its chunk holds it, word for word.
"""

from collections.abc import Iterable

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.coverage.stretches import RUN
from chunkfilter.filters.coverage.units import Units
from chunkfilter.text.ragged import IntArray, ranges
from chunkfilter.text.words import QUARTERS


class Fragments:
    """The fragments of the chunks of which they make no more than a share.

    Args:
        batch: n chunks.
        units: their s sentences.
        most: the largest share of a chunk's words, below 1.
    """

    def __init__(self, batch: Batch, units: Units, most: float) -> None:
        starts, ends = units.sentences.starts, units.sentences.ends
        short = batch.weight[ends] - batch.weight[starts] < RUN * QUARTERS
        found = np.flatnonzero(short & (units.needed < 0))
        words = np.bincount(units.rows[found], (ends - starts)[found], minlength=len(batch))
        lengths = batch.words.lengths
        few = words <= most * lengths + 1e-9
        self.sentences: BoolArray = np.zeros(len(starts), dtype=np.bool_)
        self.sentences[found] = few[units.rows[found]]
        self._units = units
        self._batch = batch
        self._words = np.where(few, words, 0.0)

    def share(self, row: int) -> float:
        """The share of a chunk's words that lie in none, at least ``1 - most``."""
        return 1.0 - float(self._words[row]) / max(int(self._batch.words.lengths[row]), 1)

    def holders(self, row: int, candidates: Iterable[int]) -> list[list[int]]:
        """For each fragment of a chunk the candidates that hold it, in what is seen of them if it is seen."""
        first, last = self._units.sentences.first[row : row + 2].tolist()
        rows = np.array(sorted(candidates), dtype=np.int64)
        return [self._holders(rows, sentence) for sentence in range(first, last) if self.sentences[sentence]]

    def _holders(self, rows: IntArray, sentence: int) -> list[int]:
        values, offsets, seen = self._batch.words.values, self._batch.words.offsets, self._units.seen
        start, end = self._units.sentences.starts[sentence], self._units.sentences.ends[sentence]
        in_sight = end <= seen[self._units.rows[sentence]]
        lows, highs = offsets[rows], seen[rows] if in_sight else offsets[rows + 1]
        counts = np.maximum(highs - lows - (end - start) + 1, 0)
        places, holding = ranges(lows, counts), np.repeat(rows, counts)
        for shift in range(end - start):
            same = values[places + shift] == values[start + shift]
            places, holding = places[same], holding[same]
        found: list[int] = np.unique(holding).tolist()
        return found
