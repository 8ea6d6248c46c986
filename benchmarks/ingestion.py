"""What the filter does to the cost of a whole ingestion: split, filter, embed with MiniLM, store in Chroma.

Both ways run in one process, a-b-b-a, so that a machine that slows down slows both; CPU seconds are the
process's own, wall time is what passed. Splitter recursive:800:400; the filter is told MiniLM's window.

- the five corpora of the Chroma study;
- the first 450,000 characters of ``eurlex_versions`` (English).

    CHUNKFILTER_DATA=FOLDER python benchmarks/ingestion.py [SET ...] [--threads N]
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import chromadb
from chromadb.config import Settings

import chunkfilter as cf
from chunkfilter.signals.embedders import Embedder, load_embedder
from chunkfilter.splitters import split_documents

SPLITTER = "recursive:800:400"
FIRST_OF_VERSIONS = 450_000
ORDER = ("none", "coverage", "coverage", "none")
#: Chroma takes 5,461 rows in one call at most.
ROWS_A_CALL = 5_000

Documents = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Cost:
    """What one ingestion took."""

    policy: str
    chunks: int
    stored: int
    cpu: float
    wall: float


def ingest(documents: Documents, policy: str, embedder: Embedder) -> Cost:
    """Put documents into a new collection on disk."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        wall, cpu = time.perf_counter(), time.process_time()
        chunks = split_documents(documents, SPLITTER)
        kept = chunks
        if policy != "none":
            kept = [chunks[place] for place in cf.filter_chunks(chunks, policy, embedder=embedder).kept]
        vectors = embedder.encode([chunk.text for chunk in kept])
        client = chromadb.PersistentClient(folder, Settings(anonymized_telemetry=False))
        collection = client.create_collection("chunks")
        for first in range(0, len(kept), ROWS_A_CALL):
            rows = slice(first, first + ROWS_A_CALL)
            collection.add(
                ids=[str(number) for number in range(len(kept))][rows],
                documents=[chunk.text for chunk in kept[rows]],
                embeddings=vectors[rows],
            )
        return Cost(policy, len(chunks), len(kept), time.process_time() - cpu, time.perf_counter() - wall)


def chroma_corpora(folder: Path) -> Documents:
    """The five corpora."""
    files = sorted((folder / "chroma" / "corpora").glob("*.md"))
    return {file.name: file.read_bytes().decode() for file in files}


def first_versions(folder: Path) -> Documents:
    """Versions from the first on, the last one cut, until there are enough characters."""
    documents: dict[str, str] = {}
    left = FIRST_OF_VERSIONS
    for source, text in cf.load_dataset(folder / "eurlex_versions" / "versions.en.jsonl").documents.items():
        if left <= 0:
            break
        documents[source] = text[:left]
        left -= len(text)
    return documents


#: What is ingested, and the largest ratio that was aimed at.
SETS: dict[str, tuple[Callable[[Path], Documents], float]] = {
    "eurlex_versions": (first_versions, 0.60),
    "chroma": (chroma_corpora, 0.80),
}


def report(name: str, documents: Documents, bar: float, embedder: Embedder) -> None:
    """Print each run, and the ratio of the sums."""
    costs = []
    for policy in ORDER:
        costs.append(ingest(documents, policy, embedder))
        one = costs[-1]
        print(
            f"{name:16} {policy:9} {one.stored:6} of {one.chunks:6} chunks stored  "
            f"{one.cpu:8.1f} CPU s  {one.wall:8.1f} s",
            flush=True,
        )
    cpu = ratio({one: [cost.cpu for cost in costs if cost.policy == one] for one in ORDER})
    wall = ratio({one: [cost.wall for cost in costs if cost.policy == one] for one in ORDER})
    print(
        f"{name:16} with over without: {cpu:.3f} of the CPU seconds, {wall:.3f} of the time (aim {bar:.2f})\n"
    )


def ratio(taken: Mapping[str, list[float]]) -> float:
    """With the filter over without, of the sums."""
    return sum(taken["coverage"]) / sum(taken["none"])


def main() -> None:
    """Measure both collections."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)} (default: both)")
    parser.add_argument("--threads", type=int, metavar="N", help="threads of the embedder")
    arguments = parser.parse_args()
    folder = os.environ.get("CHUNKFILTER_DATA")
    if not folder:
        print("skipped: set CHUNKFILTER_DATA to the folder that holds chroma and eurlex_versions")
        return
    if arguments.threads:
        import torch

        torch.set_num_threads(arguments.threads)
    embedder = load_embedder("package:all-MiniLM-L6-v2")
    warm = {"warm": "Words that make every library load before anything is timed. " * 40}
    for policy in ("none", "coverage"):
        ingest(warm, policy, embedder)
    for name in arguments.sets or SETS:
        read, bar = SETS[name]
        report(name, read(Path(folder)), bar, embedder)


if __name__ == "__main__":
    main()
