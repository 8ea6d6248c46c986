"""What is put beside a variant at its own size: random removal, and the published rules.

Comparing filters that remove different amounts compares the amounts. Here random removal takes as many
characters of each corpus, and each rule gets the threshold, found by bisection, at which its kept chunks have
as many characters as those of the variant it stands beside.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from chunkfilter.evaluate.collection import Collection
from chunkfilter.evaluate.sets import BoolArray
from chunkfilter.evaluate.variants import Filters, Variant
from chunkfilter.policy import Policy, Term
from chunkfilter.text.ragged import IntArray

#: Kept characters that differ by this share of all are equal.
TOLERANCE = 0.0005
#: Halvings of the interval; thresholds are then known to about a millionth.
_STEPS = 20


def random_after_exact(variant: Variant, filters: Filters, strata: IntArray, seeds: int) -> Variant | None:
    """The control: without exact copies, then chunks removed at random until the size is the variant's.

    Args:
        variant: its first draw's characters are taken, corpus by corpus.
        filters: what both are measured on.
        strata: the corpus of each chunk, shape (n,).
        seeds: number of draws.
    """
    data = filters.data
    unique = np.zeros(len(data.chunks), dtype=np.bool_)
    unique[np.unique(data.copies, return_index=True)[1]] = True
    draws = tuple(_drawn(data, unique, variant.draws[0], strata, seed) for seed in range(seeds))
    return Variant(f"random after exact, size of {variant.name}", draws, "control")


def _drawn(data: Collection, unique: BoolArray, target: BoolArray, strata: IntArray, seed: int) -> BoolArray:
    """Unique chunks in random order, in each stratum as many as come nearest to the target's characters."""
    generator, characters = np.random.default_rng(seed), data.characters
    kept = np.zeros(len(characters), dtype=np.bool_)
    for stratum in np.unique(strata):
        members = generator.permutation(np.flatnonzero(unique & (strata == stratum)))
        wanted = characters[target & (strata == stratum)].sum()
        sizes = np.append(0, np.cumsum(characters[members]))
        kept[members[: int(np.abs(sizes - wanted).argmin())]] = True
    return kept


def rule_of_same_size(
    rule: str, variant: Variant, filters: Filters, strata: IntArray, seeds: int
) -> Variant | None:
    """A rule with a threshold, without guards, as published; ``None`` where nothing was removed.

    Of all thresholds tried the one that comes nearest. Where many pairs have one score no threshold may come
    near: copies, for example, are removed at every one.
    """
    del strata, seeds
    if variant.draws[0].all():
        return None
    characters = filters.data.characters
    wanted, tolerated = int(characters[variant.draws[0]].sum()), TOLERANCE * float(characters.sum())

    syntax = Term(rule).syntax

    def at(threshold: float) -> Variant:
        policy = Policy.parse(f"{rule}@{threshold:.6g} guards=none")
        unlimited = replace(policy, max_removed=1.0)  # the size is the question, not worth a warning
        return replace(filters.variant(unlimited), name=str(policy))

    def excess(candidate: Variant) -> float:
        return float(characters[candidate.draws[0]].sum() - wanted)

    nearest = _nearest(at, excess, (syntax.low, syntax.high), tolerated)
    return replace(nearest, name=f"{nearest.name}, size of {variant.name}", kind=rule)


def _nearest(
    at: Callable[[float], Variant],
    excess: Callable[[Variant], float],
    bounds: tuple[float, float],
    tolerated: float,
) -> Variant:
    """Of the variants that a bisection tries the one with the least excess, which rises with thresholds."""
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


Companion = Callable[[Variant, Filters, IntArray, int], Variant | None]

#: What may be put beside a policy at its own size. A rule whose threshold rises with what it keeps is a line.
BESIDE: dict[str, Companion] = {
    "control": random_after_exact,
    "minhash": partial(rule_of_same_size, "minhash"),
    "similarity": partial(rule_of_same_size, "similarity"),
}
