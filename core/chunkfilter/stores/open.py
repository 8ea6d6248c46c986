"""From a URL or an object at hand to a store."""

from collections.abc import Callable
from typing import Any

from chunkfilter.errors import InputError, MissingExtraError
from chunkfilter.stores.address import Address, parse_address
from chunkfilter.stores.chroma import open_chroma_folder, open_chroma_server
from chunkfilter.stores.objects import adapt_object
from chunkfilter.stores.qdrant import open_qdrant_folder, open_qdrant_server
from chunkfilter.stores.store import Store


def _open_postgres(address: Address) -> Store:
    try:
        import pgvector
        import psycopg
    except ImportError as error:
        raise MissingExtraError("psycopg and pgvector", "pgvector", "a PostgreSQL store") from error
    del psycopg, pgvector
    from chunkfilter.stores.postgres.adapter import PostgresStore  # imports both

    return PostgresStore(address)


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


def open_store(given: Any) -> Store:
    """Open a store.

    Args:
        given: a URL (``chroma:PATH#COLLECTION``, ``chroma+http://HOST:PORT#COLLECTION``,
            ``qdrant:PATH#COLLECTION``, ``qdrant+http://HOST:PORT#COLLECTION``,
            ``postgresql://HOST/DATABASE#TABLE``), a Chroma collection, a LangChain or LlamaIndex object
            around Chroma or Qdrant, or a store already opened.

    Raises:
        InputError: none of these.
        StoreError: the store cannot be opened, or has no such collection; those it has are named.
        MissingExtraError: the store's client library is not installed.
    """
    if isinstance(given, str):
        address = parse_address(given)
        if address.scheme not in SCHEMES:
            raise InputError(f"store: unknown scheme {address.scheme!r}; known: {', '.join(SCHEMES)}")
        return SCHEMES[address.scheme](address)
    return adapt_object(given)
