"""To which documents chunks belong, which answer which question, and what a kept chunk may count for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkfilter.chunk import Chunk
from chunkfilter.evaluate.questions import Question
from chunkfilter.evaluate.sets import Values, rows_of, sets_of
from chunkfilter.evaluate.words import RUN
from chunkfilter.result import FilterResult
from chunkfilter.text.ragged import AnyIntArray, IntArray, Ragged

#: Share of a removed chunk's wording that one representative must hold to count for it.
_HALF = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Documents as numbers.

    Args:
        of_chunks: the document of each chunk, shape (n,), -1 if it has no source.
        relevant: the relevant documents of each question, ascending, q rows.
        grades: the grade of each of them, above 0, shape (len(relevant.values),).
        size: number of documents.
    """

    of_chunks: IntArray
    relevant: Ragged
    grades: Values
    size: int

    @classmethod
    def of(cls, chunks: Sequence[Chunk], questions: Sequence[Question]) -> "Documents":
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
        return cls(
            np.array(of_chunks, dtype=np.int64),
            rows_of([np.array([number for number, _ in row], dtype=np.int64) for row in rows]),
            np.array([grade for row in rows for _, grade in row], dtype=np.float64),
            max(len(numbers), 1),
        )

    def counting_for(self, credit: IntArray) -> Ragged:
        """The distinct documents that each chunk counts for: its own, and those of what it replaced.

        Args:
            credit: pairs of a representative and a removed chunk that it holds, shape (m, 2).
        """
        chunks = np.concatenate([np.arange(len(self.of_chunks)), credit[:, 0]])
        documents = np.concatenate([self.of_chunks, self.of_chunks[credit[:, 1]]])
        known = documents >= 0
        return sets_of(chunks[known], documents[known], len(self.of_chunks))

    def grades_of(self, found: IntArray) -> Values:
        """The grade of each document found for each question, 0 where it is not relevant; shape of found."""
        known = self.relevant.rows * self.size + self.relevant.values
        if not len(known):
            return np.zeros(found.shape)
        order = np.argsort(known)
        asked = np.arange(len(found))[:, None] * self.size + found
        places = np.minimum(np.searchsorted(known[order], asked), len(known) - 1)
        matches: Values = np.where(known[order][places] == asked, self.grades[order][places], 0.0)
        return matches


def no_credit() -> IntArray:
    """No representative counts for anything but itself."""
    return np.empty((0, 2), dtype=np.int64)


def credited_pairs(result: FilterResult, words: Ragged, texts: Sequence[str]) -> IntArray:
    """Pairs of a representative and a removed chunk of which that one holds at least half.

    What it holds is counted in distinct runs of five words; a chunk with fewer words is one run.

    Args:
        result: what the filter decided about n chunks.
        words: words of each chunk, n rows.
        texts: their texts.

    Returns:
        Positions of chunks, shape (m, 2).
    """

    def share(removed: int, kept: int) -> float:
        length = min(len(words[removed]), RUN)
        if length == 0:
            return float(texts[removed] == texts[kept])
        wanted, held = _runs(words[removed], length), _runs(words[kept], length)
        return len(wanted & held) / len(wanted)

    pairs = [
        (kept, removal.index)
        for removal in result.removed
        for kept in removal.kept_by
        if share(removal.index, kept) >= _HALF
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _runs(words: AnyIntArray, length: int) -> set[tuple[int, ...]]:
    row = words.tolist()
    return {tuple(row[start : start + length]) for start in range(len(row) - length + 1)}
