"""Chunks that lack the key by which the policy says which of two equals stays."""

from chunkfilter.filters.notices.facts import Facts, listed

_SCORE = "score"


def without_keep_key(facts: Facts) -> str | None:
    """How many chunks have nothing under the key of ``keep=``: they are the first to go."""
    name, _, key = facts.policy.keep.partition(":")
    if name not in ("newest", "best-score"):
        return None
    key = key or _SCORE
    bare = [place for place, chunk in enumerate(facts.new) if (chunk.metadata or {}).get(key) is None]
    if not bare:
        return None
    return (
        f"{len(bare)} of {len(facts.new)} chunks lack {listed([key])}, the key of keep={name}, and are the "
        f"first to go, for example {listed(map(facts.named, bare))}{facts.without_key([key])}"
    )
