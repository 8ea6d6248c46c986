"""Chunks that lack a key of the policy's scope."""

from chunkfilter.filters.notices.facts import Facts


def without_scope_key(facts: Facts) -> str | None:
    """How many chunks were compared with none."""
    if not facts.alone:
        return None
    keys = ", ".join(facts.policy.scope)
    misspelt = facts.without_key(facts.policy.scope)
    return f"{facts.alone} chunks lack a scope key ({keys}) and were compared with none{misspelt}"
