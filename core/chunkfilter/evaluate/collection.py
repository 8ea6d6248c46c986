"""What all variants are measured on: chunks, questions, and everything about them that no filter changes."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chunkfilter.chunk import Chunk
from chunkfilter.errors import InputError
from chunkfilter.evaluate.arguments import is_count, refuse_two_lengths, several
from chunkfilter.evaluate.documents import Documents
from chunkfilter.evaluate.holders import Facts, Holders, find_holders, in_source
from chunkfilter.evaluate.oracle import Oracle
from chunkfilter.evaluate.questions import Question
from chunkfilter.evaluate.ranking import Need, Ranking
from chunkfilter.evaluate.search import BuildIndex, exact_index
from chunkfilter.evaluate.sets import sets_of
from chunkfilter.evaluate.tokens import TokenTable, checked_tokens, token_tables
from chunkfilter.evaluate.words import Runs, Words, copy_numbers, runs_of, sentence_numbers, words_of
from chunkfilter.signals.embedders import Embedder, FloatArray, as_embedder, encode_queries
from chunkfilter.signals.vectors import embed_distinct
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of


@dataclass(frozen=True, slots=True)
class Settings:
    """What is measured.

    Args:
        k: chunks retrieved.
        budgets: numbers of tokens, for recall at a budget.
        tokens: kinds of tokens, see ``TOKENS``; ``word`` is measured in any case.
        measures: groups of measures beyond the usual ones, see ``chunkfilter.evaluate.metrics.OPTIONAL``.
        depths: numbers of chunks at which those are taken, beside ``k``.

    Raises:
        InputError: a value out of bounds, or an unknown kind of token.
    """

    k: int = 5
    budgets: tuple[int, ...] = (500, 1000, 2000)
    tokens: tuple[str, ...] = ("word", "lemma")
    measures: tuple[str, ...] = ()
    depths: tuple[int, ...] = (1, 3, 5, 10)

    def __post_init__(self) -> None:
        if not is_count(self.k):
            raise InputError(f"k: got {self.k!r}; expected a whole number of at least 1")
        if not self.budgets or not all(map(is_count, self.budgets)):
            raise InputError(
                f"budgets: got {self.budgets!r}; expected one or more whole numbers of at least 1"
            )
        if not all(map(is_count, self.depths)):
            raise InputError(f"depths: got {self.depths!r}; expected whole numbers of at least 1")
        object.__setattr__(self, "budgets", tuple(sorted(set(self.budgets))))
        kinds = checked_tokens(self.tokens)
        object.__setattr__(self, "tokens", tuple(dict.fromkeys(("word", *kinds))))

    @property
    def middle_budget(self) -> int:
        """The budget that verdicts are about."""
        return self.budgets[len(self.budgets) // 2]

    @property
    def cuts(self) -> tuple[int, ...]:
        """Numbers of chunks at which the optional measures are taken, ascending."""
        return tuple(sorted({self.k, *self.depths}))

    @property
    def deepest(self) -> int:
        """How many chunks are looked at by number."""
        return max(self.cuts) if self.measures else self.k


def usual_settings(k: int, budgets: Sequence[int], tokens: Sequence[str]) -> Settings:
    """What is measured, without optional measures.

    Raises:
        InputError: a value out of bounds, or one where several are expected.
    """
    return Settings(
        k, several("budgets", budgets, "whole numbers"), several("tokens", tokens, "kinds of tokens")
    )


@dataclass(frozen=True, slots=True, eq=False)
class SentenceSets:
    """Distinct sentences as numbers.

    Args:
        chunks: the sentences of each chunk, a piece at its edge counts as one, n rows.
        references: the sentences of each question's references, q rows.
        size: more than the largest number.
    """

    chunks: Ragged
    references: Ragged
    size: int


class Collection:
    """Chunks and questions, and what is computed from them once for all variants, when it is first needed.

    Args:
        chunks: n chunks.
        questions: q questions.
        settings: what is measured.
        vectors: unit vectors of the chunks, shape (n, d); ``None`` where nothing is ranked.
        queries: unit vectors of the questions, shape (q, d).
        build_index: how the nearest chunks are found.
        embed: unit vectors of texts like those of the chunks; for measures that compare meanings.
    """

    def __init__(
        self,
        chunks: Sequence[Chunk],
        questions: Sequence[Question],
        settings: Settings,
        vectors: FloatArray | None = None,
        queries: FloatArray | None = None,
        build_index: BuildIndex = exact_index,
        embed: Callable[[Sequence[str]], FloatArray] | None = None,
    ) -> None:
        nothing = np.empty((0, 0), dtype=np.float32)
        self.chunks = chunks
        self.questions = questions
        self.settings = settings
        self.vectors = nothing if vectors is None else vectors
        self.queries = nothing if queries is None else queries
        self.embed = embed
        self._build_index = build_index
        self._oracles: dict[str, Oracle] = {}

    @classmethod
    def embedded(
        cls,
        chunks: Sequence[Chunk],
        questions: Sequence[Question],
        settings: Settings,
        embedder: Embedder,
        build_index: BuildIndex = exact_index,
    ) -> "Collection":
        """Embed chunks and questions.

        Raises:
            VectorError: vectors of texts and of questions have not the same length.
        """
        vectors = embed_distinct([chunk.text for chunk in chunks], embedder)
        as_query = as_embedder(lambda texts: encode_queries(embedder, texts))
        queries = embed_distinct([question.text for question in questions], as_query)
        refuse_two_lengths(vectors, queries, embedder)
        embed = lambda texts: embed_distinct(texts, embedder)  # noqa: E731  # one line says it
        return cls(chunks, questions, settings, vectors, queries, build_index, embed)

    def searched_by(self, build_index: BuildIndex) -> "Collection":
        """The collection under another search; what was computed so far is shared."""
        other = copy(self)
        other.__dict__.pop("ranking", None)
        other._build_index = build_index  # noqa: SLF001  # a copy of this very class
        return other

    @cached_property
    def texts(self) -> list[str]:
        """Texts of the chunks."""
        return [chunk.text for chunk in self.chunks]

    @cached_property
    def sources(self) -> list[str | None]:
        """Sources of the chunks."""
        return [chunk.source for chunk in self.chunks]

    @cached_property
    def characters(self) -> IntArray:
        """Length of each chunk's text, shape (n,)."""
        return np.array([len(text) for text in self.texts], dtype=np.int64)

    @cached_property
    def tokens(self) -> dict[str, TokenTable]:
        """Tokens of chunks and references, by kind."""
        joined = ["\n".join(one.text for one in question.references) for question in self.questions]
        return token_tables(self.texts, joined, self.settings.tokens)

    @cached_property
    def token_counts(self) -> IntArray:
        """Number of ``word`` tokens of each chunk, repetitions counted, shape (n,)."""
        return self.tokens["word"].sequences.lengths

    @cached_property
    def ranking(self) -> Ranking:
        """The chunks ranked for each question."""
        k = min(self.settings.deepest, len(self.chunks))
        need = Need(k, max(self.settings.budgets), self.token_counts)
        return Ranking(self._build_index(self.vectors), self.queries, need)

    @cached_property
    def words(self) -> Words:
        """Words of chunks and references."""
        return words_of(self.texts, self._reference_texts)

    @cached_property
    def copies(self) -> IntArray:
        """Equal numbers for chunks that are copies by the rule ``exact``, shape (n,)."""
        return copy_numbers(self.texts)

    @cached_property
    def runs(self) -> Runs:
        """Runs of words that chunks share with the references."""
        words = self.words
        return runs_of(words.chunks, words.references, self._reference_questions, len(self.questions))

    @cached_property
    def holders(self) -> Holders:
        """Which chunks hold which sentence of the references."""
        anywhere, of_sentences = (
            find_holders(self.words.sentences, self.words.chunks),
            self.words.of_sentences,
        )
        rows = anywhere.rows
        own = in_source(self._reference_sources, of_sentences[rows], self.sources, anywhere.values)
        counts = np.bincount(rows[own], minlength=len(anywhere))
        held = Ragged(anywhere.values[own], offsets_of(counts))
        return Holders(anywhere, held, self._reference_questions[of_sentences])

    @cached_property
    def documents(self) -> Documents:
        """Which documents chunks belong to, and which are relevant."""
        return Documents.of(self.chunks, self.questions)

    @cached_property
    def sentences(self) -> SentenceSets:
        """Sentences of chunks and references.

        A reference's sentence belongs to each chunk in which it stands whole, also where the chunk's
        sentences end elsewhere, so that nothing can be found that was not retrieved.
        """
        (wanted, of_reference), (own, of_chunk), size = sentence_numbers(self._reference_texts, self.texts)
        held = self.holders.anywhere
        chunks = np.concatenate([of_chunk, held.values.astype(np.int64)])
        return SentenceSets(
            sets_of(chunks, np.concatenate([own, wanted[held.rows]]), len(self.chunks)),
            sets_of(self._reference_questions[of_reference], wanted, len(self.questions)),
            max(size, 1),
        )

    @cached_property
    def facts(self) -> Facts:
        """The references, each a fact to be found."""
        sources, words = self._reference_sources, self.words
        return Facts(words.references, self._reference_questions, sources, len(self.questions))

    @cached_property
    def literal_holders(self) -> Ragged:
        """The chunks in which a fact of each question stands."""
        return self.facts.held_literally(self.words.chunks)

    @cached_property
    def either_holders(self) -> Ragged:
        """The chunks of its document in which a fact of each question stands, or which stand in it."""
        return self.facts.held_either_way(self.words.chunks, self.sources)

    @cached_property
    def semantic_holders(self) -> Ragged:
        """The chunks of its document that say a fact of each question; for collections that can embed."""
        if self.embed is None:
            raise ValueError("this collection has no embedder")
        return self.facts.held_in_meaning(self.embed(self._reference_texts), self.vectors, self.sources)

    def oracle(self, kind: str) -> Oracle:
        """The greedy oracle on a kind of tokens."""
        if kind not in self._oracles:
            self._oracles[kind] = Oracle(self.tokens[kind], self.settings.k)
        return self._oracles[kind]

    @cached_property
    def _reference_texts(self) -> list[str]:
        return [one.text for question in self.questions for one in question.references]

    @cached_property
    def _reference_sources(self) -> list[str]:
        return [one.source or "" for question in self.questions for one in question.references]

    @cached_property
    def _reference_questions(self) -> IntArray:
        counts = [len(question.references) for question in self.questions]
        return np.repeat(np.arange(len(counts)), counts)
