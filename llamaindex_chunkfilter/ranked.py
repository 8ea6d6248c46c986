"""Which retrieved chunks are redundant to better-ranked ones."""

from collections.abc import Sequence
from dataclasses import replace

from chunkfilter import Chunk, FilterResult, Policy, filter_chunks
from chunkfilter.errors import TooManyRemovedError
from llamaindex_chunkfilter.embedding import Rows


def drop_redundant(
    chunks: Sequence[Chunk],
    policy: Policy,
    vectors: Rows | None,
    entities: str | None,
    topics: str | None,
) -> dict[int, str]:
    """Positions that go, and the rule that decided each.

    With ``keep=first`` a chunk goes only if better-ranked ones stand for it. Coverage by itself also lets a
    short chunk go for a longer one further down, which may then be cut off.

    Args:
        chunks: n chunks, best first.
        policy: as in :func:`chunkfilter.filter_chunks`, as are ``entities`` and ``topics``.
        vectors: n rows, or ``None`` if the policy needs none.
        entities: the model that finds entities.
        topics: the method that finds topics.

    Raises:
        TooManyRemovedError: more would go than ``max_removed`` allows.
    """
    result = filter_chunks(chunks, policy, embeddings=vectors, entities=entities, topics=topics)
    if policy.keep == "first" and _leans_on_worse(result):
        return _one_by_one(chunks, policy, vectors, entities)
    return {removal.index: removal.rule for removal in result.removed}


def _leans_on_worse(result: FilterResult) -> bool:
    return any(keeper > removal.index for removal in result.removed for keeper in removal.kept_by)


def _one_by_one(
    chunks: Sequence[Chunk], policy: Policy, vectors: Rows | None, entities: str | None
) -> dict[int, str]:
    """Each chunk against the better-ranked ones that stay; where none leans on worse ones, as all at once."""
    each = replace(policy, max_removed=1.0)  # the limit is a share of all, not of one
    kept: list[int] = []
    gone: dict[int, str] = {}
    for position, chunk in enumerate(chunks):
        result = filter_chunks(
            [chunk],
            each,
            against=[chunks[better] for better in kept],
            embeddings=None if vectors is None else [vectors[row] for row in (position, *kept)],
            entities=entities,
        )
        if result.removed:
            gone[position] = result.removed[0].rule
        else:
            kept.append(position)
    if policy.max_removed is not None and len(gone) > policy.max_removed * len(chunks):
        raise TooManyRemovedError(
            f"policy '{policy}' would remove {len(gone)} of {len(chunks)} retrieved nodes; "
            "nothing was removed"
        )
    return gone
