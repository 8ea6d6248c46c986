"""What the transform and the postprocessor share: settings, the model and its identity, the decisions."""

import asyncio
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator
from llama_index.core.embeddings.utils import EmbedType, resolve_embed_model
from llama_index.core.schema import BaseComponent, BaseNode
from llama_index.core.settings import Settings
from pydantic import computed_field

from chunkfilter import FilterResult, Policy, filter_chunks
from chunkfilter.errors import InputError, MissingSignalError
from chunkfilter.retrieval import embedded, texts_to_embed, vector_rows
from llamaindex_chunkfilter.nodes import comparable, text_of, to_chunks

#: What ``to_dict`` adds to the fields; dropped when a component is made from such a dict.
_DERIVED = ("class_name", "fingerprint")
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


class FilterComponent(BaseComponent):
    """A component whose public fields decide its result; the embedding model itself is private.

    LlamaIndex keys its ingestion cache by ``to_dict()``. So everything that may change a result is a plain
    field, ``fingerprint`` included, which changes with the algorithm, and nothing secret is in one.
    """

    model_config = ConfigDict(extra="forbid", validate_assignment=True, arbitrary_types_allowed=True)

    policy: str = Field(default="coverage", frozen=True, description="Which nodes are redundant to which.")
    embed_model_id: str | None = Field(
        default=None, frozen=True, description="The model that the vectors come from."
    )
    entities: str | None = Field(
        default=None, frozen=True, description="The model that finds entities, for rules that need them."
    )
    topics: str | None = Field(
        default=None, frozen=True, description="The method that finds topics, for rules that need them."
    )
    show_progress: bool = Field(default=False, description="Show a bar on stderr for long steps.")

    _embed_model: BaseEmbedding | None = PrivateAttr(default=None)

    def __init__(
        self,
        policy: str | Policy = "coverage",
        embed_model: EmbedType | None = None,
        *,
        embed_model_id: str | None = None,
        **fields: Any,
    ) -> None:
        parsed = Policy.parse(policy)
        model = _resolved(embed_model, parsed.needs_vectors and embed_model_id is None)
        if model is not None:
            embed_model_id = model_id(model)
        super().__init__(**{**fields, "policy": str(parsed), "embed_model_id": embed_model_id})
        self._embed_model = model

    @model_validator(mode="before")
    @classmethod
    def _drop_derived(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in data.items() if name not in _DERIVED}

    @computed_field(description="Changes with the policy and with the algorithm.")
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with the policy or the algorithm."""
        return self._parsed.fingerprint

    @property
    def _parsed(self) -> Policy:
        return Policy.parse(self.policy)

    def _model(self) -> BaseEmbedding:
        """The model that computes vectors.

        Raises:
            MissingSignalError: there is none, or not the one that ``embed_model_id`` names.
        """
        model = self._embed_model or _model_of_settings()
        if model is None or (self.embed_model_id is not None and model_id(model) != self.embed_model_id):
            named = f" {self.embed_model_id!r}" if self.embed_model_id else ""
            raise MissingSignalError(
                f"policy {self.policy!r} needs vectors, some nodes carry none and the embedding model{named} "
                "is not here: pass embed_model=, set Settings.embed_model, or put the filter after the "
                "embedding step; a worker process only has models that can be pickled"
            )
        return model

    def _texts_to_embed(self, nodes: Sequence[BaseNode]) -> list[str]:
        if not self._parsed.needs_vectors:
            return []
        compared = (nodes[position] for position in comparable(nodes))
        return texts_to_embed(text_of(node) for node in compared if node.embedding is None)

    def _embedded(self, nodes: Sequence[BaseNode]) -> dict[str, Any]:
        """Vectors of the texts of nodes that carry none, by text."""
        texts = self._texts_to_embed(nodes)
        return self._asked(self._model(), texts) if texts else {}

    async def _aembedded(self, nodes: Sequence[BaseNode]) -> dict[str, Any]:
        """Likewise: a model's own asynchronous method is awaited, any other works in a thread."""
        texts = await asyncio.to_thread(self._texts_to_embed, nodes)
        if not texts:
            return {}
        model = self._model()
        if not _embeds_asynchronously(model):
            return await asyncio.to_thread(self._asked, model, texts)
        vectors = await model.aget_text_embedding_batch(texts, show_progress=self.show_progress)
        return embedded(texts, vectors, type(model).__name__)

    def _asked(self, model: BaseEmbedding, texts: list[str]) -> dict[str, Any]:
        vectors = model.get_text_embedding_batch(texts, show_progress=self.show_progress)
        return embedded(texts, vectors, type(model).__name__)

    def _decide(
        self,
        nodes: Sequence[BaseNode],
        embedded: Mapping[str, Any],
        scores: Sequence[float | None] | None = None,
    ) -> tuple[list[int], FilterResult]:
        """Positions of the nodes that are compared, and the decisions about these.

        Args:
            nodes: n nodes.
            embedded: vectors by text, of nodes that carry none.
            scores: n scores of retrieval, for ``keep=best-score``.
        """
        policy, compared = self._parsed, comparable(nodes)
        chosen = [nodes[position] for position in compared]
        chunks = to_chunks(chosen)
        if scores is not None and policy.keep == "best-score":
            chunks = [
                replace(chunk, metadata={**(chunk.metadata or {}), "score": scores[position]})
                for chunk, position in zip(chunks, compared, strict=True)
            ]
        vectors = None
        if policy.needs_vectors:
            vectors = vector_rows(
                [chunk.text for chunk in chunks], embedded, [node.embedding for node in chosen]
            )
        result = filter_chunks(
            chunks,
            policy,
            vectors=vectors,
            entities=self.entities,
            topics=self.topics,
            show_progress=self.show_progress,
        )
        return compared, result

    def __setstate__(self, state: dict[str, Any]) -> None:
        # BaseComponent calls __init__ with the fields, which would lose the model
        BaseModel.__setstate__(self, state)
        private = self.__pydantic_private__ or {}
        self.__pydantic_private__ = {**self._unset_private(), **private}

    @classmethod
    def _unset_private(cls) -> dict[str, Any]:
        return {name: attribute.get_default() for name, attribute in cls.__private_attributes__.items()}


def _resolved(embed_model: EmbedType | None, from_settings: bool) -> BaseEmbedding | None:
    if isinstance(embed_model, BaseEmbedding):
        return embed_model
    if embed_model is not None:
        try:
            return resolve_embed_model(embed_model)
        except AssertionError:  # LlamaIndex's way to say that it is no model
            raise InputError(
                f"embed_model: got {embed_model!r:.80}; expected an embedding model, or 'local:NAME'"
            ) from None
    return _model_of_settings() if from_settings else None


def _model_of_settings() -> BaseEmbedding | None:
    try:
        return Settings.embed_model
    except (ImportError, ValueError):  # nothing was set, and the default model is not installed or has no key
        return None


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


def _embeds_asynchronously(model: BaseEmbedding) -> bool:
    # the inherited methods call the synchronous ones on the event loop
    names = ("_aget_text_embedding", "_aget_text_embeddings")
    return any(getattr(type(model), name) is not getattr(BaseEmbedding, name) for name in names)
