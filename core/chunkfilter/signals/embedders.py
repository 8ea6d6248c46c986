"""What turns texts into vectors: any object with one method."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors."""

    def encode(self, texts: Sequence[str], /) -> Any:
        """Vectors of the texts, anything ``numpy.asarray`` makes an (n, d) array of, row by row."""
        ...


@runtime_checkable
class Windowed(Protocol):
    """An embedder that knows how much of a text it reads."""

    def visible_ends(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        """For each text, one past the last character that the model reads, shape (n,)."""
        ...
