"""``KeptIndex``: add, match, save, load."""

import os
import sqlite3
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk
from chunkfilter.errors import ChunkFilterError, KeptIndexError, VectorError
from chunkfilter.filters.batch import Given
from chunkfilter.filters.kept_index.asking import Asked, asked
from chunkfilter.filters.kept_index.candidates import lexical_candidates
from chunkfilter.filters.kept_index.database import copied, created, opened, transaction
from chunkfilter.filters.kept_index.keys import proposing
from chunkfilter.filters.kept_index.ledger import Orphan, add_removals, take_out
from chunkfilter.filters.kept_index.neighbours import with_neighbours
from chunkfilter.filters.kept_index.postings import add_postings
from chunkfilter.filters.kept_index.rows import add_rows, chunks_of, entities_from
from chunkfilter.filters.kept_index.vectors import add_vectors, near, vector_length, vectors_of
from chunkfilter.filters.run import filtered
from chunkfilter.policy import ALGORITHM_VERSION, Policy
from chunkfilter.result import FilterResult
from chunkfilter.signals.embedders import Embedder, FloatArray
from chunkfilter.signals.vectors import unit_rows
from chunkfilter.text.ragged import IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """What a run against an index decided.

    Args:
        result: the decisions; ``kept_by_existing`` and negative positions of vetoes point into ``existing``.
        existing: the stored chunks that were read because the new ones might be redundant to them.
        numbers: shape (len(existing),), their numbers in the index.
    """

    result: FilterResult
    existing: tuple[Chunk, ...]
    numbers: IntArray

    @property
    def kept(self) -> tuple[int, ...]:
        """Positions of the chunks that stay."""
        return self.result.kept


class KeptIndex:
    """Kept chunks, and the keys by which new ones are compared with them.

    A file of SQLite, or memory. Every ``add`` and ``remove_source`` is done whole or not at all, also when
    the process is killed; when the call returns, it is on the disk. One writer at a time, any number of
    readers.

    Args:
        policy: what decides; every rule but ``topics`` and ``random``.
        path: a new file; in memory if ``None``, until :meth:`save`.

    Raises:
        PolicyError: the policy does not parse, or has a rule that looks at a whole corpus at once.
        KeptIndexError: there is such a file already, or it cannot be made.
    """

    def __init__(self, policy: str | Policy = "coverage", path: str | os.PathLike[str] | None = None) -> None:
        parsed = Policy.parse(policy)
        proposing(parsed)
        place = None if path is None else Path(path)
        facts = {"policy": str(parsed), "print": parsed.fingerprint, "algorithm": str(ALGORITHM_VERSION)}
        self._set_up(created(place, facts), parsed, place)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "KeptIndex":
        """Go on with an index that was made or saved before.

        Raises:
            KeptIndexError: no such file, or one that is damaged, foreign or of another version.
        """
        connection, facts = opened(Path(path))
        index = cls.__new__(cls)
        try:
            index._set_up(connection, _policy_of(facts, path), Path(path))  # noqa: SLF001  # of this class
        except ChunkFilterError:
            connection.close()
            raise
        return index

    def _set_up(self, connection: sqlite3.Connection, policy: Policy, path: Path | None) -> None:
        self.policy = policy
        self._connection = connection
        self._path = path
        self._lock = threading.RLock()
        self._terms = proposing(policy)

    def __len__(self) -> int:
        """Number of kept chunks."""
        with self._lock:
            (count,) = self._connection.execute("SELECT count(*) FROM chunks").fetchone()
            return int(count)

    def add(
        self,
        chunks: Iterable[Chunk | str],
        *,
        vectors: Any = None,
        embedder: Embedder | None = None,
        entities: Any = None,
    ) -> Match:
        """Filter chunks against what is stored, and store those that stay.

        Args:
            chunks: n chunks or strings.
            vectors: vectors, one row a chunk, if the policy needs them.
            embedder: computes them if they are not given; also tells how much of a text it reads.
            entities: one set a chunk, what finds them, or the name of a model, if the policy needs them.

        Returns:
            The decisions: those of ``filter_chunks`` with everything stored as ``existing``.

        Raises:
            KeptIndexError: another run is adding, or the file is damaged; nothing was stored.
            InputError: likewise all that :func:`chunkfilter.filter_chunks` raises; nothing was stored.
        """
        with self._lock:
            new = asked(chunks, self.policy, self._terms, vectors, embedder, entities)
            with transaction(self._connection, self._path, "IMMEDIATE"):
                match = self._matched(new)
                self._store(new, match)
            return match

    def match(
        self,
        chunks: Iterable[Chunk | str],
        *,
        vectors: Any = None,
        embedder: Embedder | None = None,
        entities: Any = None,
    ) -> Match:
        """What :meth:`add` would decide; nothing is stored. The arguments are the same."""
        with self._lock:
            new = asked(chunks, self.policy, self._terms, vectors, embedder, entities)
            with transaction(self._connection, self._path, "DEFERRED"):
                return self._matched(new)

    def remove_source(self, source: str) -> list[Orphan]:
        """Take the chunks of a source out.

        Returns:
            Removed chunks of other sources that lose a chunk which stood for them: add those again.

        Raises:
            KeptIndexError: another run is adding, or the file is damaged; nothing was changed.
        """
        with self._lock, transaction(self._connection, self._path, "IMMEDIATE"):
            return take_out(self._connection, source)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to another file, whole or not at all; an earlier file of that name is replaced.

        Raises:
            KeptIndexError: it cannot be written.
        """
        with self._lock:
            copied(self._connection, Path(path))

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> "KeptIndex":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _matched(self, new: Asked) -> Match:
        self._refuse_other_vectors(new)
        stored = list(chunks_of(self._connection, self._candidates(new)))
        if any(term.name == "coverage" and (not term.lossy or self.policy.guarded) for term in self._terms):
            pairs = [(number, chunk) for number, chunk, _ in stored]
            stored = list(chunks_of(self._connection, with_neighbours(self._connection, pairs, new.chunks)))
        numbers = np.array([number for number, _, _ in stored], dtype=np.int64)
        existing = tuple(chunk for _, chunk, _ in stored)
        entities = [entities_from(text) for _, _, text in stored]
        given = Given(
            None if new.vectors is None else self._all_vectors(new.vectors, numbers),
            new.embedder,
            None if new.entities is None else [*new.entities, *entities],
        )
        vocabulary = new.batch.vocabulary
        result = filtered(new.chunks, list(existing), self.policy, given, vocabulary=vocabulary)
        return Match(result, existing, numbers)

    def _candidates(self, new: Asked) -> IntArray:
        found = [np.empty(0, dtype=np.int64)]
        for term, keys in new.keys:
            if term.name == "similarity" and new.vectors is not None:
                found.append(near(self._connection, unit_rows(new.vectors), float(term.value or 0)))
            elif keys:
                first = term is self.policy.stages[0].terms[0]
                found.append(
                    lexical_candidates(self._connection, new.batch, term, keys, new.entities, first=first)
                )
        return np.unique(np.concatenate(found))

    def _refuse_other_vectors(self, new: Asked) -> None:
        """Refuse vectors of another length or embedder than those stored.

        Raises:
            VectorError: both lengths, or both names.
        """
        if new.vectors is None or not new.has_vectors:
            return
        length, name = vector_length(self._connection), self._fact("embedder")
        if length is not None and length != new.vectors.shape[1]:
            raise VectorError(
                f"vectors of two lengths: {length} in the index, {new.vectors.shape[1]} at chunk 0; expected "
                "one embedding model for all chunks"
            )
        if name is not None and new.model is not None and new.model != name:
            raise VectorError(f"embedder {new.model!r}: the index holds vectors of {name!r}")

    def _all_vectors(self, new: FloatArray, numbers: IntArray) -> list[FloatArray | None]:
        """The vectors of new chunks, then those of stored ones; ``None`` for missing ones."""
        rows = [None if np.isnan(row).all() else row for row in new]
        return rows + vectors_of(self._connection, numbers)

    def _store(self, new: Asked, match: Match) -> None:
        kept = [new.chunks[row] for row in match.kept]
        entities = None if new.entities is None else [new.entities[row] for row in match.kept]
        numbers = add_rows(self._connection, kept, self.policy.scope, entities)
        number_of = np.full(len(new.chunks), -1, dtype=np.int64)
        number_of[list(match.kept)] = numbers
        for kind in {rows.kind: rows for _, keys in new.keys for rows in keys}.values():
            stays = number_of[kind.rows] >= 0
            add_postings(self._connection, kind.kind, kind.keys[stays], number_of[kind.rows[stays]])
        if new.vectors is not None and new.has_vectors:
            add_vectors(self._connection, numbers, new.vectors[list(match.kept)])
            if new.model is not None:
                self._write_fact("embedder", new.model)
        removals = (
            (
                removal,
                [number_of[place] for place in removal.kept_by]
                + [match.numbers[place] for place in removal.kept_by_existing],
            )
            for removal in match.result.removed
        )
        add_removals(self._connection, removals, new.chunks)

    def _fact(self, name: str) -> str | None:
        found = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return str(found[0]) if found else None

    def _write_fact(self, name: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))


def _policy_of(facts: dict[str, str], path: str | os.PathLike[str]) -> Policy:
    """The policy of an index.

    Raises:
        KeptIndexError: it was made by another version of the algorithm, or its policy is damaged.
    """
    if facts.get("algorithm") != str(ALGORITHM_VERSION):
        raise KeptIndexError(
            f"{path}: made by algorithm {facts.get('algorithm')}; this chunkfilter decides by "
            f"{ALGORITHM_VERSION}: build the index again"
        )
    policy = Policy.parse(facts.get("policy", ""))
    if policy.fingerprint != facts.get("print"):
        raise KeptIndexError(f"{path}: its policy is damaged; restore a copy, or build the index again")
    return policy
