"""Removals that look like a wipe-out. Verbatim rules are left alone: what they remove stands elsewhere."""

from collections import Counter

from chunkfilter.filters.notices.facts import SAMPLES, Facts, listed

#: Smaller batches, results of a query for one, are one group often enough.
_FEW = 10


def most_removed(facts: Facts) -> str | None:
    """More than half of the chunks went by rules that may lose text, and the policy sets no limit."""
    lossy = facts.lossy
    if facts.policy.max_removed is not None or 2 * len(lossy) <= len(facts.new):
        return None
    paired = [removal for removal in lossy if removal.kept_by or removal.kept_by_existing][:SAMPLES]
    samples = f", for example {listed(map(facts.pair, paired))}" if paired else ""
    return (
        f"{len(lossy)} of {len(facts.new)} chunks were removed by rules that are not verbatim{samples}; "
        "max_removed= sets a limit"
    )


def one_stands_for_most(facts: Facts) -> str | None:
    """One kept chunk stands for more than half of all, by rules that may lose text."""
    groups = Counter(
        removal.kept_by[0] if removal.kept_by else -1 - removal.kept_by_existing[0]
        for removal in facts.lossy
        if removal.kept_by or removal.kept_by_existing
    )
    if not groups or len(facts.new) < _FEW:
        return None
    ((keeper, count),) = groups.most_common(1)
    if 2 * count <= len(facts.new):
        return None
    went = [
        removal.index
        for removal in facts.lossy
        if keeper in _keepers(removal.kept_by, removal.kept_by_existing)
    ]
    return (
        f"one group holds most of the corpus: {facts.named(keeper)} stands for {count} of {len(facts.new)} "
        f"chunks, for example {listed(map(facts.named, went[:SAMPLES]))}; look whether the signal is broken"
    )


def _keepers(kept: tuple[int, ...], stored: tuple[int, ...]) -> tuple[int, ...]:
    return kept + tuple(-1 - place for place in stored)
