"""One fixture for every kind of store; servers are started once and stopped at the end."""

import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chromadb
import pytest
from chromadb.config import Settings

from chunkfilter.stores import Row
from chunkfilter.stores.chroma import close_client

#: Fills a new collection or table with rows and returns what ``open_store`` takes.
Make = Callable[[Sequence[Row]], Any]

KINDS = ("chroma object", "chroma folder", "chroma server url")


@pytest.fixture(autouse=True)
def own_state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture(scope="session")
def chroma_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with chroma_server(tmp_path_factory.mktemp("chroma-server")) as port:
        yield port


@pytest.fixture(params=KINDS)
def make(request: pytest.FixtureRequest) -> Make:
    """Makes a store of one kind from rows."""
    maker: Make = request.getfixturevalue(request.param.replace(" ", "_"))
    return maker


@pytest.fixture
def chroma_object() -> Make:
    client = chromadb.EphemeralClient(chroma_settings())
    return lambda rows: fill_chroma(client, rows, new_name())


@pytest.fixture
def chroma_folder(tmp_path: Path) -> Make:
    def make(rows):
        client, name = chromadb.PersistentClient(tmp_path / "db", chroma_settings()), new_name()
        fill_chroma(client, rows, name)
        client.close()
        return f"chroma:{tmp_path / 'db'}#{name}"

    return make


@pytest.fixture
def chroma_server_url(chroma_port: int) -> Make:
    def make(rows):
        client, name = chromadb.HttpClient("127.0.0.1", chroma_port, settings=chroma_settings()), new_name()
        fill_chroma(client, rows, name)
        close_client(client)
        return f"chroma+http://127.0.0.1:{chroma_port}#{name}"

    return make


def new_name() -> str:
    return f"rows-{uuid.uuid4().hex[:12]}"


def fill_chroma(client: Any, rows: Sequence[Row], name: str) -> Any:
    collection = client.create_collection(name, embedding_function=None)
    for first in range(0, len(rows), 5000):
        part = rows[first : first + 5000]
        collection.add(
            ids=[row.id for row in part],
            embeddings=[row.vector for row in part],
            documents=[row.text for row in part],
            metadatas=[dict(row.metadata) if row.metadata else None for row in part],
        )
    return collection


def chroma_settings() -> Any:
    return Settings(anonymized_telemetry=False)


@contextmanager
def chroma_server(folder: Path) -> Iterator[int]:
    """Runs Chroma's own server on a free port of the loopback device; yields the port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(Path(sys.executable).with_name("chroma")), "run", "--path", str(folder)]
    server = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for_port(port, server)
        yield port
    finally:
        server.kill()
        server.wait()


def wait_for_port(port: int, server: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        assert server.poll() is None, "the server ended before it answered"
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"no server on port {port} within 30 s")
