"""For which removed chunks a keeper may count in measures of documents."""

import numpy as np

from chunkfilter.evaluate.bench import Bench
from chunkfilter.result import FilterResult
from chunkfilter.text.ragged import IntArray

#: Share of a removed chunk's wording that one keeper must hold to count for it.
_HALF = 0.5
_RUN = 5


def credited_pairs(bench: Bench, result: FilterResult) -> IntArray:
    """Pairs of a keeper and a removed chunk of which that one keeper holds at least half.

    What it holds is counted in distinct runs of five words; a chunk with fewer words is one run.

    Args:
        bench: the chunks that were filtered.
        result: what the filter decided.

    Returns:
        Positions of chunks, shape (m, 2).
    """
    pairs = [
        (keeper, removal.index)
        for removal in result.removed
        for keeper in removal.kept_by
        if _share(bench, removal.index, keeper) >= _HALF
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _share(bench: Bench, removed: int, keeper: int) -> float:
    words = bench.words.chunks
    length = min(len(words[removed]), _RUN)
    if length == 0:
        return float(bench.texts[removed] == bench.texts[keeper])
    wanted, held = _runs(words[removed].tolist(), length), _runs(words[keeper].tolist(), length)
    return len(wanted & held) / len(wanted)


def _runs(words: list[int], length: int) -> set[tuple[int, ...]]:
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}
