"""What ``exact`` and ``coverage`` remove on real corpora, what each clause of coverage costs, and what is lost.

For each corpus and splitter: shares removed, with the spans of the splitter and without; the share that coverage
would remove without the clause about neighbours, without the sentence beside a piece, and without both; and, by a
cutter that shares nothing with the library, the sentences and the pairs of neighbouring sentences or lines that
were together in some chunk and are together in no kept one.

    CHUNKFILTER_DATA=FOLDER python benchmarks/coverage_corpora.py [--only NAME]
"""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from textwrap import fill
from unittest import mock

import numpy as np

import chunkfilter as cf
from chunkfilter.rules.coverage import needs

SETS = {
    "Chroma, recursive 400/200": ("chroma", "recursive:400:200"),
    "Chroma, recursive 800/400": ("chroma", "recursive:800:400"),
    "Chroma, recursive 400/0": ("chroma", "recursive:400:0"),
    "Chroma, cluster 400": ("chroma", "cluster:400"),
    "Chroma, fixed 400/200": ("chroma", "fixed:400:200"),
    "SQuAD, recursive 400/200": ("squad_dev11", "recursive:400:200"),
    "EU acts in versions, 800/400": ("eurlex_versions/versions.en.jsonl", "recursive:800:400"),
    "EU acts in versions, 400/200": ("eurlex_versions/versions.en.jsonl", "recursive:400:200"),
    "Jest manuals, 800/400": ("jest_docs", "recursive:800:400"),
    "EU acts, questions, 400/200": ("rag_eurlex_eval", "recursive:400:200"),
    "COVID FAQ, 400/200": ("covid_faq", "recursive:400:200"),
    "COVID FAQ wrapped at 80, 400/200": ("covid_faq wrapped", "recursive:400:200"),
}


# --- what is lost, by a cutter of its own --------------------------------------------------------------------

_UNIT = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z0-9\"'(])|\n\s*\n|\n(?=\s*(?:[-*|>#]|\d+[.)])\s)")
_EMPHASIS = re.compile(r"(?<!\w)[*_]{1,2}(?=\w)|(?<=[\w.:)])[*_]{1,2}(?!\w)")


def units(text: str) -> list[str]:
    """Sentences and paragraphs as a reader would guess them, white space folded."""
    return [" ".join(part.split()) for part in _UNIT.split(_EMPHASIS.sub("", text)) if part.strip()]


def lost(chunks: list[cf.Chunk], kept: set[int]) -> tuple[int, int, int, int]:
    """Sentences and neighbouring pairs that no kept chunk holds any more, and how many there were.

    The first and the last unit of a chunk may be cut off by its edge: only those between count as sentences.
    """
    cut = [units(chunk.text) for chunk in chunks]
    sentences = {unit for found in cut for unit in found[1:-1]}
    pairs = {pair for found in cut for pair in pairwise(found[1:-1])}
    kept_texts = [" ".join(_EMPHASIS.sub("", chunks[place].text).split()) for place in sorted(kept)]
    holding = "\n".join(kept_texts)
    kept_pairs = {pair for place in kept for pair in pairwise(cut[place])}
    kept_units = {unit for place in kept for unit in cut[place]}
    missing = [unit for unit in sentences - kept_units if unit not in holding]
    apart = [pair for pair in pairs - kept_pairs if " ".join(pair) not in holding]
    return len(missing), len(sentences), len(apart), len(pairs)


# --- what each clause costs ----------------------------------------------------------------------------------


def _single(layout: needs._Layout) -> Iterator[needs._Items]:
    places = np.flatnonzero(layout.asked)
    codes = layout.codes(layout.table.rows.values[places], layout.open[places])
    yield layout.items(codes, places, places)


def _alone(original: Callable[..., needs.Fragments]) -> Callable[..., needs.Fragments]:
    def fragments(layout, begins, ends, asking):
        found = original(layout, begins, ends, asking)
        first, last = layout.first[found.rows], layout.last[found.rows]
        at_start = found.starts == begins[first]
        return needs.Fragments(
            found.rows,
            np.where(at_start, found.starts, begins[last]),
            np.where(at_start, ends[first], found.ends),
        )

    return fragments


@contextmanager
def without(*clauses: str) -> Iterator[None]:
    with (
        mock.patch.object(needs, "_asked", _single if "neighbours" in clauses else needs._asked),
        mock.patch.object(
            needs, "_fragments", _alone(needs._fragments) if "beside" in clauses else needs._fragments
        ),
    ):
        yield


# --- the table -----------------------------------------------------------------------------------------------


def chunks_of(folder: Path, name: str, splitter: str) -> list[cf.Chunk]:
    where, _, wrapped = name.partition(" ")
    documents = dict(cf.load_dataset(folder / where).documents)
    if wrapped:
        documents = {
            source: "\n\n".join(fill(part, 80) for part in text.split("\n\n"))
            for source, text in documents.items()
        }
    embedder = cf.load_embedder("package:all-MiniLM-L6-v2") if splitter.startswith("cluster") else None
    return cf.split_documents(documents, splitter, embedder=embedder)


def row(chunks: list[cf.Chunk]) -> list[str]:
    exact, coverage = (cf.filter_chunks(chunks, policy) for policy in ("exact", "coverage"))
    coverage.verify(chunks)
    bare = [cf.Chunk(chunk.text, source=chunk.source) for chunk in chunks]
    shares = [exact.reduction, coverage.reduction, cf.filter_chunks(bare, "coverage").reduction]
    for clauses in (("neighbours",), ("beside",), ("neighbours", "beside")):
        with without(*clauses):
            shares.append(cf.filter_chunks(chunks, "coverage").reduction)
    missing, sentences, apart, pairs = lost(chunks, set(coverage.kept))
    return [*(f"{share:6.2f}" for share in shares), f"{missing}/{sentences}", f"{apart}/{pairs}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="sets whose name contains this")
    only = parser.parse_args().only
    if "CHUNKFILTER_DATA" not in os.environ:
        sys.exit("CHUNKFILTER_DATA is not set: it names the folder of the corpora; nothing was measured")
    print(f"{'':34} chunks  exact  cover   bare  -next  -beside -both  lost sentences, pairs")
    for name, (data, splitter) in SETS.items():
        if only is None or only in name:
            chunks = chunks_of(Path(os.environ["CHUNKFILTER_DATA"]), data, splitter)
            print(f"{name:34} {len(chunks):6}", *row(chunks), flush=True)


if __name__ == "__main__":
    main()
