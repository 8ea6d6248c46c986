"""Runs that are killed: what a store and its index files are like afterwards.

    python benchmarks/stores_kills.py plans [--store chroma] [--rows 36000] [--killed undo] [--aim]
    python benchmarks/stores_kills.py index [--rows 6000] [--kills 25] [--aim]

``plans`` works with batches of 100 rows and ends ``prune --apply`` by SIGKILL at 20 random moments after its first
note in the journal, and repairs every other one by running it again and ``undo``, the others by ``undo`` alone. With
``--killed undo`` it ends ``undo`` at random moments and runs it again, every fourth time after a second kill. With
``--aim`` a kill comes at most 0.1 s after the work on a random batch began.

``index`` kills ``prune --apply`` and ``undo`` on a Chroma folder, in turn and each time from the same files. "as
Chroma does" lets Chroma write its index every 1,000 changes, as it does for any program; "put off" is what
chunkfilter does. A kill comes at a random moment, or, with ``--aim``, where an index file changes next, which those
that put it off do not let happen. Afterwards a new process opens the collection, counts, reads all vectors and
queries; an error or a crash of that is a damaged collection. One that is whole is given the same command again, and
its rows are compared with what an undisturbed run leaves.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import stores
from stores import MAKERS, SIZES, Chroma, Maker, command, differences, run

KILLS = 20

#: Has the process killed soon after it took a batch in hand.
_AIMED = """
import os, subprocess
from chunkfilter.stores import apply, undo
def aimed(batches):
    def parts(*arguments):
        for number, part in enumerate(batches(*arguments)):
            if number == int(os.environ["BATCH_TO_KILL"]):
                subprocess.Popen(["sh", "-c", f"sleep {os.environ['SECONDS_INTO_IT']}; kill -9 {os.getpid()}"])
            yield part
    return parts
apply.batches, undo.batches = aimed(apply.batches), aimed(undo.batches)
"""

_AS_CHROMA_DOES = """
from contextlib import nullcontext
from chunkfilter.stores.chroma import ChromaStore
ChromaStore.index_left_alone = lambda store, journal: nullcontext()
"""

_CHECK = """
import sys, chromadb, numpy as np
collection = chromadb.PersistentClient(sys.argv[1]).get_collection("rows", embedding_function=None)
ids = collection.get(include=[])["ids"]
assert len(ids) == collection.count()
for first in range(0, len(ids), 2000):
    part = collection.get(ids=ids[first : first + 2000], include=["embeddings"])
    assert len(part["ids"]) == len(part["embeddings"]) and np.isfinite(part["embeddings"]).all()
assert len(collection.query(query_embeddings=part["embeddings"][:1], n_results=10)["ids"][0]) == 10
"""


def plans(store: str, rows: int, folder: Path, killed: str, kills: int, aim: bool) -> None:
    """Kill an apply or an undo and repair it."""
    os.environ["BATCH"] = "100"
    maker: Maker = MAKERS[store](folder)
    maker.fill(rows)
    before, dice = maker.contents(), random.Random(8)
    whole, lost, hit = 0.0, 0, Counter[str]()
    for trial in range(-1, kills):
        place = folder / f"plan{trial}"
        planned = run("prune", maker.url, "--policy", "exact", "--plan", place)[0]["removed"]
        applying, undoing = (
            ("prune", maker.url, "--plan", place, "--apply"),
            ("undo", place, "--store", maker.url),
        )
        if killed == "undo":
            run(*applying)
        words = command(*(undoing if killed == "undo" else applying))
        noting = None if killed == "undo" else place  # an undo notes its end only
        if trial < 0:
            whole = ended(words, noting, None)
        for _ in range(0 if trial < 0 else 2 if killed == "undo" and trial % 4 == 3 else 1):
            if aim:
                ended(aimed(words, planned // 100, dice), noting, None)
            else:
                ended(words, noting, dice.uniform(whole / 2 if noting is None else 0, whole))
        if trial >= 0:
            gone = len(before) - len(maker.contents())
            hit["none" if not gone else "all" if gone == planned else "some"] += 1
        if killed == "apply" and trial % 2:
            run(*applying)
            lost += len(before) - len(maker.contents()) != planned
        run(*undoing)
        lost += differences(before, maker.contents())
    maker.close()
    print(
        f"  {kills} of {killed} within {whole:.1f} s; missing after them: {dict(hit)}; {lost} rows lost or different"
    )


def aimed(words: list[str], batches: int, dice: random.Random) -> list[str]:
    """A command that is killed soon after it took a random batch in hand."""
    os.environ["BATCH_TO_KILL"] = str(dice.randrange(batches))
    os.environ["SECONDS_INTO_IT"] = f"{dice.random() / 10:.3f}"
    return [*words[:2], _AIMED + words[2], *words[3:]]


def index(rows: int, folder: Path, count: int, aim: bool) -> None:
    """Kill plans at work on a Chroma folder and look whether Chroma can still open it."""
    os.environ["BATCH"], stores.COPIES = "100", 2
    work, saved = folder / "work", folder / "saved"
    work.mkdir()
    maker, plan = Chroma(work), work / "plan"
    maker.fill(rows)
    run("prune", maker.url, "--policy", "exact", "--plan", plan)
    shutil.copytree(work, saved / "apply")
    run("prune", maker.url, "--plan", plan, "--apply")
    shutil.copytree(work, saved / "undo")
    pruned = maker.contents()
    run("undo", plan)
    finished = {"apply": pruned, "undo": maker.contents()}
    programs = {
        "apply": command("prune", maker.url, "--plan", plan, "--apply"),
        "undo": command("undo", plan),
    }
    for arm, patch in (("as Chroma does", _AS_CHROMA_DOES), ("put off", "")):
        for what, words in programs.items():
            dice, hit, seconds = random.Random(8), Counter[str](), 0.0
            arguments = [words[0], words[1], patch + words[2], *words[3:]]
            noting = plan if what == "apply" else None  # an undo notes its end only
            for trial in range(-1, count):
                shutil.rmtree(work)
                shutil.copytree(saved / what, work)
                moment = dice.uniform(0 if noting else seconds / 2, seconds) if trial >= 0 else None
                took = ended(arguments, noting, moment, maker if aim and arm != "put off" else None)
                seconds = took if trial < 0 else seconds
                if trial >= 0:
                    hit[state_after(work / "chroma", maker, words, finished[what])] += 1
            print(f"  {arm:<15} {what:<6} {count} kills within {seconds:.1f} s: {dict(hit)}", flush=True)


def state_after(folder: Path, maker: Chroma, words: list[str], finished: dict[Any, Any]) -> str:
    """What a kill left, and whether the same command completes it."""
    if damaged(folder):
        return "damaged"
    again = subprocess.run(words, capture_output=True, text=True, check=False)
    exact = again.returncode == 0 and maker.contents() == finished
    return "completed" if exact else "whole, but not completed"


def damaged(folder: Path) -> bool:
    """Whether a new process fails on it."""
    done = subprocess.run([sys.executable, "-c", _CHECK, folder], capture_output=True, text=True, check=False)
    if done.returncode:
        print("   ", done.returncode, done.stderr.strip().splitlines()[-1:], flush=True)
    return done.returncode != 0


def ended(words: list[str], plan: Path | None, seconds: float | None, aimed: Chroma | None = None) -> float:
    """Run a command, ended by SIGKILL so long after it began or noted that in the plan's journal; how long that was."""
    journal = plan / "journal.jsonl" if plan else Path()
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not journal.exists():
            time.sleep(0.002)
        started = time.perf_counter()
        if seconds is not None:
            time.sleep(seconds)
            if aimed is not None:
                wait_for_a_change(aimed, process)
            process.send_signal(signal.SIGKILL)
        process.wait()
    return time.perf_counter() - started


def wait_for_a_change(store: Chroma, process: "subprocess.Popen[bytes]") -> None:
    """Until an index file of the folder is written, and a random while into that."""
    folder = Path(store.url.removeprefix("chroma:").partition("#")[0])
    files = [path for path in folder.glob("*/*") if path.is_file()]
    before = [path.stat() for path in files]
    while process.poll() is None:
        now = [path.stat() for path in files]
        if any(
            (a.st_mtime_ns, a.st_size) != (b.st_mtime_ns, b.st_size) for a, b in zip(before, now, strict=True)
        ):
            time.sleep(random.random() * 0.02)
            return


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("plans", "index"))
    parser.add_argument("--store", choices=MAKERS, action="append", help="for plans; by default all")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--kills", type=int, help="by default 20 of plans, 25 of the index")
    parser.add_argument("--killed", choices=("apply", "undo"), default="apply", help="for plans")
    parser.add_argument("--aim", action="store_true")
    arguments = parser.parse_args()
    if arguments.what == "index":
        rows = arguments.rows or 6_000
        print(f"index: chroma, {rows:,} rows, half of them copies", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            index(rows, Path(folder), arguments.kills or 25, arguments.aim)
        return
    for store in arguments.store or MAKERS:
        rows = arguments.rows or SIZES[store]
        print(f"plans: {store}, {rows:,} rows", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            plans(store, rows, Path(folder), arguments.killed, arguments.kills or KILLS, arguments.aim)


if __name__ == "__main__":
    main()
