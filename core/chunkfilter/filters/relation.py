"""What a rule between two chunks has to offer to the greedy selection."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.policy import Term
from chunkfilter.text.ragged import IntArray

ScoreArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs between which a rule holds: ``rows[i]`` may go for ``columns[i]``, which comes earlier.

    Args:
        rows: shape (p,), ascending.
        columns: shape (p,), each smaller than its row, ascending within a row.
        scores: shape (p,).
    """

    rows: IntArray
    columns: IntArray
    scores: ScoreArray

    def where(self, mask: BoolArray) -> "Pairs":
        """The pairs of a mask, shape (p,)."""
        return self if mask.all() else Pairs(self.rows[mask], self.columns[mask], self.scores[mask])

    def at(self, places: IntArray) -> "Pairs":
        """The pairs at some places, shape (q,)."""
        return Pairs(self.rows[places], self.columns[places], self.scores[places])

    @staticmethod
    def joined(parts: "Sequence[Pairs]") -> "Pairs":
        """The pairs of all parts, one part after another."""
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return NO_PAIRS
        return Pairs(
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.columns for part in parts]),
            np.concatenate([part.scores for part in parts]),
        )


class Index(Protocol):
    """Chunks that stay, made searchable; its members are numbered in the order they were added."""

    def add(self, rows: IntArray) -> None:
        """Take in more members, all of them later in the batch than those already in."""
        ...

    def cut(self, count: int) -> None:
        """Forget all members but the first ``count``."""
        ...

    def find(self, rows: IntArray, first: int, last: int) -> Pairs:
        """All pairs of a row and an earlier member numbered ``first <= number < last``.

        Args:
            rows: shape (r,), ascending.
            first: number of the first member to look at.
            last: one past the number of the last.
        """
        ...


class Check(Protocol):
    """Scores given pairs."""

    def __call__(self, rows: IntArray, columns: IntArray) -> ScoreArray:
        """Score of each pair, NaN where the rule does not hold, shape (p,).

        Infinity where it holds and has no degree, so that it never is the smallest of joined rules.
        """
        ...


class Guard(Protocol):
    """Keeps chunks apart that a rule found alike."""

    def __call__(self, rows: IntArray, columns: IntArray) -> NDArray[np.str_]:
        """What differs between the chunks of each pair, empty where nothing does, shape (p,)."""
        ...


@dataclass(frozen=True, slots=True)
class PairRule:
    """A rule between two chunks.

    Args:
        cost: rank among the rules joined by ``+``: the cheapest proposes, the others check.
        check: prepares the check over a batch.
        index: prepares an empty index over a batch; ``None`` for rules that only check.
    """

    cost: int
    check: Callable[[Batch, Term], Check]
    index: Callable[[Batch, Term], Index] | None = None


NO_PAIRS = Pairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float64))
