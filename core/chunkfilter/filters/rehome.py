"""Keepers that stay to the end, also where a later stage removes what stood for others."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from chunkfilter.filters.selection import Dropped

#: ``(orphan, candidates) -> its line with other keepers``; ``None`` if no candidate stands for it.
FindHome = Callable[[Dropped, tuple[int, ...]], Dropped | None]


def rehomed(dropped: Sequence[Dropped], find_home: FindHome) -> list[Dropped]:
    """Give each removal whose keeper went in a later stage another one, or take that keeper's removal back.

    Only a chunk that is directly redundant, under some stage's rule, to one that finally stays may go.

    Args:
        dropped: the lines of all stages, one stage after another; each names keepers that outlived its stage.
        find_home: tries the keepers of the keeper that went, and those the orphan has left.

    Returns:
        Lines whose keepers all stay, by row.
    """
    lines = {line.row: line for line in dropped}
    wards: dict[int, list[int]] = defaultdict(list)
    for line in dropped:
        for keeper in line.keepers:
            if keeper in lines:
                wards[keeper].append(line.row)
    for lost in [line.row for line in reversed(dropped) if line.row in wards]:
        homes = []
        for orphan in wards[lost]:
            if orphan in lines and lost in lines[orphan].keepers:
                others = (keeper for keeper in lines[orphan].keepers if keeper != lost)
                homes.append(find_home(lines[orphan], (*lines[lost].keepers, *others)))
                if homes[-1] is None:
                    break
        if None in homes:
            del lines[lost]
        else:
            lines.update({home.row: home for home in homes if home is not None})
    return sorted(lines.values(), key=lambda line: line.row)
