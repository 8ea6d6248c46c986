"""Which chunks hold a sentence whole."""

import numpy as np

from chunkfilter.evaluate.metrics import Numbers
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of


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
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    return Ragged(np.concatenate([np.empty(0, np.int64), *rows]), offsets_of(lengths))


class _Places:
    """Where each word stands."""

    def __init__(self, chunks: Ragged) -> None:
        self._words = chunks.values
        self._rows = chunks.rows
        self._ends = chunks.offsets[1:]
        self._counts = np.bincount(chunks.values)
        self._first = offsets_of(self._counts)
        self._order = np.argsort(chunks.values, kind="stable")

    def holding(self, sentence: Numbers) -> IntArray:
        if sentence.max() >= len(self._counts):
            return np.empty(0, dtype=np.int64)
        by_rarity = np.argsort(self._counts[sentence], kind="stable")
        rarest = by_rarity[0]
        word = sentence[rarest]
        anchors = self._order[self._first[word] : self._first[word + 1]]
        rows, starts = self._rows[anchors], anchors - rarest
        first_of_row = np.append(0, self._ends)[rows]
        fits = (starts >= first_of_row) & (starts + len(sentence) <= self._ends[rows])
        rows, starts = rows[fits], starts[fits]
        for place in by_rarity[1:]:
            agrees = self._words[starts + place] == sentence[place]
            rows, starts = rows[agrees], starts[agrees]
            if not len(rows):
                break
        return np.unique(rows)
