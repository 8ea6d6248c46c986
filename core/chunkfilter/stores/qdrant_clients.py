"""Clients of Qdrant: local mode and servers, their errors made ours."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import Any
from urllib.parse import unquote, urlsplit

from chunkfilter.errors import MissingExtraError, StoreError
from chunkfilter.stores.address import Address

#: What the local mode raises over a full disk, a file it may not write, or one that is damaged.
_DAMAGES = (sqlite3.Error, KeyError, EOFError, UnpicklingError)


def folder_client(folder: Path) -> Any:
    """A client in local mode."""
    return _client_class()(path=str(folder))


def server_client(address: Address) -> Any:
    """A client of a server; ``:key@`` before the host is sent as its API key."""
    parts = urlsplit(address.place)
    return _client_class()(
        host=parts.hostname or "localhost",
        port=parts.port or 6333,
        https=address.scheme.endswith("https"),
        api_key=unquote(parts.password or "") or None,
        check_compatibility=False,
    )


def _client_class() -> Any:
    try:
        from qdrant_client import QdrantClient
    except ImportError as error:
        raise MissingExtraError("qdrant-client", "qdrant", "a Qdrant store") from error
    return QdrantClient


@contextmanager
def clear_errors(address: Address) -> Iterator[None]:
    """Qdrant's errors as ours, with the store's address and without secrets."""
    _client_class()
    import httpx
    from qdrant_client.http.exceptions import ApiException

    try:
        yield
    except (ApiException, httpx.HTTPError, ValueError, RuntimeError, OSError, *_DAMAGES) as error:
        raise StoreError(f"{address.public}: {address.scrubbed(error)} ({type(error).__name__})") from error
