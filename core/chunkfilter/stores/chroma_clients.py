"""Clients of Chroma: opened without a model, and closed for good."""

import base64
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from chunkfilter.errors import MissingExtraError
from chunkfilter.stores.address import Address


def client_errors() -> tuple[type[Exception], ...]:
    """What clients of Chroma raise.

    Raises:
        MissingExtraError: Chroma is not installed.
    """
    try:
        import httpx
        from chromadb.errors import ChromaError
    except ImportError as error:
        raise MissingExtraError("chromadb", "chroma", "a Chroma store") from error
    return ChromaError, httpx.HTTPError, ValueError, OSError


def folder_client(folder: Path) -> Any:
    """A client of a folder that a Chroma client wrote."""
    import chromadb

    with ExitStack() as on_failure:
        on_failure.callback(_forget_failed_start, str(folder))
        client = chromadb.PersistentClient(str(folder), settings=_settings())
        on_failure.pop_all()
    return client


def _forget_failed_start(folder: str) -> None:
    """Chroma keeps what failed to start, and would give it to the next client of the folder as well."""
    from chromadb.api.shared_system_client import SharedSystemClient

    if folder not in SharedSystemClient._identifier_to_refcount:  # noqa: SLF001  # it offers no other way
        SharedSystemClient._identifier_to_system.pop(folder, None)  # noqa: SLF001


def server_client(address: Address) -> Any:
    """A client of a server. ``user:password@`` is sent as basic auth, ``:token@`` as its token."""
    import chromadb

    parts = urlsplit(address.place)
    password, headers = unquote(parts.password or ""), dict[str, str]()
    if parts.username:
        pair = f"{unquote(parts.username)}:{password}".encode()
        headers = {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}
    elif password:
        headers = {"X-Chroma-Token": password}
    return chromadb.HttpClient(
        host=parts.hostname or "localhost",
        port=parts.port or 8000,
        ssl=address.scheme.endswith("https"),
        headers=headers,
        settings=_settings(),
        **{name: address.options[name] for name in ("tenant", "database") if name in address.options},
    )


def _settings() -> Any:
    from chromadb.config import Settings

    return Settings(anonymized_telemetry=False)


def close_client(client: Any) -> None:
    """Close a client, and the HTTP connections that Chroma itself leaves open."""
    holders = [getattr(one, "_server", None) for one in (client, getattr(client, "_admin_client", None))]
    client.close()
    for holder in holders:
        if (session := getattr(holder, "_session", None)) is not None:
            session.close()
