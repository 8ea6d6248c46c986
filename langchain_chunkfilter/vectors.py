"""Vectors of texts from LangChain embeddings: each distinct text once, blank ones never."""

from collections.abc import Iterable, Sequence, Sized
from typing import Any

from langchain_core.embeddings import Embeddings

from chunkfilter.errors import VectorError

Vectors = list[list[float] | None]


def embed(embeddings: Embeddings, texts: Sequence[str]) -> Vectors:
    """One vector a text, ``None`` for blank texts, which some services refuse."""
    asked = _distinct(texts)
    return _spread(texts, asked, embeddings.embed_documents(asked) if asked else [], embeddings)


async def aembed(embeddings: Embeddings, texts: Sequence[str]) -> Vectors:
    """The same through the embeddings' own asynchronous method."""
    asked = _distinct(texts)
    return _spread(texts, asked, await embeddings.aembed_documents(asked) if asked else [], embeddings)


def _distinct(texts: Iterable[str]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if text.strip()]


def _spread(
    texts: Sequence[str], asked: list[str], vectors: list[list[float]], embeddings: Embeddings
) -> Vectors:
    if not isinstance(vectors, Sized) or len(vectors) != len(asked):
        raise VectorError(
            f"embeddings {type(embeddings).__name__}: returned {vectors!r:.80} for {len(asked)} texts; "
            "expected one vector a text"
        )
    of_text = dict(zip(asked, vectors, strict=True))
    return [of_text.get(text) for text in texts]


class LangChainEmbedder:
    """LangChain embeddings as an embedder of chunkfilter."""

    def __init__(self, embeddings: Embeddings) -> None:
        self._embeddings = embeddings
        self.label = type(embeddings).__name__

    def encode(self, texts: Sequence[str], /) -> Any:
        """Vectors of the texts, one row a text."""
        return self._embeddings.embed_documents(list(texts))


class WindowedEmbedder(LangChainEmbedder):
    """Embeddings that tell how much of a text they read, by a method ``visible_ends``."""

    def visible_ends(self, texts: Sequence[str], /) -> Any:
        """For each text, one past the last character that the model reads."""
        return self._embeddings.visible_ends(texts)  # type: ignore[attr-defined]  # `as_embedder` looked


def as_embedder(embeddings: Embeddings) -> LangChainEmbedder:
    """The embedder of some embeddings; it knows its window if they do."""
    windowed = callable(getattr(embeddings, "visible_ends", None))
    return (WindowedEmbedder if windowed else LangChainEmbedder)(embeddings)
