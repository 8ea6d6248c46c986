"""Clients of Qdrant: local mode and servers, and what they raise."""

import sqlite3
from pathlib import Path
from pickle import UnpicklingError
from typing import Any
from urllib.parse import unquote, urlsplit

from chunkfilter.errors import MissingExtraError
from chunkfilter.stores.address import Address

#: What the local mode raises over a full disk, a file it may not write, or one that is damaged.
_DAMAGES = (sqlite3.Error, KeyError, EOFError, UnpicklingError)


def client_errors() -> tuple[type[Exception], ...]:
    """What clients of Qdrant raise.

    Raises:
        MissingExtraError: Qdrant's client is not installed.
    """
    try:
        import httpx
        from qdrant_client.http.exceptions import ApiException
    except ImportError as error:
        raise MissingExtraError("qdrant-client", "qdrant", "a Qdrant store") from error
    return ApiException, httpx.HTTPError, ValueError, RuntimeError, OSError, *_DAMAGES


def folder_client(folder: Path) -> Any:
    """A client in local mode."""
    from qdrant_client import QdrantClient

    return QdrantClient(path=str(folder))


def server_client(address: Address) -> Any:
    """A client of a server; ``:key@`` before the host is sent as its API key."""
    from qdrant_client import QdrantClient

    parts = urlsplit(address.place)
    return QdrantClient(
        host=parts.hostname or "localhost",
        port=parts.port or 6333,
        https=address.scheme.endswith("https"),
        api_key=unquote(parts.password or "") or None,
        check_compatibility=False,
    )
