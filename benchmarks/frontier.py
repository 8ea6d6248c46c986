"""Size against retrieval: ``coverage`` beside every other way to make an index smaller.

On the Chroma study's corpora, SQuAD 1.1 dev and the questions of rag-eurlex-eval, each with its splitter:
``coverage``, ``exact``, the rules of likeness without guards, equal entities, a smaller
overlap in the splitter, and removal at random after ``exact`` at the size of ``coverage``. Underneath is
``compare``; sizes are those of the kept word tokens over the tokens of all chunks of the same documents.

    CHUNKFILTER_DATA=FOLDER python benchmarks/frontier.py [SET ...] [--out FILE.csv] [--seeds N]

Retention of a smaller overlap is about the sentences that stood whole in the chunks with the full one.
"""

import argparse
import csv
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import chunkfilter as cf
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.evaluate.collection import Collection, Settings
from chunkfilter.evaluate.comparison import Comparison, Row
from chunkfilter.evaluate.report import aligned, markdown
from chunkfilter.signals.embedders import Embedder, load_embedder
from chunkfilter.splitters import split_documents

POLICIES = (
    "none",
    "exact",
    "coverage",
    "minhash@0.8 guards=none",
    "similarity@0.95 guards=none",
    "similarity@0.9 guards=none",
    "similarity@0.8 guards=none",
    "ner-exact guards=none",
)
#: Data set -> the splitter with overlap, and the same with less.
SETS = {
    "chroma": ("recursive:400:200", ("recursive:400:0",)),
    "squad_dev11": ("recursive:400:200", ("recursive:400:0",)),
    "rag_eurlex_eval": ("recursive:800:400", ("recursive:800:0",)),
}
BUDGETS = (500, 1000, 2000)


@dataclass(frozen=True, slots=True)
class Point:
    """One way to make an index smaller, on one data set."""

    data: str
    variant: str
    chunks: int
    cut: float
    tokens: float
    recall_500: float
    recall_1000: float
    recall_2000: float
    evidence_retention: float
    source_retention: float
    evidence_recall: float
    difference_1000: float
    low_1000: float
    high_1000: float
    verdict: str


def point(data: str, variant: str, row: Row, everything: Row, retention: float | None = None) -> Point:
    """A row of a comparison as a point; ``everything`` is the row of no filter."""
    change = row.differences[row.delta_measure]
    own = row.source_retention if retention is None else float("nan")
    return Point(
        data,
        variant,
        row.kept,
        100 * (1 - row.kept / everything.kept),
        100 * row.tokens_to_embed / everything.tokens_to_embed,
        row.rates["budget_recall@500"],
        row.rates["budget_recall@1000"],
        row.rates["budget_recall@2000"],
        row.evidence_retention if retention is None else retention,
        own,
        row.rates["evidence_recall"],
        change.mean,
        change.low,
        change.high,
        row.verdict,
    )


def points(name: str, dataset: cf.Dataset, embedder: Embedder, seeds: int) -> list[Point]:
    """Every point of one data set."""
    spec, smaller = SETS[name]
    chunks = split_documents(dataset.documents, spec, embedder)
    found = compared(chunks, dataset, POLICIES, embedder, seeds)
    everything = found.rows[0]
    result = [point(name, row.policy, row, everything) for row in found.rows]
    control = compared(chunks, dataset, ("coverage",), embedder, seeds, ("control",)).rows[1]
    result.append(point(name, "random after exact", control, everything))
    for other in smaller:
        fewer = split_documents(dataset.documents, other, embedder)
        kept = retention_in(chunks, fewer, dataset)
        rows = compared(fewer, dataset, ("none", "exact", "coverage"), embedder, seeds).rows
        result += [point(name, f"{row.policy}, {other}", row, everything, kept) for row in rows]
    return result


def compared(
    chunks: Sequence[cf.Chunk],
    dataset: cf.Dataset,
    policies: Sequence[str],
    embedder: Embedder,
    seeds: int,
    beside: Sequence[str] = (),
) -> Comparison:
    """``compare`` as everywhere here."""
    return cf.compare(
        chunks,
        dataset.questions,
        policies,
        embedder=embedder,
        budgets=BUDGETS,
        tokens=("word",),
        seeds=seeds,
        groups=dataset.groups,
        beside=beside,
        entities="package:en_core_web_sm",
    )


def retention_in(chunks: Sequence[cf.Chunk], others: Sequence[cf.Chunk], dataset: cf.Dataset) -> float:
    """Share of the questions whose sentences, if whole in a chunk, are whole in one of the others."""
    questions = list(dataset.questions)
    ours, theirs = (
        Collection(list(part), questions, Settings(tokens=("word",))).holders for part in (chunks, others)
    )
    lost = ours.questions[(ours.anywhere.lengths > 0) & (theirs.anywhere.lengths == 0)]
    return 1 - len(np.unique(lost)) / len(questions)


def table(found: Sequence[Point]) -> list[list[str]]:
    """Cells for a reader."""
    head = [
        "what",
        "chunks",
        "cut %",
        "tokens %",
        "R@500",
        "R@1000",
        "R@2000",
        "evidence",
        "source",
        "5-grams",
    ]
    cells = [[*head, "Δ R@1000", "verdict"]]
    for one in found:
        rates = (
            one.recall_500,
            one.recall_1000,
            one.recall_2000,
            one.evidence_retention,
            one.source_retention,
            one.evidence_recall,
        )
        cells.append(
            [
                one.variant,
                str(one.chunks),
                f"{one.cut:.1f}",
                f"{one.tokens:.1f}",
                *("" if np.isnan(rate) else f"{rate:.3f}" for rate in rates),
                f"{one.difference_1000:+.3f} [{one.low_1000:+.3f}, {one.high_1000:+.3f}]",
                one.verdict,
            ]
        )
    return cells


def main() -> None:
    """Print a table a data set, write all of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)} (default: all)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write every point to a CSV file")
    parser.add_argument("--seeds", type=int, default=20, help="draws of the random removal")
    parser.add_argument("--markdown", action="store_true", help="print tables for a page")
    arguments = parser.parse_args()
    folder = os.environ.get("CHUNKFILTER_DATA")
    if not folder:
        print(f"skipped: set CHUNKFILTER_DATA to the folder that holds {', '.join(SETS)}")
        return
    embedder = cached_embedder(load_embedder("package:all-MiniLM-L6-v2"))
    found: list[Point] = []
    for name in arguments.sets or SETS:
        dataset = cf.load_dataset(Path(folder) / name)
        part = points(name, dataset, embedder, arguments.seeds)
        found += part
        print(f"\n{name}, {SETS[name][0]}, {len(dataset.questions)} questions\n")
        print((markdown if arguments.markdown else aligned)(table(part)), flush=True)
        if arguments.out:
            write(arguments.out, found)


def write(path: Path, found: Sequence[Point]) -> None:
    """All points, a line each."""
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.DictWriter(file, list(asdict(found[0])), lineterminator="\n")
        lines.writeheader()
        lines.writerows(asdict(one) for one in found)


if __name__ == "__main__":
    main()
