"""The model that tests embed with, loaded once, and a cache of their own."""

from collections.abc import Iterator

import pytest

from chunkfilter.signals.embedders import Embedder, load_embedder


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHUNKFILTER_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def minilm() -> Embedder:
    return load_embedder("package:all-MiniLM-L6-v2")
