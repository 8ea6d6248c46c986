"""From a URL or an object at hand to a store."""

from collections.abc import Callable
from typing import Any

from chunkfilter.errors import InputError, MissingExtraError
from chunkfilter.stores.address import Address, parse_address
from chunkfilter.stores.chroma import ChromaStore, open_chroma_folder, open_chroma_server
from chunkfilter.stores.qdrant import QdrantStore, open_qdrant_folder, open_qdrant_server
from chunkfilter.stores.store import Store


def open_store(given: Any) -> Store:
    """Open a store.

    Args:
        given: a URL (``chroma:PATH#COLLECTION``, ``chroma+http://HOST:PORT#COLLECTION``,
            ``qdrant:PATH#COLLECTION``, ``qdrant+http://HOST:PORT#COLLECTION``,
            ``postgresql://HOST/DATABASE#TABLE``), a Chroma collection, a LangChain or LlamaIndex object
            around Chroma or Qdrant, or a store already opened.

    Raises:
        InputError: none of these; what can be done with an object all the same is said.
        StoreError: the store cannot be opened, or has no such collection; those it has are named.
        MissingExtraError: the store's client library is not installed.
    """
    if isinstance(given, str):
        address = parse_address(given)
        if address.scheme not in SCHEMES:
            raise InputError(f"store: unknown scheme {address.scheme!r}; known: {', '.join(SCHEMES)}")
        return SCHEMES[address.scheme](address)
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


def _open_postgres(address: Address) -> Store:
    try:
        import pgvector
        import psycopg
    except ImportError as error:
        raise MissingExtraError("psycopg and pgvector", "pgvector", "a PostgreSQL store") from error
    del psycopg, pgvector
    from chunkfilter.stores.postgres.adapter import PostgresStore  # imports both

    return PostgresStore(address)


def _adapt_qdrant(given: Any) -> Store:
    """LangChain's and LlamaIndex's stores hold a client and the collection's name."""
    attributes = {"text": "content_payload_key", "metadata": "metadata_payload_key", "vector": "vector_name"}
    usual = {"text": "page_content", "metadata": "metadata"}  # LangChain's, which need not be given
    found = {option: getattr(given, name, None) for option, name in attributes.items()}
    options = {option: str(value) for option, value in found.items() if value and value != usual.get(option)}
    address = Address("qdrant object", "", given.collection_name, options)
    return QdrantStore(lambda: given.client, address, owned=False)


#: Every kind of store that a URL may name. A new one gets a file of its own and a line here.
SCHEMES: dict[str, Callable[[Address], Store]] = {
    "chroma": open_chroma_folder,
    "chroma+http": open_chroma_server,
    "chroma+https": open_chroma_server,
    "qdrant": open_qdrant_folder,
    "qdrant+http": open_qdrant_server,
    "qdrant+https": open_qdrant_server,
    "postgresql": _open_postgres,
    "postgres": _open_postgres,
    "postgresql+psycopg": _open_postgres,
}

#: Attributes that an object has, and how it becomes a store; the first that fits is taken.
SHAPES: tuple[tuple[tuple[str, ...], Callable[[Any], Store]], ...] = (
    (("pages", "rows", "restore", "mark"), lambda given: given),
    (("configuration_json", "query", "upsert"), ChromaStore),  # a collection
    (("_chroma_collection", "add_documents"), lambda given: ChromaStore(given._chroma_collection)),  # noqa: SLF001  # LangChain's Chroma names it nowhere else
    (("_collection", "delete_nodes"), lambda given: ChromaStore(given._collection)),  # noqa: SLF001  # nor does LlamaIndex's
    (("client", "collection_name"), _adapt_qdrant),
    (("vector_store", "as_retriever"), lambda given: open_store(given.vector_store)),  # a LlamaIndex index
)
