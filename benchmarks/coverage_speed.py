"""How fast ``coverage`` is beside datasketch's MinHash LSH, how it grows, and what a million chunks take.

Chunks are windows of 60 words, 30 words apart, over documents of sentences, half of which are revisions of
another one: some of their sentences are changed. Both rivals read the same texts and end with a decision for
each: datasketch hashes the word 3-grams of every chunk (``MinHash.bulk``), looks each up and keeps it if
nothing like it (Jaccard 0.8) was kept before.

    python benchmarks/coverage_speed.py [--million]
"""

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np
from datasketch import MinHash, MinHashLSH

import chunkfilter as cf

WORDS_A_CHUNK = 60
STEP = 30
DOCUMENT = 1200
SIZES = (20_000, 80_000)


def texts(count: int, seed: int = 0) -> list[str]:
    """Overlapping windows over original and revised documents."""
    random = np.random.default_rng(seed)
    vocabulary = np.array([f"w{number:x}" for number in range(50_000)], dtype=object)
    chunks: list[str] = []
    document = np.empty(0, dtype=object)
    while len(chunks) < count:
        document = _revised(document, vocabulary, random) if len(document) else _fresh(vocabulary, random)
        starts = range(0, DOCUMENT - WORDS_A_CHUNK + 1, STEP)
        chunks.extend(" ".join(document[start : start + WORDS_A_CHUNK]) for start in starts)
        if random.random() < 0.5:
            document = np.empty(0, dtype=object)
    return chunks[:count]


def _fresh(vocabulary: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Words by Zipf's law, a sentence of 8 to 22 words after the other."""
    ranks = np.minimum(random.zipf(1.2, DOCUMENT), len(vocabulary) // 7 - 1) * 7 + random.integers(
        0, 7, DOCUMENT
    )
    document = vocabulary[ranks].copy()
    ends = np.cumsum(random.integers(8, 23, DOCUMENT // 8))
    ends = ends[ends < DOCUMENT - 1]
    document[ends] += "."
    document[np.append(0, ends + 1)] = [word.capitalize() for word in document[np.append(0, ends + 1)]]
    return document


def _revised(document: np.ndarray, vocabulary: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The same document with one word in sixty replaced."""
    revised = document.copy()
    places = random.integers(0, DOCUMENT, DOCUMENT // 60)
    revised[places] = vocabulary[random.integers(0, len(vocabulary), len(places))]
    return revised


def minhash_lsh(chunks: list[str]) -> int:
    """Chunks that go with datasketch: 128 permutations, threshold 0.8, its default bands."""
    shingles = []
    for text in chunks:
        words = text.split()
        shingles.append([" ".join(words[place : place + 3]).encode() for place in range(len(words) - 2)])
    index = MinHashLSH(threshold=0.8, num_perm=128)
    gone = 0
    for number, signature in enumerate(MinHash.bulk(shingles, num_perm=128)):
        if index.query(signature):
            gone += 1
        else:
            index.insert(number, signature)
    return gone


def seconds(run: Callable[[list[str]], int], chunks: list[str]) -> tuple[float, int]:
    """CPU seconds that a run takes, and what it returns; both rivals use one core."""
    started = time.process_time()
    result = run(chunks)
    return time.process_time() - started, result


def coverage(chunks: list[str]) -> int:
    """Chunks that go with ``coverage``."""
    return len(cf.filter_chunks(chunks, "coverage").removed)


RIVALS = {"coverage": coverage, "datasketch": minhash_lsh}
#: A machine that slows down on the way slows both.
PAIRED = (
    ("coverage", SIZES[0]),
    ("datasketch", SIZES[0]),
    ("coverage", SIZES[1]),
    ("datasketch", SIZES[0]),
    ("coverage", SIZES[0]),
)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--million", action="store_true", help="a million chunks, some minutes and gigabytes")
    million = parser.parse_args().million
    chunks = texts(max(SIZES))
    coverage(chunks[:1000])
    taken: dict[tuple[str, int], list[float]] = {}
    for name, size in PAIRED:
        used, gone = seconds(RIVALS[name], chunks[:size])
        taken.setdefault((name, size), []).append(used)
        print(f"{name:10} {size:>9,} chunks  {used:8.2f} s  {gone:>8,} go", flush=True)
    mean = {run: sum(times) / len(times) for run, times in taken.items()}
    small, large = (mean["coverage", size] for size in SIZES)
    print(f"coverage is {mean['datasketch', SIZES[0]] / small:.1f} times as fast as MinHash LSH")
    print(f"{SIZES[1]:,} chunks take {large / small:.1f} times as long as {SIZES[0]:,}", flush=True)
    if million:
        chunks = texts(1_000_000)
        used, gone = seconds(coverage, chunks)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"coverage   1,000,000 chunks  {used:8.2f} s  {gone:>8,} go, peak {peak:.1f} GB with the texts")


if __name__ == "__main__":
    main()
