"""The guard of a stage: the tests of the package's docstring, over arrays of pairs."""

import numpy as np
from numpy.typing import NDArray

from chunkfilter.filters.batch import Batch
from chunkfilter.filters.guards.evidence import Evidence
from chunkfilter.filters.relation import Guard
from chunkfilter.policy import Stage
from chunkfilter.text.ragged import IntArray

#: Shares of the distinct words of the text with fewer: from here on two texts are one statement with changes,
SAME_STATEMENT = 0.5
#: and below this one they may be a text and its translation.
SAME_LANGUAGE = 0.25

_NAMES = "<U8"


def guard_of(batch: Batch, stage: Stage) -> Guard | None:
    """The guard of a stage; ``None`` where the policy has none or the stage removes only copies."""
    if not batch.policy.guarded or any(not term.lossy and not term.paper for term in stage.terms):
        return None
    return _Guard(batch, vectors_alone=looks_at_vectors_alone(stage))


def looks_at_vectors_alone(stage: Stage) -> bool:
    """Whether a stage reads vectors and no text: it then knows nothing beyond the embedder's window."""
    reads_text = any(not term.syntax.vectors and not term.syntax.entities for term in stage.terms)
    return any(term.syntax.vectors for term in stage.terms) and not reads_text


class _Guard:
    def __init__(self, batch: Batch, vectors_alone: bool) -> None:
        self._evidence = Evidence(batch)
        self._vectors_alone = vectors_alone

    def __call__(self, rows: IntArray, columns: IntArray) -> NDArray[np.str_]:
        """What differs between the chunks of each pair, empty where nothing does, shape (p,)."""
        names = np.full(len(rows), "", dtype=_NAMES)
        open_ = np.flatnonzero(~self._evidence.same_words(rows, columns))
        if self._vectors_alone and len(open_):
            cut = self._evidence.cut[rows[open_]] | self._evidence.cut[columns[open_]]
            names[open_[cut]] = "window"
            open_ = open_[~cut]
        if len(open_):
            shares = self._evidence.shared_words(rows[open_], columns[open_])
            aligned = shares >= SAME_STATEMENT
            places = open_[aligned]
            names[places] = self._changed(rows[places], columns[places])
            places = open_[~aligned]
            names[places] = self._paraphrased(rows[places], columns[places], shares[~aligned])
        return names

    def _changed(self, rows: IntArray, columns: IntArray) -> NDArray[np.str_]:
        """How two wordings of one statement differ."""
        evidence = self._evidence
        names = np.where(evidence.same_numbers(rows, columns), "words", "number").astype(_NAMES)
        names[evidence.same_multiset(rows, columns)] = "order"
        return names

    def _paraphrased(
        self, rows: IntArray, columns: IntArray, shares: NDArray[np.float64]
    ) -> NDArray[np.str_]:
        """What speaks against the one standing for the other in other words."""
        names = np.full(len(rows), "", dtype=_NAMES)
        if len(rows):
            evidence = self._evidence
            names[shares < SAME_LANGUAGE] = "language"
            names[evidence.unspaced[rows] | evidence.unspaced[columns]] = "words"
            names[~evidence.numbers_within(rows, columns)] = "number"
            names[evidence.scripts[rows] != evidence.scripts[columns]] = "language"
        return names
