"""Clients of Chroma: opened without a model, closed for good, their errors made ours."""

import base64
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from chunkfilter.errors import MissingExtraError, StoreError
from chunkfilter.stores.address import Address


def folder_client(folder: Path) -> Any:
    """A client of a folder that a Chroma client wrote."""
    chromadb, settings = _library()
    with ExitStack() as on_failure:
        on_failure.callback(_forget_failed_start, str(folder))
        client = chromadb.PersistentClient(str(folder), settings=settings)
        on_failure.pop_all()
    return client


def server_client(address: Address) -> Any:
    """A client of a server. ``user:password@`` is sent as basic auth, ``:token@`` as its token."""
    chromadb, settings = _library()
    parts = urlsplit(address.place)
    return chromadb.HttpClient(
        host=parts.hostname or "localhost",
        port=parts.port or 8000,
        ssl=address.scheme.endswith("https"),
        headers=_headers(parts),
        settings=settings,
        **{name: address.options[name] for name in ("tenant", "database") if name in address.options},
    )


def collection_of(client: Any, name: str) -> Any:
    """A collection without its embedding function, which would be loaded, or Chroma's default model."""
    return client.get_collection(name, embedding_function=None)


def close_client(client: Any) -> None:
    """Close a client, and the HTTP connections that Chroma itself leaves open."""
    holders = [getattr(one, "_server", None) for one in (client, getattr(client, "_admin_client", None))]
    client.close()
    for holder in holders:
        if (session := getattr(holder, "_session", None)) is not None:
            session.close()


@contextmanager
def clear_errors(address: str, scrubbed: Callable[[object], str] = str) -> Iterator[None]:
    """Chroma's errors as ours, with the store's address and without secrets."""
    _library()
    import httpx
    from chromadb.errors import ChromaError

    try:
        yield
    except (ChromaError, httpx.HTTPError, ValueError, OSError) as error:
        raise StoreError(f"{address}: {scrubbed(error).strip() or type(error).__name__}") from error


def _library() -> tuple[Any, Any]:
    try:
        import chromadb
        from chromadb.config import Settings
    except ImportError as error:
        raise MissingExtraError("chromadb", "chroma", "a Chroma store") from error
    return chromadb, Settings(anonymized_telemetry=False)


def _forget_failed_start(folder: str) -> None:
    """Chroma keeps what failed to start, and would give it to the next client of the folder as well."""
    from chromadb.api.shared_system_client import SharedSystemClient

    if folder not in SharedSystemClient._identifier_to_refcount:  # noqa: SLF001  # it offers no other way
        SharedSystemClient._identifier_to_system.pop(folder, None)  # noqa: SLF001


def _headers(parts: SplitResult) -> dict[str, str]:
    password = unquote(parts.password or "")
    if parts.username:
        pair = f"{unquote(parts.username)}:{password}".encode()
        return {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}
    return {"X-Chroma-Token": password} if password else {}
