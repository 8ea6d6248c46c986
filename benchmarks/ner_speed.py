"""How fast entities are found.

Chunks of 400 characters of the demo corpus, or of the text files of a folder, one every hundred characters, each
distinct one once: read one by one with the whole pipeline of the model, as ``nlp(text)`` does; in batches with the
parts the recogniser needs; and so in two processes. The ways take turns, the first turn does not count, and medians of
the others are printed: of the time of a clock and of that of processors, child processes included. Where other work
keeps a core busy, only the latter says what two processes cost; the load average is printed too.

How ``ner-exact`` and ``ner-half`` grow when entities are given is measured by ``filters_growth.py``.

    OMP_NUM_THREADS=1 python benchmarks/ner_speed.py [--corpus FOLDER] [--chunks N]
"""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import spacy

from chunkfilter.demo.corpus import load_documents
from chunkfilter.signals.entities import load_entities, model_location

MODEL = "package:en_core_web_sm"


def cpu_seconds() -> float:
    """Seconds of processors so far, of this process and of children that ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def seconds(run: Callable[[], object]) -> tuple[float, float]:
    """Wall time of a run, and that of processors."""
    started, spent = time.perf_counter(), cpu_seconds()
    run()
    return time.perf_counter() - started, cpu_seconds() - spent


def throughput(texts: list[str], turns: int) -> None:
    """Print chunks a second of the three ways."""
    whole = spacy.load(model_location(MODEL))
    batched = load_entities(MODEL)
    two = load_entities(MODEL, n_process=2)
    runs: dict[str, Callable[[], object]] = {
        "one by one, whole pipeline": lambda: [whole(text).ents for text in texts],
        "batches, needed parts": lambda: batched(texts),
        "likewise, two processes": lambda: two(texts),
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    for _ in range(1 + turns):
        for name, run in runs.items():
            times[name].append(seconds(run))
    middle = {name: [median(kind) for kind in zip(*taken[1:], strict=True)] for name, taken in times.items()}
    first, cpu_first = middle[next(iter(runs))]
    print(
        f"{len(texts)} chunks, {turns} turns, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    for name, (wall, cpu) in middle.items():
        print(
            f"{name:28} {len(texts) / wall:7.0f} chunks/s {first / wall:5.2f} x   "
            f"{len(texts) / cpu:7.0f} chunks/CPU s {cpu_first / cpu:5.2f} x"
        )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--corpus", type=Path, help="folder with .md or .txt files instead of the demo corpus"
    )
    parser.add_argument("--chunks", type=int, default=1000, help="at most so many chunks to find entities in")
    parser.add_argument("--turns", type=int, default=3, help="turns that count (default: %(default)s)")
    arguments = parser.parse_args()
    documents = list(load_documents().values())
    if arguments.corpus:
        files = sorted([*arguments.corpus.rglob("*.md"), *arguments.corpus.rglob("*.txt")])
        documents = [file.read_text(encoding="utf-8", errors="replace") for file in files]
    chunks = dict.fromkeys(
        text[start : start + 400] for text in documents for start in range(0, len(text) - 400, 100)
    )
    throughput(list(chunks)[:: max(len(chunks) // arguments.chunks, 1)], arguments.turns)


if __name__ == "__main__":
    main()
