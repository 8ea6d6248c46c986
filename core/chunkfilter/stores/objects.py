"""From an object at hand to a store: what a framework's object is made of, told by its attributes alone."""

from collections.abc import Callable
from typing import Any

from chunkfilter.errors import InputError
from chunkfilter.stores.address import Address
from chunkfilter.stores.chroma import ChromaStore
from chunkfilter.stores.qdrant import QdrantStore
from chunkfilter.stores.store import Store


def adapt_object(given: Any) -> Store:
    """The store that an object stands for.

    Args:
        given: a store already opened, a Chroma collection, or a LangChain or LlamaIndex object around Chroma
            or Qdrant.

    Raises:
        InputError: none of these; what can be done with it all the same is said.
    """
    for attributes, adapt in SHAPES:
        if all(getattr(given, name, None) is not None for name in attributes):
            return adapt(given)
    kind = type(given).__name__
    if any(hasattr(given, name) for name in ("similarity_search", "as_retriever", "stores_text")):
        raise InputError(
            f"store: {kind} has no way to list its rows with their vectors, so it cannot be planned over, "
            "pruned or restored through this object; open what is behind it by URL. To measure it, or to "
            "filter what it returns, use evaluate and ChunkFilterRetriever of langchain_chunkfilter or "
            "llamaindex_chunkfilter"
        )
    raise InputError(f"store: got {kind}; expected a URL or a collection object")


#: LangChain's names in a payload, which need not be given.
_USUAL = {"text": "page_content", "metadata": "metadata"}


def _qdrant(given: Any) -> Store:
    """LangChain's and LlamaIndex's stores hold a client and the collection's name."""
    attributes = {"text": "content_payload_key", "metadata": "metadata_payload_key", "vector": "vector_name"}
    found = {option: getattr(given, name, None) for option, name in attributes.items()}
    options = {option: str(value) for option, value in found.items() if value and value != _USUAL.get(option)}
    address = Address("qdrant object", "", given.collection_name, options)
    return QdrantStore(lambda: given.client, address, owned=False)


#: Attributes that tell what an object is, and how it becomes a store; the first that fits is taken.
SHAPES: tuple[tuple[tuple[str, ...], Callable[[Any], Store]], ...] = (
    (("pages", "rows", "restore", "mark"), lambda given: given),
    (("configuration_json", "query", "upsert"), ChromaStore),  # a collection
    (("_chroma_collection", "add_documents"), lambda given: ChromaStore(given._chroma_collection)),  # noqa: SLF001  # LangChain's Chroma names it nowhere else
    (("_collection", "delete_nodes"), lambda given: ChromaStore(given._collection)),  # noqa: SLF001  # nor does LlamaIndex's
    (("client", "collection_name"), _qdrant),
    (("vector_store", "as_retriever"), lambda given: adapt_object(given.vector_store)),  # a LlamaIndex index
)
