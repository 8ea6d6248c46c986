"""To which documents chunks belong, and which documents answer which question."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkfilter.chunk import Chunk
from chunkfilter.evaluate.questions import Question
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of
from chunkfilter.text.row_sets import sorted_sets


@dataclass(frozen=True, slots=True, eq=False)
class DocumentTable:
    """Documents as numbers.

    Args:
        of_chunks: the document of each chunk, shape (n,), -1 if it has no source.
        relevant: the relevant documents of each question, ascending, q rows.
        grades: the grade of each of them, above 0, shape (len(relevant.values),).
        size: number of documents.
    """

    of_chunks: IntArray
    relevant: Ragged
    grades: NDArray[np.float64]
    size: int

    def counting_for(self, credit: IntArray) -> Ragged:
        """The documents that each chunk counts for: its own, and those of what it replaced.

        Args:
            credit: pairs of a keeper and a removed chunk that it holds, shape (m, 2).

        Returns:
            Distinct documents, ascending, n rows; none for a chunk without source.
        """
        chunks = np.concatenate([np.arange(len(self.of_chunks)), credit[:, 0]])
        documents = np.concatenate([self.of_chunks, self.of_chunks[credit[:, 1]]])
        known = documents >= 0
        chunks, documents = chunks[known], documents[known]
        order = np.argsort(chunks, kind="stable")
        lengths = np.bincount(chunks, minlength=len(self.of_chunks))
        return sorted_sets(Ragged(documents[order], offsets_of(lengths)))


def document_table(chunks: Sequence[Chunk], questions: Sequence[Question]) -> DocumentTable:
    """Number the sources of chunks and the relevant documents of questions alike."""
    numbers: dict[str, int] = {}
    of_chunks = [
        -1 if chunk.source is None else numbers.setdefault(chunk.source, len(numbers)) for chunk in chunks
    ]
    rows = [
        sorted(
            (numbers.setdefault(name, len(numbers)), grade)
            for name, grade in question.graded.items()
            if grade > 0
        )
        for question in questions
    ]
    flat = [pair for row in rows for pair in row]
    return DocumentTable(
        np.array(of_chunks, dtype=np.int64),
        Ragged(
            np.array([number for number, _ in flat], dtype=np.int64), offsets_of([len(row) for row in rows])
        ),
        np.array([grade for _, grade in flat], dtype=np.float64),
        max(len(numbers), 1),
    )
