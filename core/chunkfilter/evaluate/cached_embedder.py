"""An embedder that asks the cache first."""

import logging
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from chunkfilter.evaluate.vector_cache import VectorCache
from chunkfilter.signals.embedders import (
    Embedder,
    FloatArray,
    Named,
    Windowed,
    as_embedder,
    encode_queries,
)
from chunkfilter.signals.vectors import embed_distinct

logger = logging.getLogger("chunkfilter")

#: Texts encoded before their vectors are stored: what an interrupted run can lose.
_SLICE = 512
#: A text whose vector shows whether a name still means the model that it meant before.
_PROBE = "The quick brown fox jumps over the lazy dog."
#: Largest difference in a coordinate of a unit vector that batch sizes and machines may cause.
_SAME = 1e-3


def cached_embedder(
    embedder: Any, folder: str | os.PathLike[str] | None = None, *, show_progress: bool = False
) -> Embedder:
    """The embedder, with a cache on disk if it has a name to store its vectors by.

    Args:
        embedder: anything :func:`chunkfilter.signals.embedders.as_embedder` accepts.
        folder: where the cache is; see :func:`chunkfilter.evaluate.vector_cache.cache_folder`.
        show_progress: show a bar on stderr while texts are embedded.

    Returns:
        An embedder of unit vectors that is ``Named``, and ``Windowed`` where the one given is; the one given
        itself if it has no name.
    """
    if isinstance(embedder, CachedEmbedder):
        return embedder
    inner = as_embedder(embedder)
    if not isinstance(inner, Named):
        return inner
    kind = WindowedCachedEmbedder if isinstance(inner, Windowed) else CachedEmbedder
    return kind(inner, inner.name, VectorCache(folder), show_progress)


class CachedEmbedder:
    """Unit vectors from the cache; what is missing is embedded, longest first, and stored slice by slice.

    If the model's vector of a fixed sentence is not the stored one, the name now means another model: the
    stored vectors of that name are dropped with a warning.

    Args:
        inner: computes what is missing.
        name: its name.
        cache: where vectors are kept.
        show_progress: show a bar on stderr.
    """

    def __init__(self, inner: Embedder, name: str, cache: VectorCache, show_progress: bool = False) -> None:
        self.name = name
        self._inner = inner
        self._cache = cache
        self._show_progress = show_progress
        self._probed = False

    def encode(self, texts: Sequence[str], /) -> FloatArray:
        """Unit vectors of the texts, shape (n, d); a row that cannot be compared is NaN."""
        return self._encode(texts, self.name, self._inner.encode)

    def encode_queries(self, texts: Sequence[str], /) -> FloatArray:
        """Unit vectors of questions, likewise; stored apart from those of texts."""
        return self._encode(
            texts, f"{self.name}, questions", lambda given: encode_queries(self._inner, given)
        )

    def _encode(self, texts: Sequence[str], key: str, compute: Callable[[Sequence[str]], Any]) -> FloatArray:
        if not self._probed:
            self._probe()
        distinct = list(dict.fromkeys(texts))
        known = self._cache.read(key, distinct)
        missing = sorted((text for text in distinct if text not in known), key=len, reverse=True)
        with tqdm(total=len(missing), desc="embedding", disable=not (self._show_progress and missing)) as bar:
            for first in range(0, len(missing), _SLICE):
                part = missing[first : first + _SLICE]
                vectors = embed_distinct(part, as_embedder(compute))
                self._cache.write(key, part, vectors)
                known |= zip(part, vectors, strict=True)
                bar.update(len(part))
        return np.stack([known[text] for text in texts]) if distinct else np.empty((0, 0), np.float32)

    def _probe(self) -> None:
        now = embed_distinct([_PROBE], self._inner)
        before = self._cache.read(self.name, [_PROBE]).get(_PROBE)
        if before is None or before.shape != now[0].shape or not np.allclose(before, now[0], atol=_SAME):
            if before is not None:
                logger.warning("%s: its vectors have changed; the stored ones are dropped", self.name)
            self._cache.forget(self.name)
            self._cache.forget(f"{self.name}, questions")
            self._cache.write(self.name, [_PROBE], now)
        self._probed = True


class WindowedCachedEmbedder(CachedEmbedder):
    """One around an embedder that knows how much of a text it reads."""

    def visible_ends(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        """As the embedder itself says."""
        if not isinstance(self._inner, Windowed):
            raise TypeError(f"{self.name}: expected an embedder with visible_ends")
        return self._inner.visible_ends(texts)
