"""Which stored chunks a batch has to be compared with."""

import math
import sqlite3
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.kept_index.keys import KeyRows
from chunkfilter.filters.kept_index.postings import find_postings
from chunkfilter.filters.kept_index.rows import chunks_of
from chunkfilter.filters.scope import scope_numbers
from chunkfilter.policy import Term
from chunkfilter.text.ragged import IntArray, ranges


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Where the keys of a batch stand in the index.

    Args:
        kind: the keys.
        asked: shape (a,), entries that are looked for.
        which: shape (a,), the distinct key of each.
        places: shape (p,), the distinct key of each posting.
        numbers: shape (p,), its chunk.
    """

    kind: KeyRows
    asked: IntArray
    which: IntArray
    places: IntArray
    numbers: IntArray

    @classmethod
    def of(cls, connection: sqlite3.Connection, kind: KeyRows) -> "_Found":
        """Look the keys up."""
        asked = np.flatnonzero(kind.asked)
        keys, which = np.unique(kind.keys[asked], return_inverse=True)
        return cls(kind, asked, which.astype(np.int64), *find_postings(connection, kind.kind, keys))

    @property
    def stored(self) -> BoolArray:
        """Whether each entry is looked for and stored, shape (e,)."""
        there = np.zeros(int(self.which.max(initial=-1)) + 1, dtype=np.bool_)
        there[self.places] = True
        stored = np.zeros(len(self.kind.keys), dtype=np.bool_)
        stored[self.asked] = there[self.which]
        return stored

    def any_of(self, rows: BoolArray) -> IntArray:
        """Numbers of chunks that share a key with any row of a mask, shape (n,)."""
        wanted = np.zeros(int(self.which.max(initial=-1)) + 1, dtype=np.bool_)
        wanted[self.which[rows[self.kind.rows[self.asked]]]] = True
        return np.unique(self.numbers[wanted[self.places]])

    def enough_of(self, rows: BoolArray, least: IntArray) -> IntArray:
        """Numbers of chunks that share ``least[row]`` keys or more with a row of a mask.

        Args:
            rows: shape (n,).
            least: shape (n,).
        """
        of_entry = self.kind.rows[self.asked]
        chosen = rows[of_entry]
        width = len(rows)
        which, row = np.divmod(np.unique(self.which[chosen] * width + of_entry[chosen]), width)
        counts = np.bincount(which, minlength=int(self.which.max(initial=-1)) + 1)
        times, starts = counts[self.places], (np.cumsum(counts) - counts)[self.places]
        shared_by, numbers = row[ranges(starts, times)], np.repeat(self.numbers, times)
        most = int(numbers.max(initial=0)) + 1
        pairs, shared = np.unique(shared_by * most + numbers, return_counts=True)
        return np.unique((pairs % most)[shared >= least[pairs // most]])


def lexical_candidates(
    connection: sqlite3.Connection,
    batch: Batch,
    term: Term,
    kinds: Sequence[KeyRows],
    entities: Sequence[frozenset[Hashable]] | None,
    *,
    first: bool,
) -> IntArray:
    """Numbers of the stored chunks that a term might compare with the chunks of a batch.

    Args:
        connection: of the index.
        batch: n new chunks.
        term: of the policy.
        kinds: its keys.
        entities: n sets, if the policy reads any.
        first: no rule of the policy has removed anything before.
    """
    looked_up = [_Found.of(connection, kind) for kind in kinds]
    everyone = np.ones(len(batch), dtype=np.bool_)
    if term.name == "coverage":
        lossy = term.lossy and not batch.policy.guarded
        possible = everyone if lossy else _covered(batch, looked_up)
        copies, *others = looked_up
        twins = copies.any_of(possible)
        if first:
            possible &= ~_stored_already(connection, batch, twins)
        found = [
            one.enough_of(possible, _asked_words(one.kind, len(batch)))
            if one.kind.kind == "words"
            else one.any_of(possible)
            for one in others
        ]
        found.append(twins)
    elif term.name == "ner-half" and entities is not None:
        share = float(term.value or 0.0)
        least = np.array([max(math.ceil(share * len(row) - 1e-9), 1) for row in entities], dtype=np.int64)
        found = [one.enough_of(everyone, least) for one in looked_up]
    else:
        found = [one.any_of(everyone) for one in looked_up]
    return np.unique(np.concatenate(found))


def _stored_already(connection: sqlite3.Connection, batch: Batch, numbers: IntArray) -> BoolArray:
    """Chunks whose very text is stored in their scope, shape (n,): they go for it, whatever else is."""
    stored = [chunk for _, chunk, _ in chunks_of(connection, numbers)]
    scopes, _ = scope_numbers([*batch.chunks, *stored], batch.policy.scope)
    known = {(chunk.text, scope) for chunk, scope in zip(stored, scopes[len(batch) :].tolist(), strict=True)}
    found = zip(batch.texts, scopes[: len(batch)].tolist(), strict=True)
    return np.fromiter((one in known for one in found), dtype=np.bool_, count=len(batch))


def _asked_words(words: KeyRows, count: int) -> IntArray:
    """Number of different words that each row asks for, at least 1, shape (count,)."""
    asked = words.rows[words.asked].astype(np.uint64) << np.uint64(32) | words.keys[words.asked]
    counts = np.bincount((np.unique(asked) >> np.uint64(32)).astype(np.int64), minlength=count)
    return np.maximum(counts, 1)


def _covered(batch: Batch, looked_up: Sequence[_Found]) -> BoolArray:
    """Chunks each of whose words lies in something that is stored or in the batch again, shape (n,)."""
    steps = np.zeros(len(batch.words.values) + 1, dtype=np.int64)
    for one in looked_up:
        kind = one.kind
        if kind.starts is None or kind.ends is None:
            continue
        chosen = (one.stored | _twice(kind.keys)) & kind.asked
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
