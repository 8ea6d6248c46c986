"""The chunks of one run, in keep order, with their signals computed once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from chunkfilter.chunk import Chunk
from chunkfilter.errors import MissingSignalError
from chunkfilter.filters.window import visible_words
from chunkfilter.policy import Policy
from chunkfilter.signals.embedders import Embedder, FloatArray
from chunkfilter.signals.entities import entity_rows, entity_sets
from chunkfilter.signals.shingle_hashes import ShingleHashes, hashed_blocks, shingle_hashes
from chunkfilter.signals.topics import topic_numbers
from chunkfilter.signals.vectors import checked_vectors, embed_distinct
from chunkfilter.text.ragged import IntArray, Ragged
from chunkfilter.text.sentences import Sentences, find_sentences
from chunkfilter.text.shingle_sets import ShingleBags
from chunkfilter.text.weights import Weights
from chunkfilter.text.words import Vocabulary

BoolArray = NDArray[np.bool_]
_Scalar = TypeVar("_Scalar", bound=np.generic)


@dataclass(frozen=True)
class Given:
    """Signals the caller brought, in the caller's order (chunks, then stored ones).

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
    """The chunks of one run in keep order: stored ones first, then the most wanted.

    Every rule works on positions of this order, so "an earlier one stays" is "a smaller number stays".

    Args:
        chunks: n new chunks, in the caller's order.
        stored: m chunks that count as kept.
        order: shape (n,), the positions of ``chunks`` from the most to the least wanted.
        scopes: shape (m + n,), stored first and then in ``order``: equal numbers may be compared.
        policy: the policy of the run.
        given: the caller's signals.
        vocabulary: one to go on with; a new one if there is none.
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
        *,
        vocabulary: Vocabulary | None = None,
        show_progress: bool = False,
    ) -> None:
        self.chunks: list[Chunk] = [*stored, *(chunks[position] for position in order)]
        self.texts: list[str] = [chunk.text for chunk in self.chunks]
        self.stored = len(stored)
        self.order = order
        self.scopes = scopes
        self.policy = policy
        self.show_progress = show_progress
        self._own_vocabulary = vocabulary is None
        self.vocabulary = Vocabulary() if vocabulary is None else vocabulary
        self._given = given

    def __len__(self) -> int:
        return len(self.chunks)

    def computed(self, signal: str) -> bool:
        """Whether a rule has asked for a signal, a property of this class."""
        return signal in vars(self)

    def forget(self) -> None:
        """Let go of all signals; one that is asked for again is computed again."""
        for name in [name for name, kind in vars(Batch).items() if isinstance(kind, cached_property)]:
            vars(self).pop(name, None)
        if self._own_vocabulary:
            self.vocabulary = Vocabulary()

    @cached_property
    def _pieces(self) -> Ragged:
        return self.vocabulary.pieces(self.texts)

    @cached_property
    def words(self) -> Ragged:
        """The words of each chunk as numbers, m + n rows of int32."""
        if not any(term.name == "coverage" for stage in self.policy.stages for term in stage.terms):
            words = self.vocabulary.encode(self.texts, np.int32)  # only sentences are told by line breaks
            self._forget_pieces()
            return words
        return self.vocabulary.words_of(self._pieces, np.int32)

    @cached_property
    def sentences(self) -> Sentences:
        """The sentences of each chunk."""
        found = find_sentences(self._pieces, self.vocabulary, self.words.offsets)
        del self._pieces
        self._forget_pieces()
        return found

    def _forget_pieces(self) -> None:
        if self._own_vocabulary:  # another batch may hold pieces by the numbers of a shared one
            self.vocabulary.forget_pieces()

    @cached_property
    def word_weights(self) -> IntArray:
        """Quarters of a word that each word of the vocabulary counts, shape (words,)."""
        return self.vocabulary.weights()

    @cached_property
    def word_rows(self) -> NDArray[np.int32]:
        """The row of each word in the flat words, shape (total,)."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.words.lengths)

    @cached_property
    def weight(self) -> Weights:
        """Quarters of a word between places in the flat words."""
        return Weights(self.words.values, self.word_weights)

    @cached_property
    def visible_words(self) -> IntArray:
        """Number of words of each chunk that an embedder sees, shape (m + n,)."""
        return visible_words(self.texts, self.words, self.vocabulary, self.policy.window, self.embedder)

    @property
    def reading_order(self) -> IntArray:
        """Rows in the order in which the caller passed them, stored ones first, shape (m + n,)."""
        new = np.argsort(self.order, kind="stable").astype(np.int64) + self.stored
        return np.concatenate([np.arange(self.stored, dtype=np.int64), new])

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
                f"policy '{self.policy}' needs vectors: pass vectors= (stored chunks last) or embedder="
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
                f"rule '{terms[0]}' needs entities: pass entities= one set a chunk (stored ones last), "
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
        """The word 3-grams of each chunk, m + n rows.

        Args:
            chosen: shape (m + n,): chunks that are asked for, the others have none; ``None`` for all.
        """
        return ShingleBags(self.texts, self.words, len(self.vocabulary), chosen)

    @cached_property
    def shingle_hashes(self) -> ShingleHashes:
        """Hashes of the word 3-grams of each chunk, m + n rows."""
        return shingle_hashes(self.texts, self.words, self.vocabulary.words())

    def shingle_hash_blocks(self) -> Iterator[ShingleHashes]:
        """The same, some chunks after others, not kept."""
        return hashed_blocks(self.texts, self.words, self.vocabulary.words())

    @property
    def _caller_rows(self) -> IntArray:
        """The row of each chunk in the order of the caller's signals: the new ones, then the stored ones."""
        return np.roll(self.reading_order, -self.stored)

    def _from_caller(self, values: NDArray[_Scalar]) -> NDArray[_Scalar]:
        """Values of the chunks in the caller's order, as rows of the batch."""
        new = len(self.order)
        return np.concatenate([values[new:], values[:new][self.order]])
