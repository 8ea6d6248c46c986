"""Which stored chunks a batch has to be compared with."""

import math
import sqlite3
from collections.abc import Hashable, Sequence

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.kept_index.keys import KeyRows
from chunkfilter.filters.kept_index.postings import find_postings
from chunkfilter.policy import Term
from chunkfilter.text.ragged import IntArray

#: Numbers of chunks that share a key with a batch, by row of the batch; one pair a key.
_Hits = tuple[IntArray, IntArray]


def lexical_candidates(
    connection: sqlite3.Connection,
    batch: Batch,
    term: Term,
    kinds: Sequence[KeyRows],
    entities: Sequence[frozenset[Hashable]] | None,
) -> IntArray:
    """Numbers of the stored chunks that a term might compare with the chunks of a batch."""
    if term.name == "coverage":
        return _covering(connection, batch, kinds, lossy=term.lossy)
    found = [_hits(connection, kind)[1:] for kind in kinds]
    if term.name == "ner-half" and entities is not None:
        sizes = np.array([len(row) for row in entities], dtype=np.int64)
        least = np.array([max(math.ceil(float(term.value or 0) * size - 1e-9), 1) for size in sizes.tolist()])
        return np.unique(np.concatenate([_sharing(rows, numbers, least) for rows, numbers in found]))
    return np.unique(np.concatenate([numbers for _, numbers in found]))


def _hits(connection: sqlite3.Connection, kind: KeyRows) -> tuple[BoolArray, IntArray, IntArray]:
    """Which entries are found in the index, shape (e,); rows and numbers, one pair a key they share."""
    asked = np.flatnonzero(kind.asked)
    keys, which = np.unique(kind.keys[asked], return_inverse=True)
    places, numbers = find_postings(connection, kind.kind, keys)
    stored = np.zeros(len(keys), dtype=np.bool_)
    stored[places] = True
    found = np.zeros(len(kind.keys), dtype=np.bool_)
    found[asked] = stored[which]
    return (found, *_joined(which, kind.rows[asked], places, numbers, len(keys)))


def _joined(which: IntArray, rows: IntArray, places: IntArray, numbers: IntArray, count: int) -> _Hits:
    """Every row of a key with every number of it: distinct rows a key, then a plain join."""
    pairs = np.unique(which.astype(np.int64) * (int(rows.max(initial=0)) + 1) + rows)
    of_key, row = np.divmod(pairs, int(rows.max(initial=0)) + 1)
    counts = np.bincount(of_key, minlength=count)
    starts = np.cumsum(counts) - counts
    times = counts[places]
    taken = np.repeat(starts[places] - (np.cumsum(times) - times), times) + np.arange(int(times.sum()))
    return row[taken], np.repeat(numbers, times)


def _sharing(rows: IntArray, numbers: IntArray, least: IntArray) -> IntArray:
    """Numbers that share at least ``least[row]`` keys with a row."""
    if not len(rows):
        return numbers
    width = int(numbers.max()) + 1
    pairs, counts = np.unique(rows * width + numbers, return_counts=True)
    enough: IntArray = (pairs % width)[counts >= least[pairs // width]]
    return enough


def _covering(
    connection: sqlite3.Connection, batch: Batch, kinds: Sequence[KeyRows], *, lossy: bool
) -> IntArray:
    """Numbers of chunks that hold something of a chunk all of whose words stand somewhere."""
    looked_up = [(kind, *_hits(connection, kind)) for kind in kinds]
    possible = np.ones(len(batch), dtype=np.bool_)
    if not lossy:
        possible = _covered(batch, [(kind, found) for kind, found, _, _ in looked_up])
    numbers = []
    for kind, _, rows, found in looked_up:
        hopeful = possible[rows]
        least = _asked_words(batch, kind) if kind.kind == "words" else np.ones(len(batch), dtype=np.int64)
        numbers.append(_sharing(rows[hopeful], found[hopeful], least))
    return np.unique(np.concatenate(numbers))


def _asked_words(batch: Batch, words: KeyRows) -> IntArray:
    """Number of different words that each row asks for, at least 1, shape (n,)."""
    asked = words.rows[words.asked].astype(np.uint64) << np.uint64(32) | words.keys[words.asked]
    counts = np.bincount((np.unique(asked) >> np.uint64(32)).astype(np.int64), minlength=len(batch))
    return np.maximum(counts, 1)


def _covered(batch: Batch, kinds: Sequence[tuple[KeyRows, BoolArray]]) -> BoolArray:
    """Chunks each of whose words lies in something that is stored or in the batch again, shape (n,)."""
    steps = np.zeros(len(batch.words.values) + 1, dtype=np.int64)
    for kind, found in kinds:
        if kind.starts is None or kind.ends is None:
            continue
        chosen = (found | _twice(kind.keys)) & kind.asked
        np.add.at(steps, kind.starts[chosen], 1)
        np.add.at(steps, kind.ends[chosen], -1)
    bare = np.flatnonzero(np.cumsum(steps)[:-1] <= 0)
    possible = np.ones(len(batch), dtype=np.bool_)
    possible[batch.words.rows[bare]] = False
    return possible


def _twice(keys: np.ndarray) -> BoolArray:
    """Whether each key stands more than once."""
    _, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
    twice: BoolArray = counts[which] > 1
    return twice
