"""Which retrieved chunks are redundant to better-ranked ones."""

from collections.abc import Sequence
from dataclasses import replace

from chunkfilter import Chunk, Policy, Removal, filter_chunks
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
    short chunk go for a longer one further down, which may then be cut off: such a one is looked at again,
    against the better-ranked ones that stay.

    Args:
        chunks: n chunks, best first.
        policy: as in :func:`chunkfilter.filter_chunks`, as are ``entities`` and ``topics``.
        vectors: n rows, or ``None`` if the policy needs none.
        entities: the model that finds entities.
        topics: the method that finds topics.

    Raises:
        TooManyRemovedError: more would go than ``max_removed`` allows.
    """
    result = filter_chunks(chunks, policy, vectors=vectors, entities=entities, topics=topics)
    each = replace(policy, max_removed=1.0)  # the limit is a share of all, and holds already
    gone: dict[int, str] = {}
    for removal in result.removed:
        position = removal.index
        if policy.keep != "first" or not _leans_on_worse(removal):
            gone[position] = removal.rule
            continue
        better = [other for other in range(position) if other not in gone]
        alone = filter_chunks(
            [chunks[position]],
            each,
            existing=[chunks[other] for other in better],
            vectors=None if vectors is None else [vectors[row] for row in (position, *better)],
            entities=entities,
        )
        if alone.removed:
            gone[position] = removal.rule
    return gone


def _leans_on_worse(removal: Removal) -> bool:
    return any(keeper > removal.index for keeper in removal.kept_by)
