"""The references' runs of words, and which chunks hold them."""

from dataclasses import dataclass

import numpy as np

from chunkfilter.evaluate.metrics import Numbers
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of, ranges
from chunkfilter.text.row_sets import sorted_sets

#: Words in a run.
RUN = 5


@dataclass(frozen=True, slots=True, eq=False)
class RunTable:
    """Runs of the references, numbered; the wording that chunks share with them.

    Args:
        chunks: the distinct runs of references that each chunk holds, n rows.
        references: the distinct runs of each question's references, q rows.
        size: number of runs.
    """

    chunks: Ragged
    references: Ragged
    size: int


def run_table(chunks: Ragged, references: Ragged, questions: IntArray, count: int) -> RunTable:
    """Number the runs of ``RUN`` words of every reference; a shorter reference is one run.

    Equal numbers mean equal words: nothing is hashed.

    Args:
        chunks: words of each chunk, n rows.
        references: words of each reference, numbered like those of the chunks.
        questions: the question of each reference.
        count: number of questions.
    """
    size = 0
    in_references: list[tuple[IntArray, IntArray]] = []
    in_chunks: list[tuple[IntArray, IntArray]] = []
    for length in range(1, RUN + 1):
        asking = np.flatnonzero(np.minimum(references.lengths, RUN) == length)
        places, owners = _starts(references, asking, length)
        numbers, found, chunk_numbers = _match(references.values, places, chunks, length)
        in_references.append((questions[owners], numbers + size))
        in_chunks.append((found, chunk_numbers + size))
        size += int(numbers.max(initial=-1)) + 1
    return RunTable(_rows(in_chunks, len(chunks)), _rows(in_references, count), size)


def _starts(words: Ragged, rows: IntArray, length: int) -> tuple[IntArray, IntArray]:
    """Where a run of that length begins in the given rows, and its row."""
    counts = np.maximum(words.lengths[rows] - length + 1, 0)
    return ranges(words.offsets[rows], counts), np.repeat(rows, counts)


def _match(
    wanted: Numbers, places: IntArray, chunks: Ragged, length: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Numbers of the runs at ``places`` in ``wanted``; the chunks that hold one, and its number.

    Word by word: what agrees so far has a number, and only that is looked at further.
    """
    numbers = np.zeros(len(places), dtype=np.int64)
    if not len(places):
        return numbers, numbers, numbers
    starts, owners = _starts(chunks, np.arange(len(chunks)), length)
    found = np.zeros(len(starts), dtype=np.int64)
    width = int(max(wanted.max(), chunks.values.max(initial=0))) + 1
    for word in range(length):
        table, numbers = np.unique(numbers * width + wanted[places + word], return_inverse=True)
        codes = found * width + chunks.values[starts + word]
        found = np.searchsorted(table, codes)
        found[found == len(table)] = 0
        agrees = table[found] == codes
        starts, owners, found = starts[agrees], owners[agrees], found[agrees]
    return numbers, owners, found


def _rows(pairs: list[tuple[IntArray, IntArray]], count: int) -> Ragged:
    owners = np.concatenate([owner for owner, _ in pairs])
    numbers = np.concatenate([number for _, number in pairs])
    order = np.argsort(owners, kind="stable")
    return sorted_sets(Ragged(numbers[order], offsets_of(np.bincount(owners, minlength=count))))
