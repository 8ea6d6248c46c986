"""Rule ``exact``: two chunks whose words are the same, one after another."""

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.relation import PairRule, Pairs, ScoreArray
from chunkfilter.policy import Term
from chunkfilter.text.keys import exact_keys, paper_key
from chunkfilter.text.ragged import IntArray


def groups(batch: Batch, paper: bool = False) -> IntArray:
    """Group of each chunk: the position of the first chunk of the batch with the same key and scope.

    Args:
        batch: n chunks.
        paper: take the published key instead.
    """
    keys = [paper_key(text) for text in batch.texts] if paper else exact_keys(batch.texts, batch.words)
    first: dict[tuple[object, int], int] = {}
    return np.fromiter(
        (
            first.setdefault((key, scope), row)
            for row, (key, scope) in enumerate(zip(keys, batch.scopes.tolist(), strict=True))
        ),
        dtype=np.int64,
        count=len(batch),
    )


class SameGroup:
    """Proposes the first candidate of each group, and checks that two chunks are of one group."""

    def __init__(self, groups: IntArray) -> None:
        self._groups = groups

    def propose(self, start: int, stop: int, candidates: BoolArray) -> Pairs:
        """The first candidate of each row's group, score 1."""
        earlier = np.flatnonzero(candidates)
        _, first = np.unique(self._groups[earlier], return_index=True)
        keeper = np.full(len(self._groups), -1, dtype=np.int64)
        keeper[self._groups[earlier[first]]] = earlier[first]
        rows = np.arange(start, stop, dtype=np.int64)
        columns = keeper[self._groups[start:stop]]
        found = (columns >= 0) & (columns < rows)
        return Pairs(rows[found], columns[found], np.ones(int(found.sum())))

    def check(self, rows: IntArray, columns: IntArray) -> ScoreArray:
        """1 for two chunks of one group, else NaN."""
        return np.where(self._groups[rows] == self._groups[columns], 1.0, np.nan)


def _same_group(batch: Batch, term: Term) -> SameGroup:
    return SameGroup(groups(batch, paper=term.paper))


EXACT = PairRule(
    cost=0,
    propose=lambda batch, term: _same_group(batch, term).propose,
    check=lambda batch, term: _same_group(batch, term).check,
    block=None,
)
