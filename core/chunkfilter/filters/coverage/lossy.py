"""Rule ``coverage@t guards=none``, t < 1: a share t of the words stands in a few kept chunks, the rest goes.

Under guards it is ``coverage``: which words are harmless to lose nobody can list in every language.
"""

import math

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.coverage.cover import MAX_KEEPERS
from chunkfilter.filters.coverage.index import Shingles
from chunkfilter.filters.coverage.preference import Preference
from chunkfilter.filters.coverage.runs import RunFinder
from chunkfilter.filters.coverage.stretches import RUN, Stretch
from chunkfilter.text.ragged import IntArray, offsets_of, ranges


class ShareFinder:
    """Answers which chunks of those that stay hold a share of the words of a given one, in runs.

    What an embedder sees of the keepers must hold the same share of what it sees of the chunk.

    Args:
        batch: n chunks.
        active: shape (n,): chunks that take part.
        gives: shape (n,): those of them that may stand for others.
        share: the share, above 0 and below 1.
    """

    def __init__(self, batch: Batch, active: BoolArray, gives: BoolArray, share: float) -> None:
        self._share = share
        self._offsets = batch.words.offsets
        self._seen = batch.words.offsets[:-1] + batch.visible_words
        going = active & (np.arange(len(batch)) >= batch.stored) & (batch.words.lengths > 0)
        self._shingles = {
            size: Shingles.of(
                batch.words, batch.word_rows, size, _asked(batch, going, size), active, gives, batch.scopes
            )
            for size in np.unique(np.minimum(batch.words.lengths[going], RUN)).tolist()
        }
        self._runs = RunFinder(batch.words, batch.word_rows, self._seen, batch.weight)
        self._coverable = going & self._enough_elsewhere()

    @property
    def coverable(self) -> IntArray:
        """Rows that other rows might cover, ascending."""
        return np.flatnonzero(self._coverable)

    def find(self, row: int, stays: BoolArray, preference: Preference) -> tuple[int, ...] | None:
        """Up to ``MAX_KEEPERS`` rows that hold enough, each the one that adds most; ``None`` if too little.

        Args:
            row: a chunk that does not stay.
            stays: shape (n,): chunks that may be named.
            preference: of rows that add the same, the one with the smallest value is named.
        """
        if not self._coverable[row]:
            return None
        masks = [self._masks(stretch, stays) for stretch in self._stretches(row)]
        wanted = [math.ceil(self._share * (one.end - one.start) - 1e-9) for one in self._stretches(row)]
        candidates = sorted({other for held in masks for other in held}, key=preference)
        chosen: list[int] = []
        covered = [0 for _ in masks]
        while candidates and len(chosen) < MAX_KEEPERS:
            best = max(candidates, key=lambda other: _gain(covered, masks, other))
            chosen.append(best)
            covered = [mask | held.get(best, 0) for mask, held in zip(covered, masks, strict=True)]
            if all(mask.bit_count() >= need for mask, need in zip(covered, wanted, strict=True)):
                return tuple(sorted(chosen))
        return None

    def score(self, row: int, keepers: tuple[int, ...]) -> float:
        """The share of the words of a row that stand in runs in its keepers."""
        stays = np.zeros(len(self._seen), dtype=np.bool_)
        stays[list(keepers)] = True
        whole = self._stretches(row)[0]
        covered = 0
        for mask in self._masks(whole, stays).values():
            covered |= mask
        return covered.bit_count() / (whole.end - whole.start)

    def _stretches(self, row: int) -> list[Stretch]:
        """The whole text, and its visible head where that is shorter."""
        start, end, seen = int(self._offsets[row]), int(self._offsets[row + 1]), int(self._seen[row])
        whole, head = (
            Stretch(start, end, start, end, seen=False),
            Stretch(start, seen, start, seen, seen=True),
        )
        return [whole, head] if seen > start else [whole]

    def _masks(self, stretch: Stretch, stays: BoolArray) -> dict[int, int]:
        """For each row the words it holds, as bits."""
        masks: dict[int, int] = {}
        if stretch.size not in self._shingles:
            return masks
        found = self._runs.runs(stretch, self._shingles[stretch.size], stays)
        for row, start, end in zip(
            found.rows.tolist(), found.starts.tolist(), found.ends.tolist(), strict=True
        ):
            masks[row] = masks.get(row, 0) | ((1 << (end - start)) - 1) << (start - stretch.start)
        return masks

    def _enough_elsewhere(self) -> BoolArray:
        """Whether other rows together hold enough of each row's words."""
        lengths = np.diff(self._offsets)
        held = np.zeros(int(self._offsets[-1]) + 1, dtype=np.int64)
        for size, shingles in self._shingles.items():
            places = np.flatnonzero(
                shingles.elsewhere & (np.repeat(np.minimum(lengths, RUN), lengths) == size)
            )
            np.add.at(held, places, 1)
            np.add.at(held, places + size, -1)
        covered = offsets_of((np.cumsum(held[:-1]) > 0).astype(np.int64))
        counts = covered[self._offsets[1:]] - covered[self._offsets[:-1]]
        return counts >= self._share * lengths - 1e-9


def _asked(batch: Batch, going: BoolArray, size: int) -> BoolArray:
    """The places of all shingles of a size in the rows that use it."""
    lengths = batch.words.lengths
    rows = np.flatnonzero(going & (np.minimum(lengths, RUN) == size))
    asked = np.zeros(len(batch.words.values), dtype=np.bool_)
    asked[ranges(batch.words.offsets[rows], lengths[rows] - size + 1)] = True
    return asked


def _gain(covered: list[int], masks: list[dict[int, int]], other: int) -> int:
    return sum((held.get(other, 0) & ~mask).bit_count() for mask, held in zip(covered, masks, strict=True))
