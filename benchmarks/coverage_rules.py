"""What ``coverage`` removes on the five Chroma corpora, and what each part of its definition costs.

    python benchmarks/coverage_rules.py FOLDER [SPLITTER ...]

FOLDER holds ``corpora/*.md``. Beside the rule itself, with MiniLM's window: without the rule of seams,
without the rule of sentences (all words may lie in runs), with up to eight keepers instead of three, without
a window, and with a window of 190 words.
"""

import argparse
import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np

import chunkfilter as cf
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.filters.batch import Batch, BoolArray, Given
from chunkfilter.filters.coverage.copies import Copies
from chunkfilter.filters.coverage.finder import CoverFinder
from chunkfilter.filters.coverage.units import Units, find_units
from chunkfilter.filters.coverage.walk import Walk
from chunkfilter.policy import Policy
from chunkfilter.signals.embedders import Embedder, load_embedder
from chunkfilter.splitters import split_documents

SPLITTERS = ("recursive:400:200", "recursive:800:400", "recursive:400:0", "cluster:400", "fixed:400:200")
Variant = Callable[[Batch, BoolArray, BoolArray], CoverFinder]


def finder(batch: Batch, active: BoolArray, gives: BoolArray) -> CoverFinder:
    """The rule itself."""
    return CoverFinder(batch, find_units(batch), active, gives)


def without_seams(batch: Batch, active: BoolArray, gives: BoolArray) -> CoverFinder:
    """Runs meet anywhere."""
    return CoverFinder(batch, find_units(batch), active, gives, seams=False)


def without_sentences(batch: Batch, active: BoolArray, gives: BoolArray) -> CoverFinder:
    """The words of a sentence may lie in runs as well."""
    return CoverFinder(batch, _as_runs(find_units(batch)), active, gives)


def with_eight_keepers(batch: Batch, active: BoolArray, gives: BoolArray) -> CoverFinder:
    """Up to eight keepers."""
    return CoverFinder(batch, find_units(batch), active, gives, most=8)


def _as_runs(units: Units) -> Units:
    nothing = np.full_like(units.needed, -1)
    return dataclasses.replace(units, needed=nothing, instead=np.maximum(units.needed, units.instead))


VARIANTS: dict[str, tuple[str, Variant]] = {
    "coverage": ("auto", finder),
    "no seam rule": ("auto", without_seams),
    "no sentence rule": ("auto", without_sentences),
    "eight keepers": ("auto", with_eight_keepers),
    "no window": ("none", finder),
    "190 words": ("190", finder),
}


def removed(chunks: list[cf.Chunk], window: str, variant: Variant, embedder: Embedder) -> float:
    """Per cent of the chunks that go."""
    policy = Policy.parse(f"coverage window={window}")
    order, scopes = np.arange(len(chunks), dtype=np.int64), np.zeros(len(chunks), dtype=np.int64)
    batch = Batch(chunks, (), order, scopes, policy, Given(embedder=embedder))
    active = np.ones(len(chunks), dtype=np.bool_)
    walk = Walk(lambda gives: variant(batch, active, gives), Copies(batch, active), active, 0)
    walk.run()
    return 100.0 * len(walk.ledger.keepers) / len(chunks)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("splitters", nargs="*", default=SPLITTERS)
    arguments = parser.parse_args()
    embedder = cached_embedder(load_embedder("package:all-MiniLM-L6-v2"))
    documents = {
        path.name: path.read_bytes().decode() for path in sorted((arguments.folder / "corpora").glob("*.md"))
    }
    print(f"{'splitter':18} {'chunks':>7} {'exact':>7} " + " ".join(f"{name:>16}" for name in VARIANTS))
    for spec in arguments.splitters:
        chunks = split_documents(documents, spec, embedder)
        exact = cf.filter_chunks(chunks, "exact").reduction
        shares = [removed(chunks, window, variant, embedder) for window, variant in VARIANTS.values()]
        print(
            f"{spec:18} {len(chunks):7} {exact:6.2f}% " + " ".join(f"{share:15.2f}%" for share in shares),
            flush=True,
        )


if __name__ == "__main__":
    main()
