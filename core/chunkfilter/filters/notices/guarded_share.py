"""``coverage@t`` under guards: what t would let go stays."""

from chunkfilter.filters.notices.facts import Facts


def share_guarded(facts: Facts) -> str | None:
    """That guards keep what ``coverage@t`` may lose, so that it removes what ``coverage`` removes."""
    if not facts.policy.guarded:
        return None
    shares = [
        str(term)
        for stage in facts.policy.stages
        for term in stage.terms
        if term.name == "coverage" and term.lossy
    ]
    if not shares:
        return None
    return (
        f"'{shares[0]}' removes what 'coverage' removes: guards keep a chunk that loses a word; "
        "with guards=none the rule loses words"
    )
