"""One id for different texts: filters work by position, but a store would keep only one of them."""

from chunkfilter.filters.notices.facts import Facts, listed


def ids_shared(facts: Facts) -> str | None:
    """The ids that several kept chunks of different texts bear."""
    gone = {removal.index for removal in facts.removed}
    texts: dict[str, str] = {}
    shared: dict[str, None] = {}
    for position, chunk in enumerate(facts.new):
        if (
            chunk.id is not None
            and position not in gone
            and texts.setdefault(chunk.id, chunk.text) != chunk.text
        ):
            shared[chunk.id] = None
    if not shared:
        return None
    return (
        f"{len(shared)} ids are borne by kept chunks of different texts, of which a store would keep one: "
        + listed(f"{name!r:.80}" for name in shared)
    )
