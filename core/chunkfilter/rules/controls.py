"""Rules that look at no text: ``none``, and the seeded control ``random@p``."""

import numpy as np

from chunkfilter.policy import RuleSyntax, Term
from chunkfilter.rules.batch import Batch
from chunkfilter.rules.rule import Certify, Removed, Rule, Run
from chunkfilter.text.ragged import BoolArray

#: Seed of ``random@p`` in a policy; ``compare`` draws its own seeds for the control.
SEED = 0


def _keep_all(batch: Batch, term: Term, active: BoolArray) -> list[Removed]:
    del batch, term, active
    return []


def _remove_at_random(batch: Batch, term: Term, active: BoolArray) -> list[Removed]:
    """A share of the active chunks, rounded down, drawn without replacement.

    The draw depends on the caller's order of the chunks, not on the keep order.
    """
    new = np.flatnonzero(active[batch.existing :])
    by_caller = new[np.argsort(batch.order[new])]
    chosen = random_rows(len(by_caller), float(term.value or 0.0), SEED)
    return [Removed(batch.existing + int(row), (), str(term), None) for row in by_caller[chosen]]


def random_rows(count: int, share: float, seed: int) -> np.ndarray:
    """``floor(share * count)`` distinct positions below ``count``, ascending."""
    chosen = np.random.default_rng(seed).choice(count, size=int(share * count), replace=False)
    return np.sort(chosen)


def _certify(_run: Run) -> Certify:
    return lambda _term, _removed, representatives: float("nan") if representatives else float("inf")


NONE = Rule(RuleSyntax(combines=False, verbatim=True), select=_keep_all)
RANDOM = Rule(RuleSyntax(default=0.2, combines=False), _certify, select=_remove_at_random)
