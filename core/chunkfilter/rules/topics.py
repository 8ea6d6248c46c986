"""The conjunct ``+topics``: two chunks have the same topic; chunks without one are like no other."""

import numpy as np

from chunkfilter.policy import RuleSyntax, Term
from chunkfilter.rules.batch import Batch
from chunkfilter.rules.rule import Certify, Check, Rule, Run, of_pair
from chunkfilter.rules.similarity import run_vectors
from chunkfilter.signals.topics import topic_numbers
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


def _certify(run: Run) -> Certify:
    given = run.signals.get("topics")
    if given is None:
        run_vectors(run, "topics")  # without labels topics are found in the vectors
    topics = topic_numbers(given, run.texts, lambda: run_vectors(run, "topics"))
    return of_pair(
        lambda _term, removed, kept: float("inf") if topics[removed] == topics[kept] >= 0 else float("nan")
    )


TOPICS = Rule(RuleSyntax(alone=False, vectors=True), _certify, cost=3, check=_check)
