"""Points of Qdrant as rows and back: where frameworks put text and metadata in a payload."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from chunkfilter.stores.row import Row, Vector, as_vector

#: Usual names of the text, for payloads of no known layout.
_TEXT_NAMES = ("text", "content", "document", "chunk", "body")


def text_and_metadata(
    payload: Mapping[str, Any], text_key: str | None
) -> tuple[str | None, Mapping[str, Any] | None]:
    """What a payload says.

    Args:
        payload: LangChain's (``page_content``, ``metadata``), LlamaIndex's (``_node_content``), or any.
        text_key: where the text is; ``None`` to look at the usual places.
    """
    if text_key is not None:
        return _text(payload.get(text_key)), {key: payload[key] for key in payload if key != text_key}
    if nested(payload):
        metadata = payload.get("metadata")
        return _text(payload["page_content"]), metadata if isinstance(metadata, Mapping) else None
    if isinstance(payload.get("_node_content"), str):
        return _node_text(payload), {key: payload[key] for key in payload if key != "_node_content"}
    name = next((name for name in _TEXT_NAMES if isinstance(payload.get(name), str)), None)
    return _text(payload.get(name)) if name else None, {key: payload[key] for key in payload if key != name}


def nested(payload: Mapping[str, Any]) -> bool:
    """Whether the metadata is a mapping of its own, as LangChain writes it."""
    return "page_content" in payload


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _node_text(payload: Mapping[str, Any]) -> str | None:
    try:
        node = json.loads(payload["_node_content"])
    except (ValueError, RecursionError):
        node = None
    text = node.get("text") if isinstance(node, dict) else None
    return _text(text or payload.get("text"))


def row_of(point: Any, vector_name: str, text_key: str | None, *, local: bool) -> Row:
    """A point as a row.

    Args:
        point: a record of the client.
        vector_name: the vector that queries use; empty for the unnamed one.
        text_key: see :func:`text_and_metadata`.
        local: values are given as stored, maybe in double precision; a server's are float32 written short.
    """
    payload = dict(point.payload or {})
    text, metadata = text_and_metadata(payload, text_key)
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
