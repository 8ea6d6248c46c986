"""Which chunks hold a fact: three readings of "the retrieved chunk holds what was asked for"."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkfilter.evaluate.holders import find_holders
from chunkfilter.evaluate.metrics import Numbers
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of
from chunkfilter.text.row_sets import sorted_sets

#: Least cosine between a fact and a chunk that says the same in other words.
SAME_MEANING = 0.7


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """The references of all questions.

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


def literally_held(facts: Facts, chunks: Ragged) -> Ragged:
    """The chunks in which the words of a fact stand one after another, whatever document they are of.

    Args:
        facts: f facts.
        chunks: words of each chunk, n rows.

    Returns:
        Positions of chunks, ascending, one row a question.
    """
    filled = np.flatnonzero(facts.words.lengths > 0)
    holders = find_holders(_part(facts.words, filled), chunks)
    return _by_question(facts.questions[filled[holders.rows]], holders.values, facts.count)


def either_held(facts: Facts, chunks: Ragged, chunk_sources: Sequence[str | None]) -> Ragged:
    """The chunks of a fact's own document in which it stands, or which stand in it.

    So reads the hit of "Turns out Simple No Brainer Chunking is Better": a small piece of the fact counts.
    A fact whose document is not known is looked for in all of them. Chunks without words hold nothing.

    Args:
        facts: f facts.
        chunks: words of each chunk, n rows.
        chunk_sources: the document of each chunk.

    Returns:
        Positions of chunks, ascending, one row a question.
    """
    filled = np.flatnonzero(facts.words.lengths > 0)
    inside = np.flatnonzero(chunks.lengths > 0)
    around = find_holders(_part(facts.words, filled), chunks)
    within = find_holders(_part(chunks, inside), facts.words)
    pairs = np.concatenate(
        [
            np.stack([filled[around.rows], around.values], axis=1),
            np.stack([within.values, inside[within.rows]], axis=1),
        ]
    ).astype(np.int64)
    return _own_source(facts, pairs, chunk_sources)


def semantically_held(
    facts: Facts, fact_vectors: FloatArray, chunk_vectors: FloatArray, chunk_sources: Sequence[str | None]
) -> Ragged:
    """The chunks of a fact's own document whose cosine with it is at least ``SAME_MEANING``.

    For chunks that say a fact in other words, as propositions do.

    Args:
        facts: f facts.
        fact_vectors: their unit vectors, shape (f, d).
        chunk_vectors: those of the chunks, shape (n, d).
        chunk_sources: the document of each chunk.

    Returns:
        Positions of chunks, ascending, one row a question.
    """
    parts = [np.empty((0, 2), dtype=np.int64)]
    for fact, vector in enumerate(fact_vectors):
        alike = np.flatnonzero(chunk_vectors @ vector >= SAME_MEANING)
        parts.append(np.stack([np.full_like(alike, fact), alike], axis=1))
    return _own_source(facts, np.concatenate(parts), chunk_sources)


def _own_source(facts: Facts, pairs: IntArray, chunk_sources: Sequence[str | None]) -> Ragged:
    wanted = np.array(facts.sources, dtype=object)[pairs[:, 0]]
    own = np.array([source or "" for source in chunk_sources], dtype=object)[pairs[:, 1]]
    native = (wanted == "") | (wanted == own)
    return _by_question(facts.questions[pairs[native, 0]], pairs[native, 1], facts.count)


def _part(rows: Ragged, chosen: IntArray) -> Ragged:
    parts = [np.empty(0, np.int64), *(rows[row] for row in chosen.tolist())]
    return Ragged(np.concatenate(parts).astype(np.int64), offsets_of(rows.lengths[chosen]))


def _by_question(questions: IntArray, chunks: Numbers, count: int) -> Ragged:
    order = np.argsort(questions, kind="stable")
    lengths = np.bincount(questions, minlength=count)
    return sorted_sets(Ragged(chunks[order].astype(np.int64), offsets_of(lengths)))
