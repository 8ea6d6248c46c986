"""Rule ``coverage``: a chunk goes if each sentence and every other word of it stands in what is kept."""

from collections.abc import Callable

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.coverage.copies import twins
from chunkfilter.filters.coverage.finder import CoverFinder
from chunkfilter.filters.coverage.ledger import Ledger
from chunkfilter.filters.coverage.lossy import ShareFinder
from chunkfilter.filters.coverage.units import find_units
from chunkfilter.filters.coverage.walk import Walk
from chunkfilter.filters.selection import Dropped, Selection
from chunkfilter.policy import Term
from chunkfilter.text.ragged import IntArray

Finder = CoverFinder | ShareFinder


def select_coverage(batch: Batch, term: Term, active: BoolArray) -> Selection:
    """Decide which of the active chunks go.

    Copies go first, as ``exact``; where a copy's twin goes too, the copy is covered like any other chunk.

    Args:
        batch: the chunks.
        term: ``coverage`` or ``coverage@t``.
        active: shape (len(batch),): chunks that take part.
    """
    twin = twins(batch, active)
    ledger, stays = Ledger(), active.copy()
    for row in np.flatnonzero(twin >= 0).tolist():
        ledger.name(row, (int(twin[row]),))
        stays[row] = False
    finder = _finder(batch, term, active, stays.copy())
    Walk(finder, ledger, stays, batch.stored).run()
    return Selection(
        [_line(finder, term, twin, row, keepers) for row, keepers in sorted(ledger.keepers.items())]
    )


def coverage_homes(batch: Batch, term: Term) -> Callable[[Dropped, BoolArray], Dropped | None]:
    """Prepare to give a removal whose keepers went in another stage others among the chunks that stay."""
    everyone = np.ones(len(batch), dtype=np.bool_)
    finder = _finder(batch, term, everyone, everyone)
    nobody = np.full(len(batch), -1, dtype=np.int64)

    def find(orphan: Dropped, stays: BoolArray) -> Dropped | None:
        keepers = finder.find(orphan.row, stays, int)
        return None if keepers is None else _line(finder, term, nobody, orphan.row, keepers)

    return find


def _finder(batch: Batch, term: Term, active: BoolArray, gives: BoolArray) -> Finder:
    if term.lossy:
        return ShareFinder(batch, active, gives, float(term.value or 1.0))
    return CoverFinder(batch, find_units(batch), active, gives)


def _line(finder: Finder, term: Term, twin: IntArray, row: int, keepers: tuple[int, ...]) -> Dropped:
    if keepers == (twin[row],):
        return Dropped(row, keepers, "exact", 1.0)
    score = finder.share_held(row, keepers) if isinstance(finder, ShareFinder) else 1.0
    return Dropped(row, keepers, str(term), score)
