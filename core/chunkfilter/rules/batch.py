"""The chunks of one run in keep order, with their signals computed once."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from chunkfilter.chunk import Chunk
from chunkfilter.errors import MissingSignalError
from chunkfilter.policy import Policy
from chunkfilter.signals.embedders import Embedder, FloatArray
from chunkfilter.signals.entities import entity_rows, entity_sets
from chunkfilter.signals.shingle_hashes import ShingleHashes, hashed_blocks, shingle_hashes
from chunkfilter.signals.topics import topic_numbers
from chunkfilter.signals.vectors import checked_vectors, embed_distinct
from chunkfilter.text.normalise import normalise
from chunkfilter.text.ragged import BoolArray, IntArray, Ragged
from chunkfilter.text.shingle_sets import ShingleBags
from chunkfilter.text.vocabulary import Vocabulary

_HARMLESS_END = re.compile(r"(?<![.!])[.!。！．｡]$")
_Scalar = TypeVar("_Scalar", bound=np.generic)


@dataclass(frozen=True)
class Given:
    """Signals the caller brought, in the caller's order (new chunks, then existing ones).

    Args:
        vectors: shape (n, d) or None.
        embedder: computes the vectors when a rule asks for them.
        entities: entity sets, or what finds them.
        topics: labels, or the method that finds them.
    """

    vectors: Any = None
    embedder: Embedder | None = None
    entities: Any = None
    topics: Any = None


class Batch:
    """The chunks of one run in keep order: existing ones first, then the most wanted.

    Every rule works on positions of this order, so "an earlier chunk is kept" is "a smaller number is kept".

    Args:
        chunks: n new chunks, in the caller's order.
        existing: m chunks that count as kept.
        order: shape (n,), the positions of ``chunks`` from the most to the least wanted.
        scopes: shape (m + n,), existing first and then in ``order``: equal numbers may be compared.
        policy: the policy of the run.
        given: the caller's signals.
        show_progress: whether long steps show a bar on stderr.
    """

    def __init__(
        self,
        chunks: Sequence[Chunk],
        existing: Sequence[Chunk],
        order: IntArray,
        scopes: IntArray,
        policy: Policy,
        given: Given,
        *,
        show_progress: bool = False,
    ) -> None:
        self.chunks: list[Chunk] = [*existing, *(chunks[position] for position in order)]
        self.texts: list[str] = [chunk.text for chunk in self.chunks]
        self.existing = len(existing)
        self.order = order
        self.scopes = scopes
        self.policy = policy
        self.show_progress = show_progress
        self._given = given

    def __len__(self) -> int:
        return len(self.chunks)

    def computed(self, signal: str) -> bool:
        """Whether a rule has asked for a signal, a property of this class."""
        return signal in vars(self)

    def forget(self) -> None:
        """Drop all signals; one that is asked for again is computed again."""
        for name in [name for name, kind in vars(Batch).items() if isinstance(kind, cached_property)]:
            vars(self).pop(name, None)

    @cached_property
    def same_text(self) -> IntArray:
        """For each chunk the first one with the same text (:mod:`chunkfilter.text.normalise`) and scope."""
        return self.groups(normalise)

    @cached_property
    def same_but_harmless(self) -> IntArray:
        """For each chunk the first one that differs from it at most by a full stop or exclamation mark."""
        return self.groups(lambda text: _HARMLESS_END.sub("", normalise(text)))

    def groups(self, key: Callable[[str], str]) -> IntArray:
        """For each chunk the first one with an equal key and scope, shape (m + n,).

        Args:
            key: a function from a text to a text; only 128 bits of it are held.
        """
        first: dict[tuple[bytes, int], int] = {}
        found = np.empty(len(self), dtype=np.int64)
        for row, (text, scope) in enumerate(zip(self.texts, self.scopes.tolist(), strict=True)):
            digest = blake2b(key(text).encode("utf-8", "surrogatepass"), digest_size=16).digest()
            found[row] = first.setdefault((digest, scope), row)
        return found

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Numbers of tokens."""
        return Vocabulary()

    @cached_property
    def tokens(self) -> Ragged:
        """The tokens of each chunk as numbers, m + n rows of int32."""
        return self.vocabulary.encode(self.texts)

    @property
    def reading_order(self) -> IntArray:
        """Rows in the order in which the caller passed them, existing ones first, shape (m + n,)."""
        new = np.argsort(self.order, kind="stable").astype(np.int64) + self.existing
        return np.concatenate([np.arange(self.existing, dtype=np.int64), new])

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
        if self._given.vectors is not None:
            chunks = [self.chunks[row] for row in self._caller_rows]
            return self._from_caller(checked_vectors(self._given.vectors, chunks))
        if self._given.embedder is None:
            raise MissingSignalError(
                f"policy '{self.policy}' needs vectors: pass vectors= (existing chunks last) or embedder="
            )
        return embed_distinct(self.texts, self._given.embedder)

    @cached_property
    def entities(self) -> Ragged:
        """The entities of each chunk as sorted numbers, m + n rows.

        Raises:
            MissingSignalError: neither entities nor what finds them were given.
            InputError: the entities do not fit the chunks.
        """
        if self._given.entities is None:
            terms = [term for stage in self.policy.stages for term in stage.terms if term.syntax.entities]
            raise MissingSignalError(
                f"rule '{terms[0]}' needs entities: pass entities= one set a chunk (existing ones last), "
                "a function from texts to sets, or 'package:en_core_web_sm'"
            )
        sets = entity_sets(self._given.entities, [self.texts[row] for row in self._caller_rows])
        return entity_rows([sets[place] for place in self._from_caller(np.arange(len(self)))])

    @cached_property
    def topics(self) -> IntArray:
        """Number of the topic of each chunk, shape (m + n,); -1 for none.

        They are found in the caller's order, so that ``keep`` does not change them.
        """
        rows = self._caller_rows
        texts = [self.texts[row] for row in rows]
        return self._from_caller(topic_numbers(self._given.topics, texts, lambda: self.vectors[rows]))

    def shingle_bags(self, chosen: BoolArray | None = None) -> ShingleBags:
        """The 3-grams of the tokens of each chunk, m + n rows.

        Args:
            chosen: shape (m + n,): chunks that are asked for, the others have none; ``None`` for all.
        """
        return ShingleBags(self.tokens, len(self.vocabulary), chosen)

    @cached_property
    def shingle_hashes(self) -> ShingleHashes:
        """Hashes of the 3-grams of the tokens of each chunk, m + n rows."""
        return shingle_hashes(self.tokens, self.vocabulary.tokens())

    def shingle_hash_blocks(self) -> Iterator[ShingleHashes]:
        """The same hashes, some chunks after others, not kept."""
        return hashed_blocks(self.tokens, self.vocabulary.tokens())

    @property
    def _caller_rows(self) -> IntArray:
        """The row of each chunk in the order of the caller's signals: new ones, then existing ones."""
        return np.roll(self.reading_order, -self.existing)

    def _from_caller(self, values: NDArray[_Scalar]) -> NDArray[_Scalar]:
        """Values of the chunks in the caller's order, as rows of the batch."""
        new = len(self.order)
        return np.concatenate([values[new:], values[:new][self.order]])
