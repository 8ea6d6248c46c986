"""Guards: what keeps two chunks apart that a rule finds alike.

Rules that look for likeness (``minhash``, ``simhash``, ``similarity``, entities) pair texts that differ in a
number, a name or a negation. Under guards a chunk is removed only for one with the same tokens; a pair that
differs in any token is a **conflict**: both are kept, and it is reported. Differences that are no content are
on a short list, each measured before it was taken up (docs/guards.md): what :mod:`chunkfilter.text.normalise`
removes, and a full stop at the end.
"""

from collections import Counter

from chunkfilter.policy import Stage
from chunkfilter.rules.batch import Batch
from chunkfilter.text.normalise import tokens


def is_guarded(batch: Batch, stage: Stage) -> bool:
    """Whether guards decide in a stage: not where the policy has none or the stage only removes copies."""
    return batch.policy.guarded and not any(term.syntax.verbatim and not term.paper for term in stage.terms)


def difference(one: str, other: str) -> str:
    """How the tokens of two texts differ: ``order``, ``number`` (in one with a numeral) or ``words``."""
    ours, theirs = Counter(tokens(one)), Counter(tokens(other))
    differing = [*(ours - theirs), *(theirs - ours)]
    if not differing:
        return "order"
    return "number" if any(map(_holds_numeral, differing)) else "words"


def _holds_numeral(token: str) -> bool:
    return any(character.isnumeric() for character in token)
