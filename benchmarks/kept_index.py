"""Time and size of an index of a million kept chunks.

Synthetic chunks: words drawn by Zipf's law (exponent 1), a tenth of the chunks with a boilerplate sentence, a tenth
copies of earlier ones. They are added in batches, then new batches are matched, then the writer is killed a
few times in the middle of an ``add``.

    python benchmarks/kept_index.py [CHUNKS] [POLICY]
"""

import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import chunkfilter as cf

BATCH = 50_000
MATCHED = 1_000
WORDS = 60
VOCABULARY = 200_000
KILLS = 5
_WORDS = [f"w{number}" for number in range(VOCABULARY + 1)]
_BOILERPLATE = [f"This notice number {number} applies to every page of the manual." for number in range(50)]


def chunks(first: int, count: int) -> list[cf.Chunk]:
    """Chunks ``first`` to ``first + count`` of an endless corpus."""
    draw = np.random.default_rng(first)
    numbers = np.power(VOCABULARY, draw.random((count, WORDS))).astype(np.int64)
    made: list[cf.Chunk] = []
    for place in range(count):
        words = [_WORDS[number] for number in numbers[place].tolist()]
        text = (
            ". ".join(" ".join(words[start : start + 12]).capitalize() for start in range(0, WORDS, 12)) + "."
        )
        kind = (first + place) % 10
        if kind == 3:
            text = f"{_BOILERPLATE[place % 50]} {text}"
        if kind == 7 and place >= 10:
            text = made[place - 7].text.replace(". ", ".\n")
        made.append(cf.Chunk(text, id=f"c{first + place}", source=f"d{(first + place) // 100}"))
    return made


_ADDING = """
import sys
import chunkfilter as cf
sys.path.insert(0, sys.argv[2])
from kept_index import chunks
index, number = cf.KeptIndex.load(sys.argv[1]), int(sys.argv[3])
while True:
    index.add(chunks(number, 500))
    number += 500
    print(number, len(index), flush=True)
"""


def killed(path: Path, first: int) -> None:
    """Kill a process that adds, and print what was confirmed and what is there.

    Raises:
        SystemExit: something confirmed is lost.
    """
    for kill in range(KILLS):
        start = str(first + kill * 1_000_000)
        command = [sys.executable, "-c", _ADDING, str(path), str(Path(__file__).parent), start]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        confirmed = [process.stdout.readline() for _ in range(2)]
        time.sleep(0.2 * kill)
        process.send_signal(signal.SIGKILL)
        confirmed += process.stdout.read().splitlines()
        process.wait()
        told = int(confirmed[-1].split()[1])
        with cf.KeptIndex.load(path) as index:
            print(f"killed: {told:,} chunks confirmed, {len(index):,} there")
            if len(index) < told:
                sys.exit("confirmed chunks are lost")
    print(f"killed {KILLS} times while adding: nothing that was confirmed is lost")


def main() -> None:
    """Print the figures."""
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    policy = sys.argv[2] if len(sys.argv) > 2 else "coverage"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kept.index"
        index = cf.KeptIndex(policy, path)
        adding = spent = 0.0
        for first in range(0, total, BATCH):
            batch = chunks(first, min(BATCH, total - first))
            started, cpu = time.perf_counter(), time.process_time()
            index.add(batch)
            adding, spent = adding + time.perf_counter() - started, spent + time.process_time() - cpu
            if (first // BATCH) % 2 == 1:
                print(f"  {first + BATCH:,} chunks added in {adding:,.0f} s, CPU {spent:,.0f} s", flush=True)
        print(
            f"policy {policy}: {total:,} chunks in batches of {BATCH:,}: {len(index):,} kept, {adding:,.0f} s, "
            f"CPU {spent:,.0f} s"
        )
        text = sum(len(chunk.text) for chunk in batch) / len(batch)
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
        print(
            f"file: {size / 2**20:,.0f} MiB, {size / len(index):,.0f} bytes a chunk, whose text has {text:,.0f}"
        )
        index.close()
        started = time.perf_counter()
        index = cf.KeptIndex.load(path)
        print(f"load: {time.perf_counter() - started:.3f} s")
        for name, batch in (
            ("new", chunks(total, MATCHED)),
            ("half stored", [*chunks(total, MATCHED // 2), *chunks(0, MATCHED // 2)]),
            ("one", chunks(total, 1)),
        ):
            started, cpu = time.perf_counter(), time.process_time()
            match = index.match(batch)
            print(
                f"match of {len(batch):,} ({name}): {time.perf_counter() - started:.2f} s, "
                f"CPU {time.process_time() - cpu:.2f} s, "
                f"{len(match.existing):,} stored chunks read, {len(match.kept):,} kept"
            )
        index.close()
        killed(path, total)
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GiB")


if __name__ == "__main__":
    main()
