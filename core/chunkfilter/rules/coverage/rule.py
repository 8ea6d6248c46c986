"""Rule ``coverage``: a chunk is removed if kept chunks contain all of it, sentence by sentence with its
neighbours.

Each of its sentences is also a sentence of a kept chunk, each two neighbouring ones are neighbours in a kept
chunk, and each piece cut off by its edge is contained, in one piece and with the sentence beside it, in a
kept chunk: at most three, which alone contain all of it. What an embedder sees of it is contained in what it
sees of them.
"""

from collections.abc import Callable

import numpy as np

from chunkfilter.policy import RuleSyntax, Term
from chunkfilter.rules.batch import Batch
from chunkfilter.rules.coverage.certificate import certify
from chunkfilter.rules.coverage.cover import CoverFinder
from chunkfilter.rules.coverage.needs import find_needs
from chunkfilter.rules.coverage.table import sentence_table, tokens_of
from chunkfilter.rules.coverage.walk import Walk
from chunkfilter.rules.rule import Removed, Rule
from chunkfilter.signals.window import visible_tokens
from chunkfilter.text.ragged import BoolArray
from chunkfilter.text.reading import read


def select(batch: Batch, term: Term, active: BoolArray) -> list[Removed]:
    """Decide which of the active chunks are removed; copies first, as by ``exact``."""
    copies = _Copies(batch, active)
    finder = _finder(batch, active)
    walk = Walk(finder.find, np.flatnonzero(finder.possible).tolist(), copies, active, batch.existing)
    walk.run()
    return [
        Removed(row, representatives, "exact" if copies.same(row, representatives) else str(term), 1.0)
        for row, representatives in sorted(walk.removals.representatives.items())
    ]


def cover(batch: Batch, _term: Term) -> Callable[[int, BoolArray], tuple[int, ...] | None]:
    """Prepare to find representatives for one chunk among those of a mask."""
    finder = _finder(batch, np.ones(len(batch), dtype=np.bool_))
    return lambda row, kept: finder.find(row, kept, int)


def _finder(batch: Batch, active: BoolArray) -> CoverFinder:
    order = batch.reading_order.tolist()
    table = sentence_table(read(batch.chunks, order), batch.scopes)
    tokens = tokens_of(table)
    seen = visible_tokens(batch.texts, tokens.rows.offsets, tokens.words, batch.policy.window, batch.embedder)
    asking = active & (np.arange(len(batch)) >= batch.existing)
    return CoverFinder(find_needs(table, tokens, seen, asking, active))


class _Copies:
    """Chunks of the same text and scope.

    Args:
        batch: n chunks.
        active: shape (n,): chunks that take part.
    """

    def __init__(self, batch: Batch, active: BoolArray) -> None:
        self._group = batch.same_text
        self._existing = batch.existing
        rows = np.flatnonzero(active)
        order = rows[np.argsort(self._group[rows], kind="stable")]
        cuts = np.flatnonzero(np.diff(self._group[order])) + 1
        self._members = {
            int(self._group[members[0]]): members.tolist()
            for members in np.split(order, cuts)
            if len(members) > 1
        }

    def first_copies(self) -> dict[int, int]:
        """For each chunk with a copy more wanted than itself, the most wanted one."""
        return {
            row: members[0]
            for members in self._members.values()
            for row in members[1:]
            if row >= self._existing
        }

    def kept_copy(self, row: int, kept: BoolArray) -> int | None:
        """The most wanted kept copy of a chunk, other than itself."""
        members = self._members.get(int(self._group[row]), ())
        return next((other for other in members if other != row and kept[other]), None)

    def same(self, row: int, representatives: tuple[int, ...]) -> bool:
        """Whether a chunk is a copy of its only representative."""
        return len(representatives) == 1 and bool(self._group[row] == self._group[representatives[0]])


COVERAGE = Rule(
    RuleSyntax(
        combines=False,
        verbatim=True,
        window=True,
        hint="; what may lose text is 'minhash@T guards=none' or 'similarity@T guards=none'",
    ),
    certify=certify,
    select=select,
    cover=cover,
)
