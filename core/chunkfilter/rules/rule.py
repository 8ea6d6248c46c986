"""What a rule offers: how it is written, how it decides, and how a removal by it is checked again.

A rule is one file in this package with a ``RULE`` (or several), and one line in
:data:`chunkfilter.policy.RULES`. There are two kinds. A **pair rule** scores two chunks; the selection walks
through the chunks in keep order and removes one for an earlier kept one. A **whole rule** looks at a chunk
and everything that is kept.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chunkfilter.chunk import Chunk
from chunkfilter.policy import Policy, RuleSyntax, Term
from chunkfilter.rules.batch import Batch
from chunkfilter.text.ragged import BoolArray, IntArray

ScoreArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs between which a rule holds: ``rows[i]`` may be removed for ``columns[i]``, which comes earlier.

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


NO_PAIRS = Pairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float64))


class Index(Protocol):
    """Kept chunks, made searchable; its members are numbered in the order they were added."""

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


@dataclass(frozen=True, slots=True)
class Removed:
    """A chunk that a rule removes, in rows of the batch.

    Args:
        row: the chunk.
        representatives: rows of kept chunks that alone satisfy the rule.
        rule: the term that decided.
        score: the rule's score; ``None`` for rules without one.
    """

    row: int
    representatives: tuple[int, ...]
    rule: str
    score: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The run that a certificate is about.

    Args:
        chunks: n new chunks, then m existing ones.
        new: n.
        policy: of the result.
        window: as the result reports it.
        signals: what was given beside the texts: ``vectors``, ``embedder``, ``entities``, ``topics``.
    """

    chunks: Sequence[Chunk]
    new: int
    policy: Policy
    window: str
    signals: Mapping[str, Any] = field(default_factory=dict)

    @property
    def texts(self) -> list[str]:
        """The text of every chunk."""
        return [chunk.text for chunk in self.chunks]


#: ``(term, removed, representatives) -> score``, in positions of the run's chunks; NaN if the rule does not
#: hold, infinity if it holds and has no degree.
Certify = Callable[[Term, int, tuple[int, ...]], float]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule; either ``check`` (and ``index``) or ``select`` is given.

    Args:
        syntax: how it is written, and what it reads.
        certify: prepares the check of a removal from the texts and signals of a run, by the plainest reading
            of the rule; ``None`` for rules that remove nothing.
        cost: rank among the rules joined by ``+``: the cheapest that has an index proposes, the others check.
        check: prepares the scores of pairs over a batch.
        index: prepares an empty index over a batch; ``None`` for rules that only check.
        select: for a whole rule: decides over the chunks of a mask.
        cover: for a whole rule: prepares to find other representatives for a removal among the chunks of a
            mask.
    """

    syntax: RuleSyntax
    certify: Callable[[Run], Certify] | None = None
    cost: int = 0
    check: Callable[[Batch, Term], Check] | None = None
    index: Callable[[Batch, Term], Index] | None = None
    select: Callable[[Batch, Term, BoolArray], list[Removed]] | None = None
    cover: Callable[[Batch, Term], Callable[[int, BoolArray], tuple[int, ...] | None]] | None = None


def of_pair(score: Callable[[Term, int, int], float]) -> Certify:
    """The check of a rule between two chunks: there is exactly one representative."""

    def certify(term: Term, removed: int, representatives: tuple[int, ...]) -> float:
        return score(term, removed, representatives[0]) if len(representatives) == 1 else float("nan")

    return certify
