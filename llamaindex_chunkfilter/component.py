"""What the transform and the postprocessor share: the settings that decide a result, and the model."""

from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator
from llama_index.core.embeddings.utils import EmbedType, resolve_embed_model
from llama_index.core.schema import BaseComponent
from llama_index.core.settings import Settings
from pydantic import computed_field

from chunkfilter import Policy
from chunkfilter.errors import InputError
from llamaindex_chunkfilter.embedding import missing_model, model_id

#: What ``to_dict`` adds to the fields; dropped when a component is made from such a dict.
_DERIVED = ("class_name", "fingerprint")


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
            raise missing_model(self.policy, self.embed_model_id)
        return model

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
