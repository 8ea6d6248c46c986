"""A finder of entities that asks the cache first."""

import json
import os
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tqdm import tqdm

from chunkfilter.evaluate.vector_cache import VectorCache
from chunkfilter.signals.entities import Entity, SpacyEntities, load_entities

_Finder = Callable[[Sequence[str]], list[frozenset[Entity]]]

#: Texts read before their entities are stored: what an interrupted run can lose.
_SLICE = 512


def cached_entities(
    name: str, folder: str | os.PathLike[str] | None = None, *, show_progress: bool = False
) -> "SpacyEntities | CachedEntities":
    """A spaCy model as a finder of entities, with a cache on disk unless the model is a folder.

    A folder can be trained again under its old name and version, a package cannot.

    Args:
        name: see :func:`chunkfilter.signals.entities.load_entities`, which also says what is raised.
        folder: where the cache is; see :func:`chunkfilter.evaluate.vector_cache.cache_folder`.
        show_progress: show a bar on stderr while texts are read.
    """
    finder = load_entities(name)
    if Path(name).exists():
        return finder
    key = f"entities, {name} {finder.version}, spaCy {version('spacy')}"
    return CachedEntities(finder, key, VectorCache(folder), show_progress)


class CachedEntities:
    """Entities from the cache; texts without some there are read and stored slice by slice.

    Args:
        finder: reads what is missing.
        key: names the model and its version.
        cache: where entities are kept.
        show_progress: show a bar on stderr.
    """

    def __init__(self, finder: _Finder, key: str, cache: VectorCache, show_progress: bool = False) -> None:
        self._finder = finder
        self._key = key
        self._cache = cache
        self._show_progress = show_progress

    def __call__(self, texts: Sequence[str]) -> list[frozenset[Entity]]:
        """The entities of each text, as the finder gives them."""
        distinct = list(dict.fromkeys(texts))
        stored = self._cache.read_bytes(self._key, distinct)
        known = {text: _decoded(value) for text, value in stored.items()}
        missing = [text for text in distinct if text not in known]
        with tqdm(total=len(missing), desc="entities", disable=not (self._show_progress and missing)) as bar:
            for first in range(0, len(missing), _SLICE):
                part = missing[first : first + _SLICE]
                found = self._finder(part)
                self._cache.write_bytes(self._key, part, [_encoded(entities) for entities in found])
                known.update(zip(part, found, strict=True))
                bar.update(len(part))
        return [known[text] for text in texts]


def _encoded(entities: frozenset[Entity]) -> bytes:
    return json.dumps(sorted(entities)).encode("ascii")


def _decoded(value: bytes) -> frozenset[Entity]:
    pairs: list[Any] = json.loads(value)
    return frozenset((text, label) for text, label in pairs)
