"""Which retrieved chunks are redundant to better-ranked ones."""

from collections.abc import Sequence
from dataclasses import replace

from chunkfilter import Chunk, Policy, filter_chunks
from chunkfilter.errors import TooManyRemovedError
from llamaindex_chunkfilter.embedding import Rows


def drop_redundant(
    chunks: Sequence[Chunk],
    policy: Policy,
    vectors: Rows | None,
    entities: str | None,
) -> dict[int, str]:
    """Positions that go, and the rule that decided each.

    With ``keep=first`` a chunk goes only if it is redundant to better-ranked ones. Coverage by itself would
    also let a short chunk go for a longer one further down, which might then be cut off.

    Args:
        chunks: n chunks, best first.
        policy: as in :func:`chunkfilter.filter_chunks`.
        vectors: n rows, or ``None`` if the policy needs none.
        entities: the model that finds entities.

    Raises:
        TooManyRemovedError: more would go than ``max_removed`` allows.
    """
    if policy.keep != "first" or not _is_one_sided(policy):
        result = filter_chunks(chunks, policy, embeddings=vectors, entities=entities)
        return {removal.index: removal.rule for removal in result.removed}
    each = replace(policy, max_removed=None)  # it is a share of all, not of one
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


def _is_one_sided(policy: Policy) -> bool:
    return any(term.name == "coverage" for stage in policy.stages for term in stage.terms)
