"""The conjunct ``+topics``: two chunks have the same topic; chunks without one are like no other."""

import numpy as np

from chunkfilter.filters.batch import Batch
from chunkfilter.filters.relation import Check, PairRule
from chunkfilter.policy import Term
from chunkfilter.text.ragged import IntArray


class _SameTopic:
    def __init__(self, topics: IntArray) -> None:
        self._topics = topics

    def __call__(self, rows: IntArray, columns: IntArray) -> np.ndarray:
        """Infinity for two chunks of one topic, else NaN."""
        same = (self._topics[rows] == self._topics[columns]) & (self._topics[rows] >= 0)
        return np.where(same, np.inf, np.nan)


def _check(batch: Batch, _term: Term) -> Check:
    return _SameTopic(batch.topics)


TOPICS = PairRule(cost=3, check=_check)
