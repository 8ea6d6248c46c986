"""What all policies are measured on: chunks, questions and everything about them that no policy changes."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunkfilter.chunk import Chunk
from chunkfilter.errors import InputError
from chunkfilter.evaluate.arguments import is_count
from chunkfilter.evaluate.documents import DocumentTable, document_table
from chunkfilter.evaluate.evidence import SentenceTable, sentence_table
from chunkfilter.evaluate.facts import Facts, either_held, literally_held, semantically_held
from chunkfilter.evaluate.holders import find_holders
from chunkfilter.evaluate.metrics.oracle import greedy_oracle, postings_of
from chunkfilter.evaluate.questions import Question
from chunkfilter.evaluate.ranking import Need, Ranking
from chunkfilter.evaluate.runs import RunTable, run_table
from chunkfilter.evaluate.search.index import BuildIndex
from chunkfilter.evaluate.tokens import TokenTable, checked_tokens, token_tables
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.text.keys import exact_keys
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of, ranges
from chunkfilter.text.sentences import find_sentences
from chunkfilter.text.words import Vocabulary

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Settings:
    """What is measured.

    Args:
        k: chunks retrieved.
        budgets: numbers of tokens, for recall at a budget.
        tokens: kinds of tokens, see ``TOKENS``; ``word`` is measured in any case.
        measures: groups of measures beyond the usual ones, see ``chunkfilter.evaluate.measures.OPTIONAL``.
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
        object.__setattr__(
            self, "tokens", ("word", *(kind for kind in checked_tokens(self.tokens) if kind != "word"))
        )

    @property
    def cuts(self) -> tuple[int, ...]:
        """Numbers of chunks at which the optional measures are taken, ascending."""
        return tuple(sorted({self.k, *self.depths}))

    @property
    def deepest(self) -> int:
        """How many chunks are looked at by number."""
        return max(self.cuts) if self.measures else self.k


@dataclass(frozen=True, slots=True, eq=False)
class Holders:
    """The references' sentences and the chunks they stand in.

    Args:
        everywhere: chunks that hold each sentence, s rows.
        own_source: those of them that come from the reference's source; all where that is not known.
        questions: the question of each sentence, shape (s,).
    """

    everywhere: Ragged
    own_source: Ragged
    questions: IntArray


class Bench:
    """Chunks and questions, their vectors, and what is computed from them once for all policies.

    Args:
        chunks: n chunks.
        questions: q questions.
        vectors: unit vectors of the chunks, shape (n, d).
        queries: unit vectors of the questions, shape (q, d).
        build_index: how the nearest chunks are found.
        settings: what is measured.
        embed: unit vectors of texts like those of the chunks; for measures that compare meanings.
    """

    def __init__(
        self,
        chunks: Sequence[Chunk],
        questions: Sequence[Question],
        vectors: FloatArray,
        queries: FloatArray,
        build_index: BuildIndex,
        settings: Settings,
        embed: Callable[[Sequence[str]], FloatArray] | None = None,
    ) -> None:
        self.chunks = chunks
        self.questions = questions
        self.vectors = vectors
        self.settings = settings
        self.queries = queries
        self._build_index = build_index
        self._embed = embed
        self._oracles: dict[str, IntArray] = {}

    def searched_by(self, build_index: BuildIndex) -> "Bench":
        """The same chunks and questions under another search; what was computed so far is shared."""
        other = copy(self)
        other.__dict__.pop("ranking", None)
        other._build_index = build_index  # noqa: SLF001  # a copy of this very class
        return other

    @cached_property
    def texts(self) -> list[str]:
        """Texts of the chunks."""
        return [chunk.text for chunk in self.chunks]

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
        need = Need(
            min(self.settings.deepest, len(self.chunks)), max(self.settings.budgets), self.token_counts
        )
        return Ranking(self._build_index(self.vectors), self.queries, need)

    @cached_property
    def copies(self) -> IntArray:
        """Equal numbers for chunks that are copies by the rule ``exact``, shape (n,)."""
        numbers: dict[bytes | str, int] = {}
        keys = exact_keys(self.texts, self.words.chunks)
        return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)

    @cached_property
    def runs(self) -> RunTable:
        """Runs of words that chunks share with the references."""
        words = self.words
        return run_table(words.chunks, words.references, self._reference_questions, len(self.questions))

    @cached_property
    def holders(self) -> Holders:
        """Which chunks hold which sentence of the references."""
        words = self.words
        everywhere = find_holders(words.sentences, words.chunks)
        sources = np.array([chunk.source or "" for chunk in self.chunks], dtype=object)
        own = np.array([one.source or "" for one in self._references], dtype=object)[
            words.sentence_references
        ]
        of_sentence = np.repeat(own, everywhere.lengths)
        native = (of_sentence == "") | (of_sentence == sources[everywhere.values])
        lengths = np.bincount(everywhere.rows[native], minlength=len(everywhere))
        return Holders(
            everywhere,
            Ragged(everywhere.values[native], offsets_of(lengths)),
            self._reference_questions[words.sentence_references],
        )

    @cached_property
    def documents(self) -> DocumentTable:
        """Which documents chunks belong to, and which are relevant."""
        return document_table(self.chunks, self.questions)

    @cached_property
    def sentences(self) -> SentenceTable:
        """Sentences of chunks and references."""
        return sentence_table(
            self.texts,
            [one.text for one in self._references],
            self._reference_questions,
            self.holders.everywhere,
            self.holders.questions,
            len(self.questions),
        )

    @cached_property
    def fact_holders(self) -> dict[str, Ragged]:
        """The chunks that hold a fact of each question, by reading; see :mod:`chunkfilter.evaluate.facts`."""
        sources = [chunk.source for chunk in self.chunks]
        facts = Facts(
            self.words.references,
            self._reference_questions,
            [one.source or "" for one in self._references],
            len(self.questions),
        )
        held = {
            "": literally_held(facts, self.words.chunks),
            "_either": either_held(facts, self.words.chunks, sources),
        }
        if self._embed is not None:
            vectors = self._embed([one.text for one in self._references])
            held["_semantic"] = semantically_held(facts, vectors, self.vectors, sources)
        return held

    def oracle(self, kind: str, kept: BoolArray) -> IntArray:
        """The chunks that the greedy oracle chooses among the kept ones, shape (q, min(k, n)).

        Where every chunk chosen among all of them is kept, the choice is the same.
        """
        table = self.tokens[kind]
        if kind not in self._oracles:
            self._oracles[kind] = self._greedy(table, np.ones(len(self.chunks), dtype=np.bool_), None)
        chosen = self._oracles[kind].copy()
        touched = (
            np.flatnonzero(((chosen >= 0) & ~kept[chosen]).any(axis=1)) if len(kept) else np.empty(0, int)
        )
        if len(touched):
            chosen[touched] = self._greedy(table, kept, touched)
        return chosen

    def _greedy(self, table: TokenTable, kept: BoolArray, questions: IntArray | None) -> IntArray:
        postings = postings_of(table.chunks, table.references, table.size)
        k = min(self.settings.k, len(self.chunks))
        return greedy_oracle(table.references, postings, table.chunks.lengths, kept, k, questions)

    @cached_property
    def _references(self) -> list["_Placed"]:
        return [
            _Placed(number, reference.text, reference.source)
            for number, question in enumerate(self.questions)
            for reference in question.references
        ]

    @cached_property
    def _reference_questions(self) -> IntArray:
        return np.array([one.question for one in self._references], dtype=np.int64)

    @cached_property
    def words(self) -> "WordTable":
        """Words of chunks and references."""
        return _words_of(self.texts, [one.text for one in self._references])


@dataclass(frozen=True, slots=True)
class _Placed:
    """A reference, the number of its question, and its source."""

    question: int
    text: str
    source: str | None


@dataclass(frozen=True, slots=True, eq=False)
class WordTable:
    """Words of chunks, references and their sentences, numbered alike."""

    chunks: Ragged
    references: Ragged
    sentences: Ragged
    sentence_references: IntArray


def _words_of(chunk_texts: Sequence[str], reference_texts: Sequence[str]) -> WordTable:
    vocabulary = Vocabulary()
    chunks = vocabulary.encode(chunk_texts)
    pieces = vocabulary.pieces(reference_texts)
    references = vocabulary.words_of(pieces)
    found = find_sentences(pieces, vocabulary, references.offsets)
    lengths = found.ends - found.starts
    sentences = Ragged(references.values[ranges(found.starts, lengths)], offsets_of(lengths))
    owners = np.repeat(np.arange(len(references)), np.diff(found.first))
    return WordTable(chunks, references, sentences, owners)
