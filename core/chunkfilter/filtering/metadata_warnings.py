"""Warnings about metadata: access or tenancy that differs, and newer text that was removed."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from chunkfilter.chunk import Chunk
from chunkfilter.filtering.moments import moment
from chunkfilter.filtering.scope import comparable_value
from chunkfilter.filtering.warnings import Facts, listed
from chunkfilter.result import Removal

#: The only metadata read without the policy naming it, and only by name: keys of which a part says who may
#: read.
_NAMES = (
    "access account acl allowed audience classification clearance client confidentiality customer denied "
    "department group namespace org organisation organization owner permission principal privacy private "
    "reader realm restricted role security sensitivity team tenancy tenant user viewer visibility workspace"
)
_ACCESS = frozenset(_NAMES.split())
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@lru_cache(maxsize=4096)
def looks_like_access(key: str) -> bool:
    """Whether a part of a key's name is about who may read: ``tenant_id``, ``allowedGroups``."""
    parts = [part.lower() for part in _PARTS.findall(key)]
    return any(part in _ACCESS or part.removesuffix("s") in _ACCESS for part in parts)


def access_mixed(facts: Facts) -> str | None:
    """The keys that look like access and differ between a removed chunk and its representatives."""
    if facts.policy.scope:
        return None
    keys: dict[str, None] = {}
    crossing: list[Removal] = []
    for removal in facts.described:
        differing = _differing(facts.new[removal.index], facts.representatives(removal))
        if differing:
            keys.update(dict.fromkeys(differing))
            crossing.append(removal)
    if not keys:
        return None
    scope = listed(sorted(keys))
    return (
        f"{len(crossing)} removals are covered across different values of {scope}, which looks like access "
        f"or tenancy, for example {listed(map(facts.pair, crossing[:3]))}; "
        f"scope={scope.replace(' ', '')} keeps them apart"
    )


def _differing(removed: Chunk, representatives: list[Chunk]) -> list[str]:
    names = {key for chunk in (removed, *representatives) for key in _access_keys(chunk.metadata)}
    return [
        key
        for key in sorted(names)
        if any(_value(removed.metadata, key) != _value(other.metadata, key) for other in representatives)
    ]


def _access_keys(metadata: Mapping[str, Any] | None) -> list[str]:
    return [key for key in metadata or () if isinstance(key, str) and looks_like_access(key)]


def _value(metadata: Mapping[str, Any] | None, key: str) -> Any:
    return comparable_value((metadata or {}).get(key))


_DATE = re.compile(
    r"date|modified|changed|created|published|issued|effective|timestamp|mtime|year|valid_from", re.I
)


def newer_removed(facts: Facts) -> str | None:
    """The date-like keys by which removed chunks are newer than all their representatives."""
    if facts.policy.keep.startswith("newest:"):
        return None
    newer: Counter[str] = Counter()
    first: dict[str, str] = {}
    for removal in facts.described:
        representatives = facts.representatives(removal)
        for key in _newer_keys(facts.new[removal.index], representatives) if representatives else ():
            newer[key] += 1
            first.setdefault(key, facts.pair(removal))
    if not newer:
        return None
    ((key, count),) = newer.most_common(1)
    shown = listed([key])
    return (
        f"{count} removed chunks are newer than their representatives by {shown}, for example "
        f"{listed([first[key]])}; keep=newest:{shown} keeps the newest"
    )


def _newer_keys(removed: Chunk, representatives: list[Chunk]) -> Iterator[str]:
    for key in removed.metadata or ():
        if isinstance(key, str) and _looks_like_date(key):
            own = moment((removed.metadata or {})[key])
            others = [moment((other.metadata or {}).get(key)) for other in representatives]
            if own is not None and all(_earlier(other, own) for other in others):
                yield key


def _earlier(one: tuple[str, float] | None, other: tuple[str, float]) -> bool:
    return one is not None and one[0] == other[0] and one[1] < other[1]


@lru_cache(maxsize=4096)
def _looks_like_date(key: str) -> bool:
    return _DATE.search(key) is not None


#: Every warning about metadata.
METADATA_WARNINGS = (access_mixed, newer_removed)
