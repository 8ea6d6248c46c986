"""MiniLM, from the weights that the extra `models` installs, as LangChain embeddings; needs no network."""

from collections.abc import Sequence
from typing import Any

from langchain_core.embeddings import Embeddings

import chunkfilter as cf


class MiniLM(Embeddings):
    """all-MiniLM-L6-v2, 384 dimensions."""

    def __init__(self) -> None:
        self._model: Any = cf.load_embedder("package:all-MiniLM-L6-v2")
        self._asked: dict[str, list[float]] = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of texts."""
        return self._model.encode(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        """Vector of a question; it comes again when a search goes deeper."""
        if text not in self._asked:
            self._asked[text] = self._model.encode_queries([text])[0].tolist()
        return self._asked[text]

    def visible_ends(self, texts: Sequence[str]) -> Any:
        """How far into each text the model reads: tells the filter what counts as seen."""
        return self._model.visible_ends(texts)
