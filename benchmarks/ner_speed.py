"""How fast entities are found, and how ``ner-exact`` and ``ner-half`` grow when they are given.

Chunks of 400 characters of the demo corpus, or of the text files of a folder, each distinct one once: read one by
one with the whole pipeline of the model, as ``nlp(text)`` does; in batches with the parts the recogniser needs; and
so in two processes. The texts are read twice, and the second reading counts: a process that lives on reads many.

Growth is measured from 20,000 to 200,000 chunks. Their entities follow Zipf's law over a stock that grows with the
batch as vocabularies do (Heaps' law, exponent 0.6); half of the sets are near copies of earlier ones, one entity
more or less; a twentieth of all have one and the same set.

    python benchmarks/ner_speed.py [--corpus FOLDER] [--chunks N]
"""

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import spacy

import chunkfilter as cf
from chunkfilter.demo.corpus import load_documents
from chunkfilter.signals.spacy_entities import load_entities, model_location

MODEL = "package:en_core_web_sm"
SIZES = (20_000, 200_000)
POLICIES = ("ner-exact", "ner-exact@paper", "ner-half@0.5")


def seconds(run: Callable[[], object]) -> float:
    """Wall time of a run."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def throughput(texts: list[str]) -> None:
    """Print chunks a second of the three ways."""
    whole = spacy.load(model_location(MODEL))
    batched = load_entities(MODEL)
    two = load_entities(MODEL, n_process=2)
    runs: dict[str, Callable[[], object]] = {
        "one by one, whole pipeline": lambda: [whole(text).ents for text in texts],
        "batches, needed parts": lambda: batched(texts),
        "likewise, two processes": lambda: two(texts),
    }
    reference = 0.0
    for name, run in runs.items():
        run()
        taken = seconds(run)
        reference = reference or taken
        print(f"{name:28} {len(texts) / taken:7.0f} chunks/s  {reference / taken:5.2f} x")


def entity_sets(count: int) -> list[frozenset[int]]:
    """Sets by Zipf's law, near copies of earlier ones, and one set many times."""
    random = np.random.default_rng(0)
    stock = int(30 * count**0.6)
    ranks = (random.zipf(1.3, 6 * count) % stock).tolist()
    sizes = random.poisson(4, count).tolist()
    sets: list[frozenset[int]] = []
    for number, size in enumerate(sizes):
        kind = random.random()
        if kind < 0.05:
            sets.append(frozenset((0, 1, 2)))
        elif kind < 0.5 and sets:
            base = sets[random.integers(len(sets))]
            sets.append(base ^ {ranks[number]})
        else:
            sets.append(frozenset(ranks[6 * number : 6 * number + size]))
    return sets


def growth() -> None:
    """Print how the time grows for each rule."""
    given = {count: entity_sets(count) for count in SIZES}
    for policy in POLICIES:
        times = {}
        for count in SIZES:
            texts = [f"text {number}" for number in range(count)]
            started = time.process_time()
            result = cf.filter_chunks(texts, f"{policy} guards=none", entities=given[count])
            times[count] = time.process_time() - started
        exponent = math.log(times[SIZES[1]] / times[SIZES[0]]) / math.log(SIZES[1] / SIZES[0])
        print(
            f"{policy:16} {SIZES[0]:,} in {times[SIZES[0]]:.2f} s, {SIZES[1]:,} in {times[SIZES[1]]:.2f} s of "
            f"processors ({len(result.removed):,} go): exponent {exponent:.2f}"
        )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--corpus", type=Path, help="folder with .md or .txt files instead of the demo corpus"
    )
    parser.add_argument("--chunks", type=int, default=1000, help="at most so many chunks to find entities in")
    arguments = parser.parse_args()
    documents = list(load_documents().values())
    if arguments.corpus:
        files = sorted([*arguments.corpus.rglob("*.md"), *arguments.corpus.rglob("*.txt")])
        documents = [file.read_text(encoding="utf-8", errors="replace") for file in files]
    chunks = dict.fromkeys(
        text[start : start + 400] for text in documents for start in range(0, len(text) - 400, 400)
    )
    throughput(list(chunks)[:: max(len(chunks) // arguments.chunks, 1)])
    growth()


if __name__ == "__main__":
    main()
