"""How fast ``minhash@0.8`` is beside datasketch and, where installed, rensa; what each finds and gets wrong.

All read the same 12,000 texts of 400 characters, cut at random places out of the demo corpus or, with
--corpus, out of the text files of a folder, and end with a decision for each. Shingling counts: word
3-grams everywhere, of our words or, as users of the libraries make them, of words between white space.
Truth is every pair whose shingle sets have a Jaccard similarity of at least 0.8, by one sparse matrix
product over the shingles that the way itself reads.

datasketch runs with its own bands and with as many as we use. rensa runs as its own deduplicator, which
decides by estimates and verifies nothing, and with candidates looked up and decided by their sets, as we do:
with its 16 bands of 128 permutations, and with as many bands of few rows as find a pair at the threshold as
probably as ours. The fastest of these that misses at most one more than we do is named at the end. Times are
seconds of processors.

How the time grows is measured by ``filters_growth.py``.

    python benchmarks/minhash_speed.py [--corpus FOLDER]
"""

import argparse
import math
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from itertools import count as numbers_from_zero
from pathlib import Path

import numpy as np
from datasketch import MinHash, MinHashLSH
from scipy import sparse

import chunkfilter as cf
from chunkfilter.demo.corpus import load_documents
from chunkfilter.policy import Policy
from chunkfilter.rules.batch import Batch, Given
from chunkfilter.rules.minhash import MINHASH
from chunkfilter.signals.minhash import bands_for
from chunkfilter.text.shingle_sets import text_shingles

TEXTS, LENGTH, THRESHOLD = 12_000, 400, 0.8
#: Each way runs once a round, one after another; the least time counts.
ROUNDS = 3
POLICY = f"minhash@{THRESHOLD} guards=none blank=keep"
Decisions = list[bool]
#: Similar pairs: later texts, and an earlier one for each.
Truth = tuple[np.ndarray, np.ndarray]


def cut(documents: list[str], count: int, seed: int = 0) -> list[str]:
    """Texts of LENGTH characters from random places, a fifth of them with some words changed."""
    random = np.random.default_rng(seed)
    text = " ".join(documents)
    starts = random.integers(0, len(text) - LENGTH, count)
    return [
        changed(text[start : start + LENGTH], random) if number % 5 == 0 else text[start : start + LENGTH]
        for number, start in enumerate(starts)
    ]


def changed(text: str, random: np.random.Generator, most: int = 3) -> str:
    """The text with up to ``most`` words replaced by new ones."""
    words = text.split()
    for _ in range(random.integers(0, most + 1)):
        words[random.integers(len(words))] = f"x{random.integers(1 << 30):x}"
    return " ".join(words)


def ours(texts: list[str]) -> Decisions:
    """Which texts ``minhash@0.8`` removes."""
    gone = np.zeros(len(texts), dtype=bool)
    gone[[removal.index for removal in cf.filter_chunks(texts, POLICY).removed]] = True
    return gone.tolist()


def joined_shingles(texts: list[str]) -> list[list[str]]:
    """Word 3-grams as users of the libraries make them."""
    rows = (text.lower().split() for text in texts)
    return [[" ".join(words[place : place + 3]) for place in range(max(len(words) - 2, 1))] for words in rows]


def datasketch(texts: list[str], params: tuple[int, int] | None = None) -> Decisions:
    """Bulk signatures, then look up and insert, each text against those that stay."""
    shingles = [[shingle.encode() for shingle in row] for row in joined_shingles(texts)]
    index = MinHashLSH(threshold=THRESHOLD, num_perm=128, params=params)
    gone = []
    for number, signature in enumerate(MinHash.bulk(shingles, num_perm=128)):
        gone.append(bool(index.query(signature)))
        if not gone[-1]:
            index.insert(number, signature)
    return gone


def rensa_estimates(texts: list[str], permutations: int, bands: int) -> Decisions:
    """rensa's deduplicator: a text goes if its signature is near enough to that of one that stays."""
    from rensa import RMinHashDeduplicator

    stays = RMinHashDeduplicator(THRESHOLD, permutations, True, bands)
    return [
        not added
        for added in stays.add_pairs(
            list(zip(map(str, numbers_from_zero()), joined_shingles(texts), strict=False))
        )
    ]


def rensa_verified(texts: list[str], permutations: int, bands: int) -> Decisions:
    """Look up each text among those that stay, decide by the sets, insert it if it stays."""
    from rensa import RMinHash, RMinHashLSH

    rows = joined_shingles(texts)
    sets = [frozenset(row) for row in rows]
    index = RMinHashLSH(threshold=THRESHOLD, num_perm=permutations, num_bands=bands)
    gone = []
    for number, signature in enumerate(RMinHash.from_token_sets(rows, num_perm=permutations, seed=1)):
        mine = sets[number]
        found = (sets[candidate] for candidate in index.query(signature))
        gone.append(any(len(mine & other) >= THRESHOLD * len(mine | other) for other in found))
        if not gone[-1]:
            index.insert(number, signature)
    return gone


def as_probable_as_ours() -> list[tuple[int, int]]:
    """(permutations, bands) that find a pair at the threshold as probably as ours, for 3 to 6 rows a band."""
    bands, rows = bands_for(THRESHOLD)
    missed = (1 - THRESHOLD**rows) ** bands
    needed = {few: math.ceil(math.log(missed) / math.log(1 - THRESHOLD**few)) for few in range(3, rows + 1)}
    return [(few * many, many) for few, many in needed.items()]


def similar_pairs(shingles: Iterable[Sequence[Hashable]]) -> Truth:
    """Every pair (later, earlier) of texts at or above the threshold, by exact Jaccard similarity."""
    numbers: dict[Hashable, int] = {}
    rows = [sorted({numbers.setdefault(one, len(numbers)) for one in row}) for row in shingles]
    sizes = np.array([len(row) for row in rows])
    table = sparse.csr_matrix(
        (np.ones(sizes.sum(), np.int32), np.concatenate(rows), np.concatenate([[0], np.cumsum(sizes)])),
        shape=(len(rows), len(numbers)),
    )
    shared = sparse.tril(table @ table.T, k=-1).tocoo()
    similar = shared.data / (sizes[shared.row] + sizes[shared.col] - shared.data) >= THRESHOLD
    return shared.row[similar], shared.col[similar]


def found_share(texts: list[str], truth: Truth) -> float:
    """Share of the given pairs that our index proposes and keeps."""
    policy = Policy.parse(POLICY)
    count = len(texts)
    order, scopes = np.arange(count), np.zeros(count, np.int64)
    batch = Batch([cf.Chunk(text) for text in texts], [], order, scopes, policy, Given())
    if MINHASH.index is None:
        raise ValueError("minhash: expected a rule with an index")
    index = MINHASH.index(batch, policy.stages[0].terms[0])
    index.add(order)
    found = index.find(order, 0, count)
    later, earlier = truth
    return float(np.isin(later * count + earlier, found.rows * count + found.columns).mean())


def wrong_and_missed(gone: Decisions, truth: Truth) -> tuple[int, int]:
    """Texts that went though nothing like them stays before them, and that stay though something does."""
    lost, (later, earlier) = np.array(gone), truth
    covered = np.zeros(len(lost), dtype=bool)
    covered[later[~lost[earlier]]] = True
    return int((lost & ~covered).sum()), int((~lost & covered).sum())


def cpu_seconds(run: Callable[[], Decisions]) -> tuple[float, Decisions]:
    """Seconds of processors, which other work on the machine changes less than those of a clock; the result."""
    started = time.process_time()
    result = run()
    return time.process_time() - started, result


def ways(texts: list[str]) -> dict[str, Callable[[], Decisions]]:
    """What is timed, by name; ours first."""
    bands, rows = bands_for(THRESHOLD)
    runs: dict[str, Callable[[], Decisions]] = {
        f"chunkfilter, {bands} bands": lambda: ours(texts),
        "datasketch, its bands": lambda: datasketch(texts),
        f"datasketch, {bands} bands": lambda: datasketch(texts, (bands, rows)),
    }
    try:
        import rensa as _  # noqa: F401
    except ImportError:
        print("rensa is not installed: left out", file=sys.stderr)
        return runs
    runs["rensa, 128 in 16 bands, estimates"] = lambda: rensa_estimates(texts, 128, 16)
    for setting in [(128, 16), *as_probable_as_ours()]:
        name = "rensa, {} in {} bands, verified".format(*setting)
        runs[name] = partial(rensa_verified, texts, *setting)
    return runs


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--corpus", type=Path, help="folder with .md or .txt files instead of the demo corpus"
    )
    arguments = parser.parse_args()
    documents = list(load_documents().values())
    if arguments.corpus:
        files = sorted([*arguments.corpus.rglob("*.md"), *arguments.corpus.rglob("*.txt")])
        documents = [file.read_text(encoding="utf-8", errors="replace") for file in files]
    texts = cut(documents, TEXTS)
    our_truth, their_truth = similar_pairs(map(text_shingles, texts)), similar_pairs(joined_shingles(texts))
    ours(texts[:100])
    runs = ways(texts)
    print(
        f"{len(our_truth[0]):,} pairs at {THRESHOLD}; found by our index: {found_share(texts, our_truth):.4%}"
    )
    rounds = [{name: cpu_seconds(run) for name, run in runs.items()} for _ in range(ROUNDS)]
    reference, allowed, equal = None, 0, dict[str, float]()
    for name in runs:
        taken, gone = min(timed[name] for timed in rounds)
        wrong, missed = wrong_and_missed(gone, their_truth if reference else our_truth)
        if reference is None:
            reference, allowed = taken, missed + 1
        elif "verified" in name and missed <= allowed:
            equal[name] = taken / reference
        print(
            f"{name:34} {taken:6.2f} s ({taken / reference:5.2f} x ours)  {sum(gone):>6,} go, "
            f"{wrong:>4} of them below the threshold, {missed:>4} missed"
        )
    if equal:
        fastest = min(equal, key=equal.__getitem__)
        print(f"At equal recall, verified, the fastest is {fastest}: {equal[fastest]:.2f} x ours")


if __name__ == "__main__":
    main()
