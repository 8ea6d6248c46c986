"""Rules that look at nothing: ``none``, and the seeded control ``random@p``."""

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.selection import Dropped, Selection
from chunkfilter.policy import Term

#: Seed of ``random@p`` in a policy; ``compare`` draws its own seeds for the control.
SEED = 0


def keep_all(batch: Batch, term: Term, active: BoolArray) -> Selection:
    """Rule ``none``: nothing goes."""
    del batch, term, active
    return Selection()


def drop_at_random(batch: Batch, term: Term, active: BoolArray) -> Selection:
    """Rule ``random@p``: a share p of the active chunks, rounded down, drawn without replacement.

    The draw depends on the caller's order of the chunks, not on the keep order.
    """
    going = np.flatnonzero(active[batch.stored :])
    caller = batch.order[going]
    by_caller = going[np.argsort(caller)]
    chosen = random_rows(len(by_caller), float(term.value or 0.0), SEED)
    return Selection([Dropped(batch.stored + int(row), (), str(term), None) for row in by_caller[chosen]])


def random_rows(count: int, share: float, seed: int) -> np.ndarray:
    """``floor(share * count)`` distinct positions below ``count``, ascending."""
    chosen = np.random.default_rng(seed).choice(count, size=int(share * count), replace=False)
    return np.sort(chosen)
