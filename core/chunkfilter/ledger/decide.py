"""Which of the current chunks the store should hold: every one of them is filtered again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chunkfilter.chunk import Chunk
from chunkfilter.filtering.keep import keep_order
from chunkfilter.filtering.run import filter_chunks
from chunkfilter.ledger.tables import Entry
from chunkfilter.policy import Policy
from chunkfilter.result import FilterResult

#: Metadata key that carries the keep order into the filter.
_RANK = "chunkfilter:rank"


@dataclass(frozen=True, slots=True)
class Row:
    """A row that the store should hold.

    Args:
        entry: the chunk whose metadata the row carries.
        sources: every source it represents: those that hold its text, those of the chunks it covers.
    """

    entry: Entry
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decided:
    """What the store should hold.

    Args:
        rows: by id.
        removals: ``(source, position, rule, score, ids of the rows that cover it)`` of each removed chunk.
    """

    rows: dict[str, Row]
    removals: list[tuple[str, int, str, float | None, list[str]]]


def decide(entries: Sequence[Entry], stored: Mapping[str, str], policy: Policy, **signals: Any) -> Decided:
    """Filter every chunk of every source.

    Args:
        entries: all of them, in the order in which they were written.
        stored: source of the chunk whose metadata a stored row carries, by the row's id. Among chunks that
            the policy's ``keep`` does not tell apart, these come first, so that the store changes little.
        policy: decides.
        **signals: ``vectors``, ``embedder`` and ``entities`` as for :func:`chunkfilter.filter_chunks`.

    Raises:
        TooManyRemovedError: more would be removed than ``max_removed`` allows.
        ChunkFilterError: as raised by :func:`chunkfilter.filter_chunks`.
    """
    ranked = _ranked(entries, stored, policy.keep)
    result = filter_chunks(with_ranks(entries, ranked), replace(policy, keep=f"newest:{_RANK}"), **signals)
    return Decided(_rows(entries, ranked, result, stored), _removals(entries, result))


def with_ranks(entries: Sequence[Entry], ranked: Sequence[int]) -> list[Chunk]:
    """The chunks in the order of their sources, which coverage reads, with the keep order as metadata."""
    ranks = {position: -rank for rank, position in enumerate(ranked)}
    return [
        replace(entry.chunk, metadata={**(entry.chunk.metadata or {}), _RANK: ranks[position]})
        for position, entry in enumerate(entries)
    ]


def _ranked(entries: Sequence[Entry], stored: Mapping[str, str], keep: str) -> list[int]:
    """Positions, the most wanted first: by ``keep``, then what the store holds, then as written."""

    def newness(position: int) -> int:
        entry = entries[position]
        return 2 if entry.id not in stored else int(stored[entry.id] != entry.source)

    positions = sorted(range(len(entries)), key=newness)
    order = keep_order([entries[position].chunk for position in positions], keep)
    return [positions[place] for place in order.tolist()]


def _rows(
    entries: Sequence[Entry], ranked: Sequence[int], result: FilterResult, stored: Mapping[str, str]
) -> dict[str, Row]:
    kept = set(result.kept)
    owners: dict[str, Entry] = {}
    for position in ranked:
        entry = entries[position]
        if position in kept and (
            entry.id not in owners
            or (stored.get(entry.id) == entry.source and owners[entry.id].source != entry.source)
        ):
            owners[entry.id] = entry
    sources: dict[str, set[str]] = {row: set() for row in owners}
    for entry in entries:
        if entry.id in sources:
            sources[entry.id].add(entry.source)
    for removal in result.removed:
        for position in removal.kept_by:
            sources[entries[position].id].add(entries[removal.index].source)
    return {row: Row(entry, tuple(sorted(sources[row]))) for row, entry in owners.items()}


def _removals(
    entries: Sequence[Entry], result: FilterResult
) -> list[tuple[str, int, str, float | None, list[str]]]:
    return [
        (
            entries[removal.index].source,
            entries[removal.index].position,
            removal.rule,
            removal.score,
            list(dict.fromkeys(entries[position].id for position in removal.kept_by)),
        )
        for removal in result.removed
    ]
