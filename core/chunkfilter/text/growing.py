"""An array that grows at its end."""

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

_Integer = TypeVar("_Integer", bound=np.integer)
_LEAST = 1 << 12


class Growing(Generic[_Integer]):
    """Values that come part by part, never held twice: joining parts would do that at the end.

    Args:
        kind: type of the values.
    """

    def __init__(self, kind: type[_Integer] | np.dtype[_Integer]) -> None:
        self._values: NDArray[_Integer] = np.empty(_LEAST, dtype=kind)
        self._count = 0

    def add(self, values: NDArray[_Integer]) -> None:
        """Put values after those that are there."""
        end = self._count + len(values)
        if end > len(self._values):
            self._values.resize(end + end // 8, refcheck=False)  # large memory is moved by the page table
        self._values[self._count : end] = values
        self._count = end

    def whole(self) -> NDArray[_Integer]:
        """All values; none may be added any more."""
        self._values.resize(self._count, refcheck=False)
        return self._values
