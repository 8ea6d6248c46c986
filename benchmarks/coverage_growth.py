"""How the time of ``coverage`` and of its certificate grows, for every kind of input that ever took too long.

For each kind a run over ``--chunks`` chunks and one over four times as many, in processor seconds, and their ratio:
at most 6 is the bar (4 would be linear). The last line is a million chunks of ordinary text, with the memory.

    python benchmarks/coverage_growth.py [--chunks 20000] [--million]
"""

import argparse
import random
import resource
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path

import chunkfilter as cf
from chunkfilter.demo.corpus import load_documents

Chunks = list[cf.Chunk]


def pieces(text: str, size: int, step: int, source: str) -> Iterator[cf.Chunk]:
    for start in range(0, max(len(text) - size, 1), step):
        part = text[start : start + size]
        yield cf.Chunk(part, source=source, spans=((start, start + len(part)),))


def ordinary(count: int) -> Chunks:
    """Windows of the demo corpus with a new number in every third sentence, each half over the one before."""
    draw = random.Random(0)
    text = " ".join(load_documents().values()).split(". ")
    made: Chunks = []
    edition = 0
    while len(made) < count:
        edition += 1
        changed = [f"{part} ({draw.randrange(10**6)})" if draw.random() < 0.33 else part for part in text]
        made += pieces(". ".join(changed), 400, 200, f"edition {edition}")
    return made[:count]


def words_of_few(count: int, words: int = 60, stock: int = 2) -> Chunks:
    draw = random.Random(1)
    names = [f"word{number}" for number in range(stock)]
    text = [draw.choice(names) for _ in range(words * (count + 1) // 2)]
    return [
        cf.Chunk(
            " ".join(text[start : start + words]), source="s", spans=((start * 6, start * 6 + words * 6 - 1),)
        )
        for start in range(0, len(text) - words, words // 2)
    ][:count]


def tables(count: int) -> Chunks:
    draw = random.Random(2)

    def row() -> str:
        return "\t".join("0" if draw.random() < 0.9 else str(draw.randrange(10)) for _ in range(12))

    return [
        cf.Chunk("\n".join(row() for _ in range(8)), source=f"t{number // 50}") for number in range(count)
    ]


def code(count: int) -> Chunks:
    """The Python files of this environment, each behind one licence header."""
    header = "# Licensed under the MIT licence. Permission is hereby granted, free of charge.\n" * 3
    made: Chunks = []
    for path in sorted(Path(sysconfig.get_paths()["purelib"]).rglob("*.py")):
        made += pieces(header + path.read_text(encoding="utf-8", errors="replace"), 800, 400, str(path))
        if len(made) >= count:
            break
    return made[:count]


def logs(count: int, *, folded: bool = False) -> Chunks:
    draw = random.Random(3)

    def line() -> str:
        return f"[instance: {draw.getrandbits(24):06x}] Took {draw.randrange(9000) / 100} seconds to spawn the instance"

    separator = " " if folded else "\n"
    return [cf.Chunk(separator.join(line() for _ in range(5)), source=f"l{n // 100}") for n in range(count)]


def folded_logs(count: int) -> Chunks:
    return logs(count, folded=True)


def lists(count: int) -> Chunks:
    return [
        cf.Chunk(
            "\n".join(f"{step}. Turn the screw number {step + number % 7}." for step in range(1, 9))
            + f"\n{number}"
        )
        for number in range(count)
    ]


def phrases(count: int) -> Chunks:
    """Chunks over two words, then over phrases of a small stock."""
    draw = random.Random(4)
    stock = [f"phrase number {number} of the small stock" for number in range(12)]
    return [cf.Chunk(" ".join(draw.choices(stock, k=8)), source="p") for _ in range(count)]


def notices(count: int) -> Chunks:
    """Pages with one notice, each page twice."""
    notice = "This page is confidential. Do not copy it without the written consent of the owner. "
    pages = (
        cf.Chunk(f"{notice}Page {number} speaks of valve {number}.") for number in range((count + 1) // 2)
    )
    return [page for each in pages for page in (each, cf.Chunk(each.text + " "))][:count]


def shared_fragments(count: int) -> Chunks:
    """Pieces of one long sentence, cut off at both ends, in thousands of sources."""
    long = " ".join(f"term{number}" for number in range(300))
    made: Chunks = []
    for source in cycle(range(count)):
        made += islice(pieces(f"{source} {long} {source}.", 400, 200, f"s{source}"), 12)
        if len(made) >= count:
            break
    return made[:count]


KINDS: dict[str, Callable[[int], Chunks]] = {
    "ordinary text": ordinary,
    "60 words over two words": words_of_few,
    "tables of zeros": tables,
    "code with one header": code,
    "log lines": logs,
    "log lines, folded": folded_logs,
    "numbered lists": lists,
    "phrases of a small stock": phrases,
    "pages with one notice, twice": notices,
    "fragments in thousands": shared_fragments,
}


def seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def measure(chunks: Chunks) -> tuple[float, float, cf.FilterResult]:
    results: list[cf.FilterResult] = []
    filtering = seconds(lambda: results.append(cf.filter_chunks(chunks, "coverage")))
    return filtering, seconds(lambda: results[0].verify(chunks)), results[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--million", action="store_true")
    arguments = parser.parse_args()
    print(f"{'kind':30} {'removed':>8} {'filter s':>18} {'ratio':>6} {'verify s':>18} {'ratio':>6}")
    for kind in arguments.kind or KINDS:
        few, many = (measure(KINDS[kind](arguments.chunks * factor)) for factor in (1, 4))
        print(
            f"{kind:30} {many[2].reduction:7.1f}% {few[0]:8.2f} {many[0]:9.2f} {many[0] / few[0]:6.1f} "
            f"{few[1]:8.2f} {many[1]:9.2f} {many[1] / max(few[1], 0.01):6.1f}",
            flush=True,
        )
    if arguments.million:
        chunks = ordinary(1_000_000)
        taken = seconds(lambda: cf.filter_chunks(chunks, "coverage"))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"a million chunks: {taken:.0f} s of processors, {peak:.1f} GB at the peak", file=sys.stdout)


if __name__ == "__main__":
    main()
