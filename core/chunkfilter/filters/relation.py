"""What a rule between two chunks has to offer to the greedy selection."""

from collections.abc import Callable
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
        columns: shape (p,), each smaller than its row.
        scores: shape (p,).
    """

    rows: IntArray
    columns: IntArray
    scores: ScoreArray


class Proposer(Protocol):
    """Finds, for a block of rows, the earlier chunks the rule holds with."""

    def __call__(self, start: int, stop: int, candidates: BoolArray) -> Pairs:
        """All pairs with ``start <= row < stop``, ``column < row`` and ``candidates[column]``.

        Args:
            start: first row of the block.
            stop: one past its last row.
            candidates: shape (stop,): earlier chunks that stay, and every row of the block itself.
        """
        ...


class Check(Protocol):
    """Scores given pairs."""

    def __call__(self, rows: IntArray, columns: IntArray) -> ScoreArray:
        """Score of each pair, NaN where the rule does not hold, shape (p,)."""
        ...


@dataclass(frozen=True, slots=True)
class PairRule:
    """A rule between two chunks.

    Args:
        cost: rank among the rules joined by ``+``: the cheapest proposes, the others check.
        propose: prepares the proposer over a batch; ``None`` for rules that only check.
        check: prepares the check over a batch.
        block: rows proposed for at once; ``None`` for the whole batch.
    """

    cost: int
    propose: Callable[[Batch, Term], Proposer] | None
    check: Callable[[Batch, Term], Check]
    block: int | None = 2048


NO_PAIRS = Pairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float64))
