"""Which chunks hold a sentence or a reference: word for word, or in other words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkfilter.evaluate.sets import rows_of, sets_of
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.text.ragged import AnyIntArray, IntArray, Ragged, offsets_of

#: Least cosine between a reference and a chunk that says the same in other words.
SAME_MEANING = 0.7


@dataclass(frozen=True, slots=True, eq=False)
class Holders:
    """The references' sentences and the chunks in which each stands whole.

    Args:
        anywhere: chunks that hold each sentence, s rows.
        in_source: those of them that come from the reference's source; all where that is not known.
        questions: the question of each sentence, shape (s,).
    """

    anywhere: Ragged
    in_source: Ragged
    questions: IntArray


def find_holders(sentences: Ragged, chunks: Ragged) -> Ragged:
    """The chunks in which the words of each sentence stand one after another.

    Each sentence is looked for where its rarest word stands.

    Args:
        sentences: words of each sentence, s rows, none empty.
        chunks: words of each chunk, numbered alike, n rows.

    Returns:
        Positions of chunks, ascending, s rows.
    """
    places = _Places(chunks)
    known: dict[bytes, IntArray] = {}
    rows: list[IntArray] = []
    for sentence in sentences:
        key = sentence.tobytes()
        if key not in known:
            known[key] = places.holding(sentence)
        rows.append(known[key])
    return rows_of(rows)


class _Places:
    """Where each word stands."""

    def __init__(self, chunks: Ragged) -> None:
        self._words = chunks.values
        self._rows = chunks.rows
        self._offsets = chunks.offsets
        self._counts = np.bincount(chunks.values)
        self._first = offsets_of(self._counts)
        self._order = np.argsort(chunks.values, kind="stable")

    def holding(self, sentence: AnyIntArray) -> IntArray:
        if sentence.max() >= len(self._counts):
            return np.empty(0, dtype=np.int64)
        by_rarity = np.argsort(self._counts[sentence], kind="stable")
        rarest = by_rarity[0]
        word = sentence[rarest]
        anchors = self._order[self._first[word] : self._first[word + 1]]
        rows, starts = self._rows[anchors], anchors - rarest
        fits = (starts >= self._offsets[rows]) & (starts + len(sentence) <= self._offsets[rows + 1])
        rows, starts = rows[fits], starts[fits]
        for place in by_rarity[1:]:
            agrees = self._words[starts + place] == sentence[place]
            rows, starts = rows[agrees], starts[agrees]
            if not len(rows):
                break
        return np.unique(rows)


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """The references of all questions, each a fact that a retrieved chunk may hold.

    Args:
        words: words of each reference, numbered like those of the chunks, f rows.
        questions: the question of each, shape (f,).
        sources: the document of each, "" where it is not known, shape (f,).
        count: number of questions.
    """

    words: Ragged
    questions: IntArray
    sources: Sequence[str]
    count: int

    def held_literally(self, chunks: Ragged) -> Ragged:
        """For each question the chunks, of any document, in which the words of a fact stand in a row."""
        filled, facts = _filled(self.words)
        holders = find_holders(facts, chunks)
        return sets_of(self.questions[filled[holders.rows]], holders.values, self.count)

    def held_either_way(self, chunks: Ragged, chunk_sources: Sequence[str | None]) -> Ragged:
        """For each question the chunks of a fact's own document in which it stands, or which stand in it.

        A small piece of the fact counts. A fact whose document is not known is looked for in all of them.
        Source: the hit of "Turns out Simple No Brainer Chunking is Better".
        """
        (filled, facts), (inside, pieces) = _filled(self.words), _filled(chunks)
        around, within = find_holders(facts, chunks), find_holders(pieces, self.words)
        facts_found = np.concatenate([filled[around.rows], within.values]).astype(np.int64)
        held = np.concatenate([around.values, inside[within.rows]]).astype(np.int64)
        return self._in_source(facts_found, held, chunk_sources)

    def held_in_meaning(
        self, fact_vectors: FloatArray, chunk_vectors: FloatArray, chunk_sources: Sequence[str | None]
    ) -> Ragged:
        """For each question the chunks of a fact's own document whose cosine with it is at least .7."""
        alike = [np.flatnonzero(chunk_vectors @ vector >= SAME_MEANING) for vector in fact_vectors]
        facts = np.repeat(np.arange(len(alike)), [len(row) for row in alike])
        return self._in_source(facts, rows_of(alike).values, chunk_sources)

    def _in_source(self, facts: IntArray, chunks: AnyIntArray, chunk_sources: Sequence[str | None]) -> Ragged:
        own = in_source(self.sources, facts, chunk_sources, chunks)
        return sets_of(self.questions[facts[own]], chunks[own], self.count)


def in_source(
    wanted: Sequence[str], wanting: AnyIntArray, sources: Sequence[str | None], chunks: AnyIntArray
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether each chunk is of the source that is wanted; any is where that is not known ("").

    Args:
        wanted: sources of references.
        wanting: a reference a pair, shape (p,).
        sources: sources of chunks.
        chunks: a chunk a pair, shape (p,).
    """
    asked = np.array(wanted, dtype=object)[wanting]
    own = np.array([source or "" for source in sources], dtype=object)[chunks]
    return np.asarray((asked == "") | (asked == own), dtype=np.bool_)


def _filled(rows: Ragged) -> tuple[IntArray, Ragged]:
    """Which rows are not empty, and these rows."""
    filled = np.flatnonzero(rows.lengths > 0)
    return filled, Ragged(rows.values, np.append(rows.offsets[:-1][filled], rows.offsets[-1]))
