"""Entities on disk: read once, the same from the cache, none of another version or of a folder's model."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from chunkfilter.evaluate import entity_cache
from chunkfilter.evaluate.entity_cache import CachedEntities, cached_entities
from chunkfilter.evaluate.vector_cache import VectorCache
from chunkfilter.signals.entities import SpacyEntities, load_entities, model_location

MODEL = "package:en_core_web_sm"
TEXTS = [
    "Anna Berg of the Red Cross opened the Oslo clinic in 1990.",
    "The hinge is oiled twice.",
    "Paul Lind sells apples in Bergen on Fridays.",
    "The hinge is oiled twice.",
]


class Reader:
    """A finder that remembers what it was asked."""

    def __init__(self, finder: SpacyEntities) -> None:
        self._finder = finder
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[frozenset[tuple[str, str]]]:
        self.asked += texts
        return self._finder(texts)


@pytest.fixture(scope="module")
def finder() -> SpacyEntities:
    return load_entities(MODEL)


def test_entities_are_found_once_and_are_the_same_from_the_cache(
    finder: SpacyEntities, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entity_cache, "_SLICE", 2)
    first, second = Reader(finder), Reader(finder)
    found = CachedEntities(first, "model 1", VectorCache(tmp_path))(TEXTS)
    assert found == finder(TEXTS)
    assert first.asked == [TEXTS[0], TEXTS[1], TEXTS[2]]
    assert CachedEntities(second, "model 1", VectorCache(tmp_path))([*TEXTS, "Oslo is cold."])[:4] == found
    assert second.asked == ["Oslo is cold."]


def test_entities_of_another_version_are_found_anew(finder: SpacyEntities, tmp_path: Path) -> None:
    CachedEntities(finder, "model 1", VectorCache(tmp_path))(TEXTS)
    newer = Reader(finder)
    CachedEntities(newer, "model 2", VectorCache(tmp_path))(TEXTS[:1])
    assert newer.asked == TEXTS[:1]


def test_a_packaged_model_is_cached_under_its_version_and_a_folder_is_not(tmp_path: Path) -> None:
    packaged = cached_entities(MODEL, tmp_path)
    assert packaged(TEXTS[:1]) == load_entities(MODEL)(TEXTS[:1])
    (key,) = VectorCache(tmp_path).info().vectors
    assert key.startswith(f"entities, {MODEL} 3.")
    assert isinstance(cached_entities(str(model_location(MODEL)), tmp_path), SpacyEntities)
