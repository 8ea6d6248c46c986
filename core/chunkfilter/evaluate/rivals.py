"""Rivals at equal size: the published rules, with the threshold at which they keep as much text as a policy.

Comparing filters that remove different amounts compares the amounts. Here each rival gets the threshold,
found by bisection, at which its kept chunks have as many characters as those of the policy it stands beside.
"""

from collections.abc import Callable
from dataclasses import replace

from chunkfilter.evaluate.arms import Arm, policy_arm
from chunkfilter.evaluate.bench import Bench
from chunkfilter.evaluate.filtering import Filtering
from chunkfilter.policy import RULES, Policy

#: Rules with a threshold: the higher it is, the more they keep.
RIVALS = ("minhash", "similarity")

#: Kept characters that differ by this share of all are equal.
TOLERANCE = 0.0005
#: Halvings of the interval; thresholds are then known to about a millionth.
_STEPS = 20


def rival_arm(bench: Bench, name: str, arm: Arm, filtering: Filtering) -> Arm:
    """The rival at the size of an arm, without guards, as published.

    Args:
        bench: what both are measured on.
        name: one of ``RIVALS``.
        arm: the arm whose kept characters are taken; of several draws, the first one's.
        filtering: runs the rival.

    Returns:
        Of all thresholds tried the one that comes nearest. Where many pairs have one score no threshold may
        come near: copies, for example, are removed at every one.
    """
    wanted = int(bench.characters[arm.draws[0]].sum())
    tolerated = TOLERANCE * float(bench.characters.sum())

    def at(threshold: float) -> Arm:
        policy = Policy.parse(f"{name}@{threshold:.6g} guards=none")
        unlimited = replace(policy, max_removed=1.0)  # how much goes is the question, not worth a warning
        return replace(policy_arm(bench, unlimited, filtering, seeds=1), name=str(policy))

    def excess(candidate: Arm) -> float:
        return float(bench.characters[candidate.draws[0]].sum() - wanted)

    nearest = nearest_by_bisection(at, excess, (RULES[name].low, RULES[name].high), tolerated)
    return replace(nearest, name=f"{nearest.name}, size of {arm.name}", kind=name)


def nearest_by_bisection(
    at: Callable[[float], Arm], excess: Callable[[Arm], float], bounds: tuple[float, float], tolerated: float
) -> Arm:
    """The arm with the smallest excess among those that a bisection tries.

    Args:
        at: the arm at a threshold.
        excess: what it keeps too much, negative for too little; rises with the threshold, if not strictly.
        bounds: smallest and largest threshold.
        tolerated: an excess this small ends the search.
    """
    low, high = bounds
    best = at(high)
    if excess(best) <= 0:
        return best  # a lower threshold keeps even less
    for _ in range(_STEPS):
        if abs(excess(best)) <= tolerated:
            break
        middle = (low + high) / 2
        tried = at(middle)
        if abs(excess(tried)) < abs(excess(best)):
            best = tried
        low, high = (low, middle) if excess(tried) > 0 else (middle, high)
    return best
