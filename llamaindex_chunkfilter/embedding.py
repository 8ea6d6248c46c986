"""Vectors of nodes, from the nodes themselves or from an embedding model, and the identity of a model."""

import asyncio
import hashlib
import json
import re
from collections.abc import Mapping, Sequence

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode

from chunkfilter.errors import MissingSignalError
from llamaindex_chunkfilter.nodes import text_of

Rows = list[Sequence[float] | None]

#: Fields of a model that never change its vectors.
_NO_EFFECT = {
    "callback_manager",
    "embed_batch_size",
    "embeddings_cache",
    "max_retries",
    "num_workers",
    "rate_limiter",
    "reuse_client",
    "show_progress_bar",
    "timeout",
}
_SECRET = re.compile(r"key|token$|secret|password|credential|header", re.IGNORECASE)


def model_id(model: BaseEmbedding) -> str:
    """A name that changes when a model's vectors may: class, model name, and a digest of its settings.

    Settings that hold secrets or only decide how fast the model works are left out.
    """
    settings = {
        name: getattr(model, name)
        for name, field in sorted(type(model).model_fields.items())
        if name not in _NO_EFFECT and not field.exclude and not _SECRET.search(name)
    }
    text = json.dumps(settings, sort_keys=True, default=lambda value: type(value).__qualname__)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{model.class_name()}:{model.model_name}#{digest}"


def texts_to_embed(nodes: Sequence[BaseNode]) -> list[str]:
    """Distinct texts of the nodes that carry no vector; blank ones are never embedded."""
    texts = dict.fromkeys(text_of(node) for node in nodes if node.embedding is None)
    return [text for text in texts if text.strip()]


def embed(model: BaseEmbedding, texts: list[str], *, show_progress: bool) -> dict[str, Sequence[float]]:
    """Vectors of distinct texts."""
    return _paired(texts, model.get_text_embedding_batch(texts, show_progress=show_progress))


async def aembed(
    model: BaseEmbedding, texts: list[str], *, show_progress: bool
) -> dict[str, Sequence[float]]:
    """The same: a model's own asynchronous method is awaited, any other works in a thread."""
    if not _embeds_asynchronously(model):
        return await asyncio.to_thread(embed, model, texts, show_progress=show_progress)
    return _paired(texts, await model.aget_text_embedding_batch(texts, show_progress=show_progress))


def _embeds_asynchronously(model: BaseEmbedding) -> bool:
    # the inherited methods call the synchronous ones on the event loop
    names = ("_aget_text_embedding", "_aget_text_embeddings")
    return any(getattr(type(model), name) is not getattr(BaseEmbedding, name) for name in names)


def _paired(texts: list[str], vectors: Sequence[Sequence[float]]) -> dict[str, Sequence[float]]:
    return dict(zip(texts, vectors, strict=True))


def rows(nodes: Sequence[BaseNode], embedded: Mapping[str, Sequence[float]]) -> Rows:
    """One vector a node: its own, else that of its text, else ``None``."""
    return [embedded.get(text_of(node)) if node.embedding is None else node.embedding for node in nodes]


def missing_model(policy: str, wanted: str | None) -> MissingSignalError:
    """The error for a policy that needs vectors where there is no model to compute them."""
    named = f" {wanted!r}" if wanted else ""
    return MissingSignalError(
        f"policy {policy!r} needs vectors, some nodes carry none and the embedding model{named} is not here: "
        "pass embed_model=, set Settings.embed_model, or put the filter after the embedding step; a worker "
        "process only has models that can be pickled"
    )
