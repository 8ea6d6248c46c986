"""Binary search in many sorted slices of one array at once."""

import numpy as np

from chunkfilter.text.ragged import AnyIntArray, IntArray


def lower_bounds(values: AnyIntArray, starts: IntArray, ends: IntArray, wanted: int) -> IntArray:
    """For each slice ``values[start:end]``, sorted, the first place of a value >= wanted, shape (s,).

    Args:
        values: shape (total,).
        starts: shape (s,).
        ends: shape (s,); a slice may be empty.
        wanted: the value.
    """
    found = starts.copy()
    filled = np.flatnonzero(starts < ends)
    below = values[ends[filled] - 1] < wanted  # most slices lie on one side of it as a whole
    found[filled[below]] = ends[filled[below]]
    across = filled[~below]
    across = across[values[starts[across]] < wanted]
    low, high = starts[across] + 1, ends[across] - 1  # what stands at ``high`` is always large enough
    while len(across):
        middle = (low + high) >> 1
        less = values[middle] < wanted
        low, high = np.where(less, middle + 1, low), np.where(less, high, middle)
        open_ = low < high
        if 2 * np.count_nonzero(open_) <= len(across):  # long slices take more steps than short ones
            found[across] = low
            across, low, high = across[open_], low[open_], high[open_]
    return found
