"""Which runs of words stand in several chunks and sources."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkfilter.evaluate.runs import RUN
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of
from chunkfilter.text.slices import mixed, shingle_hashes, slice_hashes


@dataclass(frozen=True, slots=True, eq=False)
class Repeats:
    """Runs of ``RUN`` words, each with the chunks it stands in; a shorter text is one run.

    Args:
        words: words of each chunk, n rows.
        starts: place of each run in the flat words, shape (r,), ascending.
        lengths: its words, shape (r,).
        sources: number of sources it stands in, shape (r,).
        earlier: whether it stands in an earlier chunk, shape (r,).
    """

    words: Ragged
    starts: IntArray
    lengths: IntArray
    sources: IntArray
    earlier: NDArray[np.bool_]

    def share_in(self, many: int) -> NDArray[np.float64]:
        """Share of each chunk's words that lie in runs that stand in so many sources, shape (n,)."""
        marked = self._marked(self.sources >= many)
        counts = np.bincount(self.words.rows[marked], minlength=len(self.words))
        return counts / np.maximum(self.words.lengths, 1)

    @property
    def repeated(self) -> float:
        """Share of all words that lie in runs that stand in an earlier chunk."""
        return float(self._marked(self.earlier).mean()) if len(self.words.values) else 0.0

    def _marked(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether each word lies in a chosen run, shape (total,)."""
        edges = np.zeros(len(self.words.values) + 1, dtype=np.int64)
        np.add.at(edges, self.starts[chosen], 1)
        np.add.at(edges, (self.starts + self.lengths)[chosen], -1)
        return np.cumsum(edges)[:-1] > 0


def repeats_of(words: Ragged, sources: IntArray) -> Repeats:
    """Find the runs of all chunks. Equal 64-bit hashes count as equal runs.

    Args:
        words: words of each chunk, n rows.
        sources: number of each chunk's source, shape (n,).
    """
    starts, lengths, hashes = _runs(words)
    chunks = words.rows[starts] if len(starts) else np.empty(0, np.int64)
    _, numbers = np.unique(hashes, return_inverse=True)
    firsts = np.full(int(numbers.max(initial=-1)) + 1, len(words), dtype=np.int64)
    np.minimum.at(firsts, numbers, chunks)
    width = int(sources.max(initial=0)) + 1
    pairs = np.unique(numbers * width + sources[chunks])
    counts = np.bincount(pairs // width, minlength=len(firsts))
    return Repeats(words, starts, lengths, counts[numbers], firsts[numbers] < chunks)


def _runs(words: Ragged) -> tuple[IntArray, IntArray, NDArray[np.uint64]]:
    """Start, length and hash of each run."""
    lasts = np.repeat(words.offsets[1:], words.lengths) - RUN
    places = np.arange(len(words.values))
    starts = places[places <= lasts]
    hashes = shingle_hashes(words.values, RUN)[starts] if len(starts) else np.empty(0, np.uint64)
    short = np.flatnonzero((words.lengths > 0) & (words.lengths < RUN))
    own = Ragged(words.values[np.isin(words.rows, short)], offsets_of(words.lengths[short]))
    of_short = (
        slice_hashes(own.values, own.offsets[:-1], own.offsets[1:]) if len(short) else np.empty(0, np.uint64)
    )
    all_starts = np.concatenate([starts, words.offsets[:-1][short]])
    order = np.argsort(all_starts, kind="stable")
    lengths = np.concatenate([np.full(len(starts), RUN), words.lengths[short]])
    return all_starts[order], lengths[order], np.concatenate([hashes, mixed(of_short)])[order]
