"""``linkage:clusters=COUNT:weight=WEIGHT``: single linkage of sentences near in place and in meaning.

Source: Qu, Tu and Bao, "Is Semantic Chunking Worth the Computational Cost?" (2024), appendix A: pairs are
taken from the nearest on; their clusters are merged unless the result would exceed n / COUNT sentences,
rounded up; pairs farther apart than 0.5 are not merged.
"""

from collections.abc import Iterator

import numpy as np

from chunkfilter.chunk import Span
from chunkfilter.signals.embedders import Embedder, FloatArray
from chunkfilter.splitters.sentences import SENTENCES, load_finder
from chunkfilter.splitters.spec import Fields, Number, Spec, Splitter, SplitterKind
from chunkfilter.studies.splitters.groups import UNIT, distance_blocks, group_spans
from chunkfilter.studies.splitters.shared_sentences import sentence_memory
from chunkfilter.text.ragged import IntArray

_FIELDS: Fields = {
    "clusters": Number(1, 100_000, whole=True, required=True),
    "weight": Number(0, 1, default=0.5),
    "sentences": SENTENCES,
}
#: Pairs farther apart are not merged.
STOP = 0.5
#: Pairs sorted at once: more are taken in bands of distance, for which the distances are computed again.
_MOST_PAIRS = 1 << 22
_FIRST_SLICE, _LARGEST_SLICE = 1 << 8, 1 << 16

_Pairs = tuple[IntArray, IntArray]


class _Clusters:
    """Sentences and the clusters they are in."""

    def __init__(self, count: int, largest: int) -> None:
        self.labels: IntArray = np.arange(count)
        self._sizes: IntArray = np.ones(count, dtype=np.int64)
        self._members = [[place] for place in range(count)]
        self._largest = largest

    def mergeable(self, pairs: _Pairs) -> _Pairs:
        """The pairs whose clusters are two and together not too large."""
        one, two = self.labels[pairs[0]], self.labels[pairs[1]]
        fits = (one != two) & (self._sizes[one] + self._sizes[two] <= self._largest)
        return pairs[0][fits], pairs[1][fits]

    def merge(self, one: int, two: int) -> None:
        """Merge the clusters of two sentences, if they are mergeable."""
        keep, gone = int(self.labels[one]), int(self.labels[two])
        if keep == gone or len(self._members[keep]) + len(self._members[gone]) > self._largest:
            return
        if len(self._members[keep]) < len(self._members[gone]):
            keep, gone = gone, keep
        self.labels[self._members[gone]] = keep
        self._members[keep] += self._members[gone]
        self._members[gone] = []
        self._sizes[keep], self._sizes[gone] = len(self._members[keep]), 0

    def settled(self) -> bool:
        """Whether no two clusters can be merged any more."""
        smallest = np.sort(self._sizes[self._sizes > 0])[:2]
        return len(smallest) < 2 or int(smallest.sum()) > self._largest


def capped_single_linkage(vectors: FloatArray, weight: float, largest: int, stop: float = STOP) -> IntArray:
    """Clusters of rows, single linkage, none larger than ``largest``.

    Ties go to the pair that stands first. Memory is bounded by a few million pairs, time grows with n^2.

    Args:
        vectors: n unit rows, shape (n, d).
        weight: see :func:`distance_blocks`.
        largest: most rows in a cluster, at least 1.
        stop: largest distance at which two clusters are merged.

    Returns:
        Shape (n,): a label for each row.
    """
    clusters = _Clusters(len(vectors), largest)
    for pairs in _pairs_by_distance(vectors, weight, round(stop / UNIT)):
        size, done = _FIRST_SLICE, 0
        while done < len(pairs[0]):
            part = clusters.mergeable((pairs[0][done : done + size], pairs[1][done : done + size]))
            for one, two in zip(part[0].tolist(), part[1].tolist(), strict=True):
                clusters.merge(one, two)
            done, size = done + size, min(2 * size, _LARGEST_SLICE)
        if clusters.settled():
            break
    return clusters.labels


def _pairs_by_distance(vectors: FloatArray, weight: float, stop: int) -> Iterator[_Pairs]:
    """Pairs of rows at most ``stop`` apart, nearest first, of equal ones the first first."""
    for low, high in _bands(vectors, weight, stop):
        parts = []
        for first, distances in distance_blocks(vectors, weight):
            near = (distances >= low) & (distances <= high)
            ones, twos = np.nonzero(np.triu(near, 1))
            part = distances[ones, twos], ones + first, twos + first
            if low == high:  # all equally far apart, in order already
                yield part[1], part[2]
            else:
                parts.append(part)
        if parts:
            keys, ones, twos = (np.concatenate(column) for column in zip(*parts, strict=True))
            order = np.argsort(keys, kind="stable")
            yield ones[order], twos[order]


def _bands(vectors: FloatArray, weight: float, stop: int) -> Iterator[tuple[int, int]]:
    """Ranges of distances, both ends included, that hold at most ``_MOST_PAIRS`` pairs or one distance."""
    count = len(vectors)
    if count * (count - 1) // 2 <= _MOST_PAIRS:
        yield 0, stop
        return
    counts = np.zeros(stop + 1, dtype=np.int64)
    for _, distances in distance_blocks(vectors, weight):
        upper = distances[np.triu(distances <= stop, 1)]
        counts += np.bincount(upper, minlength=stop + 1)
    cumulated = np.concatenate([[0], np.cumsum(counts)])
    low = 0
    while low <= stop:
        reached = int(np.searchsorted(cumulated, cumulated[low] + _MOST_PAIRS, side="right"))
        high = max(min(reached - 2, stop), low)
        yield low, high
        low = high + 1


def _read(spec: Spec, embedder: Embedder | None) -> Splitter:
    options = spec.options(_FIELDS)
    finder = options["sentences"]
    memory_of = sentence_memory(spec, embedder)
    load_finder(finder)

    def split_linkage(text: str, /) -> list[tuple[Span, ...]]:
        memory = memory_of()
        sentences = memory.spans(text, finder)
        largest = -(-len(sentences) // options["clusters"])
        labels = capped_single_linkage(memory.vectors(text, finder), options["weight"], largest)
        return group_spans(sentences, labels)

    return split_linkage


LINKAGE = SplitterKind("linkage:clusters=COUNT[:weight=WEIGHT]", _read)
