"""Points of Qdrant as rows and back: where frameworks put text and metadata in a payload."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkfilter.stores.row import Row, Vector, as_vector

#: Where LangChain puts the text, and LlamaIndex a node as JSON.
_LANGCHAIN_TEXT, _NODE = "page_content", "_node_content"
#: Usual names of the text, for payloads of no known layout.
_TEXT_NAMES = ("text", "content", "document", "chunk", "body")


@dataclass(frozen=True, slots=True)
class PayloadKeys:
    """Where the text and the metadata are in a payload.

    Args:
        text: the text's key; ``None`` to look at the usual places.
        metadata: the key of a mapping; ``None`` for LangChain's where it wrote, else beside the text.
    """

    text: str | None = None
    metadata: str | None = None

    def metadata_key(self, payload: Mapping[str, Any]) -> str | None:
        """The key that holds the metadata, ``None`` if they are beside the text."""
        return self.metadata or ("metadata" if _LANGCHAIN_TEXT in payload else None)

    def read(self, payload: Mapping[str, Any]) -> tuple[str | None, Mapping[str, Any] | None]:
        """Text and metadata."""
        name = self.text or _text_name(payload)
        text = _node_text(payload) if name == _NODE else _text(payload.get(name))
        if key := self.metadata_key(payload):
            metadata = payload.get(key)
            return text, metadata if isinstance(metadata, Mapping) else None
        return text, {one: payload[one] for one in payload if one != name}


def _text_name(payload: Mapping[str, Any]) -> str:
    if isinstance(payload.get(_NODE), str) and _LANGCHAIN_TEXT not in payload:
        return _NODE
    names = (name for name in _TEXT_NAMES if isinstance(payload.get(name), str))
    return _LANGCHAIN_TEXT if _LANGCHAIN_TEXT in payload else next(names, "")


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _node_text(payload: Mapping[str, Any]) -> str | None:
    try:
        node = json.loads(payload[_NODE])
    except (ValueError, RecursionError):
        node = None
    text = node.get("text") if isinstance(node, dict) else None
    return _text(text or payload.get("text"))


def row_of(point: Any, vector_name: str, keys: PayloadKeys, *, local: bool) -> Row:
    """A point as a row.

    Args:
        point: a record of the client.
        vector_name: the vector that queries use; empty for the unnamed one.
        keys: where text and metadata are.
        local: values are given as stored, maybe in double precision; a server's are float32 written short.
    """
    payload = dict(point.payload or {})
    text, metadata = keys.read(payload)
    vectors = point.vector if isinstance(point.vector, Mapping) else {"": point.vector}
    main = vectors.get(vector_name)
    single = main is not None and np.ndim(main) == 1  # a multi-vector compares as no other vector does
    rest: dict[str, Any] = {"payload": payload}
    if others := {
        name: _plain(one)
        for name, one in vectors.items()
        if one is not None and not (single and name == vector_name)
    }:
        rest["vectors"] = others
    return Row(point.id, text, metadata or None, _array(main, local=local) if single else None, rest)


def _array(values: Any, *, local: bool) -> Vector:
    exact = as_vector(values)
    return exact if local else exact.astype("<f4")


def _plain(vector: Any) -> Any:
    """A further vector as JSON: dense and multi-vectors are lists already, sparse ones objects."""
    return vector.model_dump() if hasattr(vector, "model_dump") else vector


def vectors_of(row: Row, vector_name: str) -> Any:
    """The vectors of a row as the client takes them."""
    from qdrant_client.models import SparseVector

    others = {
        name: SparseVector(**one) if isinstance(one, Mapping) else one
        for name, one in row.rest.get("vectors", {}).items()
    }
    if row.vector is None:
        return others.get("", others)
    values = row.vector.tolist()
    return {**others, vector_name: values} if others or vector_name else values
