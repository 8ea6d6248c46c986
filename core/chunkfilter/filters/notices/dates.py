"""What goes is newer than what stays, by a key that looks like a date."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from chunkfilter.chunk import Chunk
from chunkfilter.filters.moments import moment
from chunkfilter.filters.notices.facts import Facts, listed

_DATE = re.compile(
    r"date|modified|changed|created|published|issued|effective|timestamp|mtime|year|valid_from", re.I
)


def newer_removed(facts: Facts) -> str | None:
    """The date-like keys by which removed chunks are newer than all that stands for them."""
    if facts.policy.keep.startswith("newest:"):
        return None
    newer: Counter[str] = Counter()
    first: dict[str, str] = {}
    for removal in facts.described:
        keepers = facts.keepers(removal)
        for key in _newer_keys(facts.new[removal.index], keepers) if keepers else ():
            newer[key] += 1
            first.setdefault(key, facts.pair(removal))
    if not newer:
        return None
    ((key, count),) = newer.most_common(1)
    shown = listed([key])
    return (
        f"{count} removed chunks are newer than what stands for them by {shown}, for example "
        f"{listed([first[key]])}; keep=newest:{shown} keeps the newest"
    )


def _newer_keys(removed: Chunk, keepers: list[Chunk]) -> Iterator[str]:
    for key in removed.metadata or ():
        if isinstance(key, str) and _looks_like_date(key):
            own = moment((removed.metadata or {})[key])
            others = [moment((keeper.metadata or {}).get(key)) for keeper in keepers]
            if own is not None and all(_earlier(other, own) for other in others):
                yield key


def _earlier(one: tuple[str, float] | None, other: tuple[str, float]) -> bool:
    return one is not None and one[0] == other[0] and one[1] < other[1]


@lru_cache(maxsize=4096)
def _looks_like_date(key: str) -> bool:
    return _DATE.search(key) is not None
