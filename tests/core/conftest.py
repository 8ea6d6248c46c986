"""The model that tests embed with, loaded once."""

import pytest

from chunkfilter.signals.embedders import Embedder, load_embedder


@pytest.fixture(scope="session")
def minilm() -> Embedder:
    return load_embedder("package:all-MiniLM-L6-v2")
