"""What is set side by side: no filter, the reference, a policy, and what is put beside it at its size."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from chunkfilter.evaluate.bench import Bench, BoolArray
from chunkfilter.evaluate.credit import credited_pairs
from chunkfilter.evaluate.filtering import Filtering
from chunkfilter.evaluate.measures import no_credit
from chunkfilter.rules.controls import random_rows
from chunkfilter.policy import Policy, Stage, Term
from chunkfilter.text.ragged import IntArray

REFERENCE = "none, copies merged at query time"


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """One way to build the index.

    Args:
        name: what tables call it.
        draws: which chunks are kept, each of shape (n,): one mask, or one for each seed of a random choice.
        kind: ``policy``, ``reference``, a key of ``BESIDE`` or one of ``rivals.RIVALS``.
        seconds: wall time of the filter.
        merges_copies: of chunks that are copies by the rule ``exact`` a search returns the best ranked only.
        warnings: what the filter had to say.
        credit: pairs of a keeper and a removed chunk that it may count for, shape (m, 2).
    """

    name: str
    draws: tuple[BoolArray, ...]
    kind: str = "policy"
    seconds: float = 0.0
    merges_copies: bool = False
    warnings: tuple[str, ...] = ()
    credit: IntArray = field(default_factory=no_credit)


def plain_arm(bench: Bench) -> Arm:
    """Every chunk, nothing merged."""
    return Arm("none", (_all(bench),))


def reference_arm(bench: Bench) -> Arm:
    """What verdicts compare with: no filter, and exact copies merged in the list a search returns.

    Anyone can have that without dropping a chunk, so a filter gets no credit for it.
    """
    return Arm(REFERENCE, (_all(bench),), "reference", merges_copies=True)


def policy_arm(bench: Bench, policy: Policy, filtering: Filtering, seeds: int) -> Arm:
    """What a policy keeps. Blank chunks stay unless the policy's text says ``blank=drop``.

    A last stage ``random@p`` is drawn with ``seeds`` seeds.
    """
    run = policy if policy.blank else replace(policy, blank="keep")
    *before, last = policy.stages
    share = _random_share(last)
    if share is not None:
        run = replace(run, stages=tuple(before) or (Stage((Term("none"),)),))
    result = filtering(run)
    kept = np.array(result.kept, dtype=np.int64)
    going = (
        [kept[:0]] if share is None else [kept[random_rows(len(kept), share, seed)] for seed in range(seeds)]
    )
    base = _mask(bench, kept)
    draws = tuple(base & ~_mask(bench, dropped) for dropped in going)
    credit = credited_pairs(bench, result) if "document" in bench.settings.measures else no_credit()
    report = result.report
    return Arm(str(policy), draws, seconds=report.seconds, warnings=report.warnings, credit=credit)


def random_after_exact(bench: Bench, arm: Arm, strata: IntArray, seeds: int) -> Arm:
    """The control: exact copies go, then chunks at random until each corpus has as many characters as in the
    arm.

    Args:
        bench: what both are measured on.
        arm: the arm whose size is taken, its first draw.
        strata: the corpus of each chunk, shape (n,).
        seeds: number of draws.
    """
    unique = np.zeros(len(bench.chunks), dtype=np.bool_)
    unique[np.unique(bench.copies, return_index=True)[1]] = True
    draws = tuple(_drawn(bench.characters, unique, arm.draws[0], strata, seed) for seed in range(seeds))
    return Arm(f"random after exact, size of {arm.name}", draws, "control")


Companion = Callable[[Bench, Arm, IntArray, int], Arm]

#: What may be put beside a policy at its own size; rules with a threshold are in ``rivals.RIVALS``.
BESIDE: dict[str, Companion] = {
    "control": random_after_exact,
}


def _drawn(
    characters: IntArray, unique: BoolArray, target: BoolArray, strata: IntArray, seed: int
) -> BoolArray:
    """Unique chunks in random order, in each stratum as many as come nearest to the target's characters."""
    generator = np.random.default_rng(seed)
    kept = np.zeros(len(characters), dtype=np.bool_)
    for stratum in np.unique(strata):
        members = generator.permutation(np.flatnonzero(unique & (strata == stratum)))
        wanted = characters[target & (strata == stratum)].sum()
        sizes = np.append(0, np.cumsum(characters[members]))
        kept[members[: int(np.abs(sizes - wanted).argmin())]] = True
    return kept


def _random_share(stage: Stage) -> float | None:
    term = stage.terms[0]
    return term.value if term.name == "random" else None


def _mask(bench: Bench, positions: IntArray) -> BoolArray:
    mask = np.zeros(len(bench.chunks), dtype=np.bool_)
    mask[positions] = True
    return mask


def _all(bench: Bench) -> BoolArray:
    return np.ones(len(bench.chunks), dtype=np.bool_)
