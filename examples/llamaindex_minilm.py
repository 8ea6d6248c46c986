"""MiniLM, from the weights that the extra `models` installs, as a LlamaIndex embedding; needs no network."""

from functools import cache
from typing import Any

from llama_index.core.embeddings import BaseEmbedding

import chunkfilter as cf


@cache
def model() -> Any:
    """The model, loaded when it is first used: a component of a pipeline must stay picklable."""
    return cf.load_embedder("package:all-MiniLM-L6-v2")


class MiniLM(BaseEmbedding):
    """all-MiniLM-L6-v2, 384 dimensions."""

    model_name: str = "all-MiniLM-L6-v2"
    embed_batch_size: int = 64

    @classmethod
    def class_name(cls) -> str:
        """Name in serialised form."""
        return "MiniLM"

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return model().encode(texts).tolist()

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return model().encode_queries([query])[0].tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)
