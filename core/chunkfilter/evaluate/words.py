"""Words and sentences of chunks and references, numbered alike: all that measures ask of the texts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkfilter.evaluate.sets import sets_of
from chunkfilter.evaluate.tokens import word_tokens
from chunkfilter.text.normalise import normalise
from chunkfilter.text.ragged import AnyIntArray, IntArray, Ragged, ranges
from chunkfilter.text.sentences import sentences
from chunkfilter.text.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Texts as numbers; equal numbers are equal words.

    Args:
        chunks: words of each chunk, n rows.
        references: words of each reference, f rows.
        sentences: words of each sentence of the references, s rows.
        of_sentences: the reference of each of these sentences, shape (s,).
    """

    chunks: Ragged
    references: Ragged
    sentences: Ragged
    of_sentences: IntArray


def words_of(chunk_texts: Sequence[str], reference_texts: Sequence[str]) -> Words:
    """Number the words of n chunks and f references."""
    vocabulary = Vocabulary(word_tokens)
    chunks, references = vocabulary.encode(chunk_texts), vocabulary.encode(reference_texts)
    found, owners = _sentences_of(reference_texts, vocabulary)
    return Words(chunks, references, found, owners)


def sentence_numbers(
    reference_texts: Sequence[str], chunk_texts: Sequence[str]
) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray], int]:
    """Number the sentences of references and chunks; equal numbers are equal words.

    Returns:
        Of the references the number of each sentence and the text it is in, of the chunks likewise, and how
        many distinct sentences there are. A piece at the edge of a chunk counts as a sentence.
    """
    vocabulary, numbers = Vocabulary(word_tokens), dict[bytes, int]()

    def numbered(texts: Sequence[str]) -> tuple[IntArray, IntArray]:
        rows, owners = _sentences_of(texts, vocabulary)
        found = [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows]
        return np.array(found, dtype=np.int64), owners

    return numbered(reference_texts), numbered(chunk_texts), len(numbers)


def copy_numbers(texts: Sequence[str]) -> IntArray:
    """Equal numbers for texts that are copies by the rule ``exact``, shape (n,)."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(normalise(text), len(numbers)) for text in texts], dtype=np.int64)


def chunk_words(texts: Sequence[str]) -> Ragged:
    """Words of each text, n rows."""
    return Vocabulary(word_tokens).encode(texts)


def _sentences_of(texts: Sequence[str], vocabulary: Vocabulary) -> tuple[Ragged, IntArray]:
    """Words of each sentence that has any, and the text of each."""
    found = [sentences(text).texts for text in texts]
    rows = vocabulary.encode([sentence for part in found for sentence in part])
    owners = np.repeat(np.arange(len(texts)), [len(part) for part in found])
    worded = np.flatnonzero(rows.lengths)
    return rows.taken(worded), owners[worded]


#: Words in a run.
RUN = 5


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Runs of ``RUN`` words of the references, numbered, and the chunks that hold them.

    Args:
        chunks: the distinct runs of references that each chunk holds, n rows.
        references: the distinct runs of each question's references, q rows.
        size: number of runs.
    """

    chunks: Ragged
    references: Ragged
    size: int


def runs_of(chunks: Ragged, references: Ragged, questions: IntArray, count: int) -> Runs:
    """Number the runs of every reference; one shorter than ``RUN`` words is one run. Nothing is hashed.

    Args:
        chunks: words of each chunk, n rows.
        references: words of each reference, numbered like those of the chunks.
        questions: the question of each reference.
        count: number of questions.
    """
    size, pairs = 0, list[tuple[IntArray, IntArray, IntArray, IntArray]]()
    for length in range(1, RUN + 1):
        asking = np.flatnonzero(np.minimum(references.lengths, RUN) == length)
        asked, owners = run_starts(references, asking, length)
        places, holders = run_starts(chunks, np.arange(len(chunks)), length)
        numbers, held, found = _matched(references.values, asked, chunks.values, places, length)
        pairs.append((questions[owners], numbers + size, holders[held], found + size))
        size += int(numbers.max(initial=-1)) + 1
    of_question, wanted, of_chunk, held = (np.concatenate(column) for column in zip(*pairs, strict=True))
    return Runs(sets_of(of_chunk, held, len(chunks)), sets_of(of_question, wanted, count), size)


def run_starts(words: Ragged, rows: IntArray, length: int) -> tuple[IntArray, IntArray]:
    """Where a run of that length begins in the given rows, and the row of each."""
    counts = np.maximum(words.lengths[rows] - length + 1, 0)
    return ranges(words.offsets[rows], counts), np.repeat(rows, counts)


def _matched(
    asked: AnyIntArray, places: IntArray, words: AnyIntArray, starts: IntArray, length: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Number the runs at ``places`` of ``asked``; which of those at ``starts`` of ``words`` equal one.

    Word by word: what agrees so far has a number, and only that is looked at further.

    Returns:
        Number of each run asked for; positions in ``starts`` that match, and the number that each has.
    """
    numbers, held = np.zeros(len(places), dtype=np.int64), np.arange(len(starts))
    if not len(places):
        return numbers, held[:0], numbers
    found, width = np.zeros(len(starts), dtype=np.int64), int(max(asked.max(), words.max(initial=0))) + 1
    for word in range(length):
        table, numbers = np.unique(numbers * width + asked[places + word], return_inverse=True)
        codes = found * width + words[starts[held] + word]
        found = np.searchsorted(table, codes)
        found[found == len(table)] = 0
        agrees = table[found] == codes
        held, found = held[agrees], found[agrees]
    return numbers, held, found
