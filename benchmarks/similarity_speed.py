"""How fast ``similarity@0.8`` is beside the products it needs, LangChain's filter and semhash; its memory.

20,000 unit vectors of 384 dimensions, all unique: no two reach the threshold, so every chunk is compared
with every earlier one. "Bare products" are the products of each block of rows with all earlier rows,
nothing else. LangChain's EmbeddingsRedundantFilter (its own code; langchain-community) gets the vectors
from memory. semhash, where installed, removes duplicates with its default and its exact index. On a
second batch, with duplicates, the removals that each gets wrong or misses are counted.

    python benchmarks/similarity_speed.py [--count N] [--only NAME]
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

COUNT, WIDTH, THRESHOLD, BLOCK = 20_000, 384, 0.8, 2048


def unit(vectors: np.ndarray) -> np.ndarray:
    """Rows of length 1, float32."""
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def unique_vectors(count: int) -> np.ndarray:
    """Random directions: cosines stay far below the threshold."""
    return unit(np.random.default_rng(0).standard_normal((count, WIDTH), dtype=np.float32))


def vectors_with_copies(count: int) -> np.ndarray:
    """Half new directions, half earlier ones with noise, their cosines from 0.7 to 1."""
    random = np.random.default_rng(1)
    vectors = unique_vectors(count)
    for row in range(1, count, 2):
        noise = unit(random.standard_normal((1, WIDTH), dtype=np.float32))[0]
        cosine = random.uniform(0.7, 1.0)
        vectors[row] = cosine * vectors[random.integers((row + 1) // 2) * 2] + (1 - cosine**2) ** 0.5 * noise
    return unit(vectors)


def bare_products(vectors: np.ndarray) -> int:
    """Each block times all earlier rows and its own."""
    for start in range(0, len(vectors), BLOCK):
        block = vectors[start : start + BLOCK]
        for first in range(0, start + len(block), 4096):
            block @ vectors[first : min(first + 4096, start + len(block))].T
    return 0


def chunkfilter(vectors: np.ndarray) -> list[int]:
    """Positions that ``similarity@0.8`` removes."""
    import chunkfilter as cf

    texts = [f"text {number}" for number in range(len(vectors))]
    result = cf.filter_chunks(texts, f"similarity@{THRESHOLD} guards=none", vectors=vectors)
    return [removal.index for removal in result.removed]


def langchain(vectors: np.ndarray) -> list[int]:
    """Positions that EmbeddingsRedundantFilter removes."""
    from langchain_community.document_transformers import EmbeddingsRedundantFilter
    from langchain_core.documents import Document
    from langchain_core.embeddings import FakeEmbeddings

    documents = [Document(page_content=str(number)) for number in range(len(vectors))]
    rows = vectors.tolist()

    class FromMemory(FakeEmbeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [rows[int(text)] for text in texts]

    kept = EmbeddingsRedundantFilter(
        embeddings=FromMemory(size=WIDTH), similarity_threshold=THRESHOLD
    ).transform_documents(documents)
    staying = {int(document.page_content) for document in kept}
    return [number for number in range(len(vectors)) if number not in staying]


def semhash(vectors: np.ndarray, exact: bool) -> list[int]:
    """Positions that semhash removes."""
    from semhash import SemHash
    from vicinity import Backend

    class NoModel:
        def encode(self, inputs: object, **_options: object) -> np.ndarray:
            raise RuntimeError(inputs)

    records = [str(number) for number in range(len(vectors))]
    index = SemHash.from_embeddings(
        vectors, records, NoModel(), ann_backend=Backend.BASIC if exact else Backend.USEARCH
    )
    staying = {int(record) for record in index.self_deduplicate(threshold=THRESHOLD).selected}
    return [number for number in range(len(vectors)) if number not in staying]


RUNS: dict[str, Callable[[np.ndarray], object]] = {
    "bare products": bare_products,
    "chunkfilter": chunkfilter,
    "langchain": langchain,
    "semhash, default index": lambda vectors: semhash(vectors, exact=False),
    "semhash, exact index": lambda vectors: semhash(vectors, exact=True),
}


def measure(name: str, count: int, copies: bool) -> dict[str, object]:
    """Time, peak memory over the input and removals of one run in this process."""
    vectors = vectors_with_copies(count) if copies else unique_vectors(count)
    RUNS[name](vectors[:300])  # imports and first calls are not measured
    before = peak_mebibytes(reset=True)
    times, processor = [], []
    for _ in range(1 if name == "langchain" or name.startswith("semhash") else 3):
        started, worked = time.perf_counter(), time.process_time()
        removed = RUNS[name](vectors)
        times.append(time.perf_counter() - started)
        processor.append(time.process_time() - worked)
    return {
        "seconds": min(times),
        "processor": min(processor),
        "mebibytes": peak_mebibytes() - before,
        "removed": removed,
    }


def peak_mebibytes(reset: bool = False) -> float:
    """Largest resident memory since it was last reset; Linux only."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def in_new_process(name: str, count: int, copies: bool) -> dict[str, object] | None:
    """The measurement in a process of its own; ``None`` if a library is missing."""
    command = [
        sys.executable,
        __file__,
        "--count",
        str(count),
        "--only",
        name,
        *(["--copies"] if copies else []),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    if done.returncode:
        print(f"{name}: left out ({done.stderr.strip().splitlines()[-1]})", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def greedy(vectors: np.ndarray, removed: list[int]) -> tuple[int, int]:
    """Removed rows without a kept one at the threshold, and kept rows with an earlier kept one at it."""
    gone = np.zeros(len(vectors), dtype=bool)
    gone[removed] = True
    kept = np.flatnonzero(~gone)
    wrong = missed = 0
    for start in range(0, len(vectors), BLOCK):
        rows = np.arange(start, min(start + BLOCK, len(vectors)))
        alike = vectors[rows] @ vectors[kept].T >= THRESHOLD
        wrong += int((gone[rows] & ~alike.any(axis=1)).sum())
        missed += int((~gone[rows] & (alike & (kept < rows[:, None])).any(axis=1)).sum())
    return wrong, missed


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--only", choices=RUNS, help="one run, its figures as JSON")
    parser.add_argument("--copies", action="store_true", help="with --only: on the batch with duplicates")
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(measure(arguments.only, arguments.count, arguments.copies)))
        return
    measured = {name: in_new_process(name, arguments.count, copies=False) for name in RUNS}
    ours = measured["chunkfilter"]
    print(f"{arguments.count:,} x {WIDTH}, all unique; input {arguments.count * WIDTH * 4 / 2**20:.0f} MiB")
    for name, figures in measured.items():
        if figures and ours:
            print(
                f"{name:24} {figures['seconds']:8.2f} s ({figures['seconds'] / ours['seconds']:6.2f} x ours), "
                f"{figures['processor']:7.2f} s of processors "
                f"({figures['processor'] / ours['processor']:6.2f} x), peak +{figures['mebibytes']:6.0f} MiB"
            )
    vectors = vectors_with_copies(arguments.count)
    print("with duplicates:")
    for name in list(RUNS)[1:]:
        figures = in_new_process(name, arguments.count, copies=True)
        if figures:
            wrong, missed = greedy(vectors, figures["removed"])
            print(
                f"{name:24} {figures['seconds']:8.2f} s  {len(figures['removed']):>6,} go, "
                f"{wrong} of them without a kept twin, {missed} missed"
            )


if __name__ == "__main__":
    main()
