"""MiniLM, from the weights that the extra `models` installs, as LangChain embeddings; needs no network."""

from collections.abc import Sequence
from typing import Any

from langchain_core.embeddings import Embeddings

import chunkfilter as cf


class MiniLM(Embeddings):
    """all-MiniLM-L6-v2, 384 dimensions."""

    def __init__(self) -> None:
        self._model: Any = cf.load_embedder("package:all-MiniLM-L6-v2")

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of texts."""
        return self._model.encode(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        """Vector of a question."""
        return self._model.encode_queries([text])[0].tolist()

    def visible_ends(self, texts: Sequence[str]) -> Any:
        """How far into each text the model reads: tells the filter what counts as seen."""
        return self._model.visible_ends(texts)
