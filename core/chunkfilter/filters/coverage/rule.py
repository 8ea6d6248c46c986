"""Rule ``coverage``: a chunk goes if each sentence and every other word of it stands in what is kept."""

from collections.abc import Callable

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.coverage.copies import Copies
from chunkfilter.filters.coverage.finder import CoverFinder
from chunkfilter.filters.coverage.lossy import ShareFinder
from chunkfilter.filters.coverage.preference import FirstWanted
from chunkfilter.filters.coverage.units import find_units
from chunkfilter.filters.coverage.walk import Walk
from chunkfilter.filters.selection import Dropped, Selection
from chunkfilter.policy import Term


def select_coverage(batch: Batch, term: Term, active: BoolArray) -> Selection:
    """Decide which of the active chunks go.

    Copies go first, as ``exact``; where a copy's twin goes too, the copy is covered like any other chunk.

    Args:
        batch: the chunks.
        term: ``coverage`` or ``coverage@t``.
        active: shape (len(batch),): chunks that take part.
    """
    copies = Copies(batch, active)
    prepare = _finder(batch, term, active)
    walk = Walk(prepare, copies, active, batch.stored)
    walk.run()
    return Selection(
        [
            Dropped(row, keepers, "exact", 1.0)
            if copies.same(row, keepers)
            else Dropped(row, keepers, str(term), walk.finder.score(row, keepers))
            for row, keepers in sorted(walk.ledger.keepers.items())
        ]
    )


def coverage_homes(batch: Batch, term: Term) -> Callable[[Dropped, BoolArray], Dropped | None]:
    """Prepare to give a removal whose keepers went in another stage others among the chunks of a mask."""
    everyone = np.ones(len(batch), dtype=np.bool_)
    finder = _finder(batch, term, everyone)(everyone)

    def find(orphan: Dropped, stays: BoolArray) -> Dropped | None:
        keepers = finder.find(orphan.row, stays, FirstWanted())
        return (
            None
            if keepers is None
            else Dropped(orphan.row, keepers, str(term), finder.score(orphan.row, keepers))
        )

    return find


def _finder(batch: Batch, term: Term, active: BoolArray) -> Callable[[BoolArray], CoverFinder | ShareFinder]:
    """Prepare finders that differ in which chunks may stand for others."""
    if term.lossy and not batch.policy.guarded:
        return lambda gives: ShareFinder(batch, active, gives, float(term.value or 1.0))
    units = find_units(batch)
    return lambda gives: CoverFinder(batch, units, active, gives)
