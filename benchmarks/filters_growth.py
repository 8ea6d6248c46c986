"""How the time of the rules about pairs grows from 20,000 to 200,000 chunks, most of them near copies.

Texts are 400 characters of sentences of the demo corpus or, with --corpus, of the text files of a folder, in random
order, with words replaced by new ones. Cut out as they stand, twenty thousand texts of a small corpus would overlap
each other, and every chunk would have more near copies the more chunks there are. The cases:

- near copies of new texts: ten of each, as a growing corpus has them;
- near copies of ten texts: a tenth of the chunks, so that some buckets grow with the batch;
- a hundred copies of each text, one after another;
- a swarm: near copies of one text under default guards, all of which stay because each has a word of its own.

Sets of entities follow Zipf's law over a stock that grows with the batch as vocabularies do (Heaps' law, exponent
0.6); half of the sets are near copies of earlier ones, one entity more or less; a twentieth are one and the same
set, so that its buckets grow with the batch; in the last case every set has one entity that all share.

Times are seconds of processors, the least of some runs; the exponent is that of time against chunks.

    python benchmarks/filters_growth.py [--corpus FOLDER] [--sizes N,N] [--only WORDS]
"""

import argparse
import gc
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import chunkfilter as cf
from chunkfilter.demo.corpus import load_documents

LENGTH = 400
MINHASH = "minhash@0.8 guards=none blank=keep"
#: What a case gives for a number of chunks: texts, and signals by name.
Case = Callable[[int], tuple[list[str], dict[str, Any]]]


def shuffled(documents: list[str], count: int, seed: int) -> list[str]:
    """Texts of LENGTH characters, sentences in random order."""
    sentences = [one for document in documents for one in document.replace("\n", " ").split(". ") if one]
    random = np.random.default_rng(seed)
    texts = []
    for _ in range(count):
        text = ""
        while len(text) < LENGTH:
            text += sentences[random.integers(len(sentences))] + ". "
        texts.append(text[:LENGTH])
    return texts


def changed(text: str, random: np.random.Generator, most: int) -> str:
    """The text with up to ``most`` words replaced by new ones."""
    words = text.split()
    for _ in range(random.integers(0, most + 1)):
        words[random.integers(len(words))] = f"x{random.integers(1 << 30):x}"
    return " ".join(words)


def near_copies(documents: list[str], count: int, originals: int) -> list[str]:
    """Near copies, up to eight words changed, of so many texts, in random order."""
    random = np.random.default_rng(1)
    bases = shuffled(documents, originals, seed=2)
    return [changed(bases[random.integers(originals)], random, most=8) for _ in range(count)]


def copies_in_a_row(documents: list[str], count: int, each: int) -> list[str]:
    """Near copies, at most one word changed, those of a text one after another."""
    random = np.random.default_rng(3)
    bases = shuffled(documents, count // each, seed=4)
    return [changed(base, random, most=1) for base in bases for _ in range(each)]


def swarm(count: int) -> list[str]:
    """Near copies of one text, each with a word of its own."""
    random = np.random.default_rng(5)
    words = [f"word{number}" for number in range(60)]
    places = random.integers(len(words), size=count)
    return [
        " ".join([*words[:place], f"x{number:x}", *words[place + 1 :]]) for number, place in enumerate(places)
    ]


def entity_sets(count: int, shared: int | None = None) -> list[frozenset[int]]:
    """Sets by Zipf's law, near copies of earlier ones, and one set many times.

    Args:
        count: how many.
        shared: an entity that is put into every set.
    """
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
            sets.append(sets[random.integers(len(sets))] ^ {ranks[number]})
        else:
            sets.append(frozenset(ranks[6 * number : 6 * number + size]))
    return sets if shared is None else [one | {shared} for one in sets]


def given_entities(count: int, shared: int | None = None) -> tuple[list[str], dict[str, Any]]:
    """Texts nobody reads, and their entities."""
    return [f"text {number}" for number in range(count)], {"entities": entity_sets(count, shared)}


def cases(documents: list[str]) -> dict[str, tuple[str, Case]]:
    """What is measured: name -> (policy, texts and signals of so many chunks)."""

    def ten(count: int) -> list[str]:
        rest = count - count // 10
        return near_copies(documents, count // 10, 10) + near_copies(documents, rest, rest // 10)

    return {
        "minhash, near copies of new texts": (
            MINHASH,
            lambda n: (near_copies(documents, n, n // 10), {}),
        ),
        "minhash, near copies of ten texts": (MINHASH, lambda n: (ten(n), {})),
        "minhash, a hundred of each in a row": (MINHASH, lambda n: (copies_in_a_row(documents, n, 100), {})),
        "minhash, a swarm under guards": ("minhash@0.8", lambda n: (swarm(n // 10), {})),
        "ner-exact": ("ner-exact guards=none", given_entities),
        "ner-exact@paper": ("ner-exact@paper", given_entities),
        "ner-half": ("ner-half@0.5 guards=none", given_entities),
        "ner-half, one entity in all": (
            "ner-half@0.5 guards=none",
            lambda n: given_entities(n, shared=-1),
        ),
    }


def cpu_seconds(texts: list[str], policy: str, signals: dict[str, Any], runs: int) -> tuple[float, int]:
    """Least seconds of processors of some runs, and how many chunks went."""
    times, removed = [], 0
    for _ in range(runs):
        gc.collect()  # what other runs left behind is not this one's
        started = time.process_time()
        removed = len(cf.filter_chunks(texts, policy, **signals).removed)
        times.append(time.process_time() - started)
    return min(times), removed


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--corpus", type=Path, help="folder with .md or .txt files instead of the demo corpus"
    )
    parser.add_argument(
        "--sizes", default="20000,200000", help="two numbers of chunks (default: %(default)s)"
    )
    parser.add_argument("--only", default="", help="cases whose name holds these words")
    arguments = parser.parse_args()
    documents = list(load_documents().values())
    if arguments.corpus:
        files = sorted([*arguments.corpus.rglob("*.md"), *arguments.corpus.rglob("*.txt")])
        documents = [file.read_text(encoding="utf-8", errors="replace") for file in files]
    small, large = (int(size) for size in arguments.sizes.split(","))
    for name, (policy, case) in cases(documents).items():
        if arguments.only not in name:
            continue
        few, many = case(small), case(large)
        cpu_seconds(few[0][:200], policy, {key: value[:200] for key, value in few[1].items()}, 1)
        less, _ = cpu_seconds(few[0], policy, few[1], 3)
        more, removed = cpu_seconds(many[0], policy, many[1], 1)
        exponent = math.log(more / less) / math.log(large / small)
        print(
            f"{name:36} {len(few[0]):>7,} in {less:6.2f} s, {len(many[0]):>7,} in {more:6.2f} s "
            f"({removed:,} go): exponent {exponent:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
