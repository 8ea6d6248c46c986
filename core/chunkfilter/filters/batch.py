"""The chunks of one run, in keep order, with their signals computed once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkfilter.chunk import Chunk
from chunkfilter.errors import MissingSignalError
from chunkfilter.policy import Policy
from chunkfilter.signals.embedders import Embedder, FloatArray
from chunkfilter.signals.vectors import checked_vectors, embed_distinct
from chunkfilter.text.ragged import IntArray, Ragged
from chunkfilter.text.words import Vocabulary

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Given:
    """Signals the caller brought, in the caller's order (chunks, then stored ones).

    Args:
        embeddings: shape (n, d) or None.
        embedder: computes the vectors when a rule asks for them.
        entities: entity sets, or what finds them.
    """

    embeddings: Any = None
    embedder: Embedder | None = None
    entities: Any = None


class Batch:
    """The chunks of one run in keep order: stored ones first, then the most wanted.

    Every rule works on positions of this order, so "an earlier one stays" is "a smaller number stays".

    Args:
        chunks: n new chunks, in the caller's order.
        stored: m chunks that count as kept.
        order: shape (n,), the positions of ``chunks`` from the most to the least wanted.
        scopes: shape (m + n,), stored first and then in ``order``: equal numbers may be compared.
        policy: the policy of the run.
        given: the caller's signals.
        show_progress: whether long steps show a bar on stderr.
    """

    def __init__(
        self,
        chunks: Sequence[Chunk],
        stored: Sequence[Chunk],
        order: IntArray,
        scopes: IntArray,
        policy: Policy,
        given: Given,
        show_progress: bool = False,
    ) -> None:
        self.chunks: list[Chunk] = [*stored, *(chunks[position] for position in order)]
        self.texts: list[str] = [chunk.text for chunk in self.chunks]
        self.stored = len(stored)
        self.order = order
        self.scopes = scopes
        self.policy = policy
        self.show_progress = show_progress
        self._given = given

    def __len__(self) -> int:
        return len(self.chunks)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of the run and their numbers."""
        return Vocabulary()

    @cached_property
    def words(self) -> Ragged:
        """The words of each chunk as numbers, m + n rows."""
        return self.vocabulary.encode(self.texts)

    @property
    def embedder(self) -> Embedder | None:
        """The embedder of the run, if one was given."""
        return self._given.embedder

    @cached_property
    def vectors(self) -> FloatArray:
        """Unit vectors, shape (m + n, d), float32; a row that cannot be compared is NaN.

        Raises:
            MissingSignalError: neither vectors nor an embedder were given.
            VectorError: the vectors do not fit the chunks.
        """
        if self._given.embeddings is not None:
            given = checked_vectors(
                self._given.embeddings, [*self.chunks[self.stored :], *self.chunks[: self.stored]]
            )
            new = len(self.order)
            return np.concatenate([given[new:], given[:new][self.order]])
        if self._given.embedder is None:
            raise MissingSignalError(
                f"policy '{self.policy}' needs vectors: pass embeddings= (stored chunks last) or embedder="
            )
        return embed_distinct(self.texts, self._given.embedder)
