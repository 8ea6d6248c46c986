"""Sentences of chunks and of references, numbered alike."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkfilter.text.ragged import IntArray, Ragged, offsets_of, ranges
from chunkfilter.text.row_sets import sorted_sets
from chunkfilter.text.sentences import find_sentences
from chunkfilter.text.words import Vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class SentenceTable:
    """Distinct sentences; equal numbers mean equal words.

    Args:
        chunks: the sentences of each chunk, a piece at its edge counts as one, n rows.
        references: the sentences of each question's references, q rows.
        size: more than the largest number.
    """

    chunks: Ragged
    references: Ragged
    size: int


def sentence_table(
    chunk_texts: Sequence[str],
    reference_texts: Sequence[str],
    questions: IntArray,
    holders: Ragged,
    holder_questions: IntArray,
    count: int,
) -> SentenceTable:
    """Number the sentences of chunks and references.

    A reference's sentence belongs to each chunk in which it stands whole, also where the chunk's sentences
    end elsewhere, so that nothing can be found that was not retrieved.

    Args:
        chunk_texts: n texts.
        reference_texts: all references, one after another.
        questions: the question of each reference.
        holders: the chunks that hold each sentence of the references whole, s rows.
        holder_questions: the question of each sentence, shape (s,).
        count: number of questions.
    """
    vocabulary = Vocabulary()
    numbers: dict[bytes, int] = {}
    wanted, of_reference = _sentences(reference_texts, vocabulary, numbers)
    own, of_chunk = _sentences(chunk_texts, vocabulary, numbers)
    if len(wanted) != len(holder_questions):
        raise ValueError(f"{len(holder_questions)} sentences held; expected {len(wanted)}")
    return SentenceTable(
        _rows(
            np.concatenate([of_chunk, holders.values.astype(np.int64)]),
            np.concatenate([own, wanted[holders.rows]]),
            len(chunk_texts),
        ),
        _rows(questions[of_reference], wanted, count),
        max(len(numbers), 1),
    )


def _sentences(
    texts: Sequence[str], vocabulary: Vocabulary, numbers: dict[bytes, int]
) -> tuple[IntArray, IntArray]:
    """The number of each sentence, and the text it stands in."""
    pieces = vocabulary.pieces(texts)
    words = vocabulary.words_of(pieces)
    found = find_sentences(pieces, vocabulary, words.offsets)
    lengths = found.ends - found.starts
    rows = Ragged(words.values[ranges(found.starts, lengths)].astype(np.int64), offsets_of(lengths))
    named = [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows]
    return np.array(named, dtype=np.int64), np.repeat(np.arange(len(texts)), np.diff(found.first))


def _rows(owners: IntArray, values: IntArray, count: int) -> Ragged:
    order = np.argsort(owners, kind="stable")
    lengths = np.bincount(owners, minlength=count)
    return sorted_sets(Ragged(values[order], offsets_of(lengths)))
