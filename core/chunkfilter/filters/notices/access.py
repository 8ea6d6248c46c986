"""Removals across what looks like tenants or access rights.

The only metadata read without the policy naming it, and only by name: keys of which a part says who may read.
Only plain values are looked at, and they are not shown.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from chunkfilter.chunk import Chunk
from chunkfilter.filters.notices.facts import Facts, listed
from chunkfilter.filters.scope import comparable_value
from chunkfilter.result import Removal

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
    """The keys that look like access or tenancy and differ between what goes and what stands for it."""
    if facts.policy.scope:
        return None
    keys: dict[str, None] = {}
    crossing: list[Removal] = []
    for removal in facts.described:
        differing = _differing(facts.new[removal.index], facts.keepers(removal))
        if differing:
            keys.update(dict.fromkeys(differing))
            crossing.append(removal)
    if not keys:
        return None
    scope = listed(sorted(keys))
    return (
        f"{len(crossing)} removals stand across different values of {scope}, which looks like access or "
        f"tenancy, for example {listed(map(facts.pair, crossing[:3]))}; scope={scope.replace(' ', '')} "
        "keeps them apart"
    )


def _differing(removed: Chunk, keepers: list[Chunk]) -> list[str]:
    names = {key for chunk in (removed, *keepers) for key in _access_keys(chunk.metadata)}
    return [
        key
        for key in sorted(names)
        if any(_value(removed.metadata, key) != _value(keeper.metadata, key) for keeper in keepers)
    ]


def _access_keys(metadata: Mapping[str, Any] | None) -> list[str]:
    return [key for key in metadata or () if isinstance(key, str) and looks_like_access(key)]


def _value(metadata: Mapping[str, Any] | None, key: str) -> Any:
    return comparable_value((metadata or {}).get(key))
