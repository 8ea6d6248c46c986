"""How fast every splitter is on a megabyte, beside LangChain's and LlamaIndex's semantic splitters.

The text is that of the five corpora of the Chroma study, 1,000,000 characters of it; without them, sentences of
random words. Times are seconds of processors, the best of several rounds in which all take turns.

First with an embedder that costs next to nothing (vectors from a table, by the words of the text), which leaves
the cost of the splitter itself; then on a fifth of the text with all-MiniLM-L6-v2. Texts and
calls are counted where the embedder is called. LangChain's SemanticChunker and LlamaIndex's
SemanticSplitterNodeParser split at the 95th percentile with one neighbour on either side; the chunkfilter
splitter with the same settings must cut where they do. LlamaIndex is also given the sentences that the others
use, since its own (Punkt) are other ones. LangChain's needs the package langchain-experimental and is left out
where it is missing.

    CHUNKFILTER_DATA=FOLDER python benchmarks/splitters_speed.py [--characters N] [--rounds N] [--parts PART ...]
"""

import argparse
import itertools
import os
import time
import warnings
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import chunkfilter as cf
from chunkfilter.splitters.sentences import load_finder
from chunkfilter.studies.splitters import SharedSentences

WIDTH = 384
SAME = "breakpoint:percentile=95:buffer=1:sentences=marks"
SPECS = (
    "characters:500",
    "paragraphs:600",
    "sentences:10:1",
    "sentences:10:1:sentences=marks",
    "recursive:400:0",
    "fixed:400:0",
    "cluster:400",
    SAME,
    "breakpoint:percentile=95:sentences=marks",
    "breakpoint:percentile=95",
    "breakpoint:std=1.5",
    "breakpoint:iqr=1.0",
    "breakpoint:gradient=90",
    "breakpoint:distance=0.3",
    "breakpoint:gradient-abs=0.1",
    "linkage:clusters=1000:weight=0.5",
    "dbscan:eps=0.3:min-samples=2:weight=0.5",
)


class Counting:
    """Passes texts on and counts them."""

    def __init__(self, vectors: Callable[[Sequence[str]], np.ndarray]) -> None:
        self.vectors = vectors
        self.calls = self.texts = 0

    def encode(self, texts: Sequence[str], /) -> np.ndarray:
        """Vectors as an array."""
        self.calls += 1
        self.texts += len(texts)
        return self.vectors(texts)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors as LangChain and LlamaIndex want them."""
        return self.encode(texts).tolist()


def from_table(texts: Sequence[str]) -> np.ndarray:
    """Vectors that follow from the words alone, however spaced."""
    table = _table()
    return table[[zlib.crc32("".join(text.split()).encode()) % len(table) for text in texts]]


def _table(made: list[np.ndarray] = []) -> np.ndarray:  # noqa: B006  # made once
    if not made:
        made.append(np.random.default_rng(0).standard_normal((4093, WIDTH)).astype(np.float32) + 0.5)
    return made[0]


def megabyte(characters: int) -> str:
    """The text that is split."""
    folder = os.environ.get("CHUNKFILTER_DATA")
    if folder:
        paths = sorted((Path(folder) / "chroma" / "corpora").glob("*.md"))
        return "\n\n".join(path.read_text("utf-8") for path in paths)[:characters].strip()
    random = np.random.default_rng(0)
    words = ["".join(random.choice(list("aeioubdklmnrst"), random.integers(2, 10))) for _ in range(5000)]
    sentences = (" ".join(random.choice(words, random.integers(5, 30))) + "." for _ in itertools.count())
    text = ""
    while len(text) < characters:
        text += "\n\n".join(" ".join(itertools.islice(sentences, 5)) for _ in range(100)) + "\n\n"
    return text[:characters].strip()


def ours(spec: str) -> Callable[[str, Counting], list[str]]:
    """The chunks of a spec."""
    return lambda text, embedder: [chunk.text for chunk in cf.split(text, spec, embedder=embedder)]


def langchain(text: str, embedder: Counting) -> list[str]:
    """The chunks of LangChain's SemanticChunker, its defaults."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from langchain_experimental.text_splitter import SemanticChunker
    return SemanticChunker(embedder).split_text(text)


def llama_index(own_sentences: bool) -> Callable[[str, Counting], list[str]]:
    """The chunks of LlamaIndex's SemanticSplitterNodeParser, its defaults or the sentences that others use."""
    from llama_index.core import Document, MockEmbedding
    from llama_index.core.node_parser import SemanticSplitterNodeParser

    def sentences(text: str) -> list[str]:
        starts = [start for start, _ in load_finder("marks")(text)] + [len(text)]
        return [text[one:two] for one, two in itertools.pairwise(starts)]

    def split(text: str, embedder: Counting) -> list[str]:
        class Model(MockEmbedding):
            def _get_text_embedding(self, text: str) -> list[float]:
                return embedder.embed_documents([text])[0]

            def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
                return embedder.embed_documents(texts)

        parser = SemanticSplitterNodeParser(
            embed_model=Model(embed_dim=WIDTH), **({} if own_sentences else {"sentence_splitter": sentences})
        )
        return [node.get_content() for node in parser.get_nodes_from_documents([Document(text=text)])]

    return split


RUNS: dict[str, Callable[[str, Counting], list[str]]] = {
    SAME: ours(SAME),
    "LangChain SemanticChunker": langchain,
    "LlamaIndex, the same sentences": llama_index(own_sentences=False),
    "LlamaIndex, its own sentences": llama_index(own_sentences=True),
}
SAME_BOUNDARIES = ("LangChain SemanticChunker", "LlamaIndex, the same sentences")


@dataclass
class Figures:
    """What was measured of one splitter."""

    seconds: float = float("inf")
    chunks: list[str] = field(default_factory=list)
    texts: int = 0
    calls: int = 0


def measure(
    runs: dict[str, Callable[[str, Counting], list[str]]],
    text: str,
    vectors: Callable[[Sequence[str]], np.ndarray],
    rounds: int,
) -> dict[str, Figures]:
    """All runs in turn, several times; a run whose library is missing is left out."""
    figures = {name: Figures() for name in runs}
    for name, run in runs.items():
        try:
            run(text[:5000], Counting(vectors))  # imports and first calls are not measured
        except ImportError as error:
            print(f"{name}: left out ({error})")
            del figures[name]
    for _ in range(rounds):
        for name, one in figures.items():
            embedder = Counting(vectors)
            started = time.process_time()
            one.chunks = runs[name](text, embedder)
            one.seconds = min(one.seconds, time.process_time() - started)
            one.texts, one.calls = embedder.texts, embedder.calls
    return figures


def show(figures: dict[str, Figures], beside: str) -> None:
    """A line a splitter."""
    print(f"{'':52} {'CPU s':>8} {'beside':>8} {'chunks':>7} {'texts':>7} {'calls':>6}")
    for name, one in figures.items():
        ratio = one.seconds / figures[beside].seconds
        print(
            f"{name:52} {one.seconds:8.3f} {ratio:7.2f}x {len(one.chunks):7,} {one.texts:7,} {one.calls:6,}"
        )


def check_boundaries(figures: dict[str, Figures]) -> None:
    """Whether the others cut where ours does, white space aside."""
    cuts = {
        name: np.cumsum([len("".join(chunk.split())) for chunk in one.chunks]).tolist()
        for name, one in figures.items()
    }
    for name in SAME_BOUNDARIES:
        if name in cuts:
            apart = len(set(cuts[name]) ^ set(cuts[SAME]))
            print(f"{name}: {len(cuts[name]):,} cuts, {apart} of them other than ours")


def grid(text: str, _rounds: int) -> None:
    """What the settings of a grid cost when they share sentences and vectors."""
    specs = [
        spec for spec in SPECS if spec.startswith(("breakpoint", "linkage", "dbscan")) and "marks" not in spec
    ]
    for name, shared in (("one by one", False), ("with SharedSentences", True)):
        embedder = Counting(from_table)
        memory = SharedSentences(embedder) if shared else embedder
        started = time.process_time()
        for spec in specs:
            cf.split(text, spec, embedder=memory)
        seconds = time.process_time() - started
        print(
            f"{len(specs)} settings {name:21} {seconds:8.2f} s, {embedder.texts:7,} texts, {embedder.calls} calls"
        )


def peers(text: str, rounds: int) -> None:
    """Ours, LangChain's and LlamaIndex's, with vectors from the table."""
    figures = measure(RUNS, text, from_table, rounds)
    show(figures, SAME)
    check_boundaries(figures)


def splitters(text: str, _rounds: int) -> None:
    """Every splitter once, with vectors from the table."""
    show(measure({spec: ours(spec) for spec in SPECS}, text, from_table, 1), SAME)


def model(text: str, _rounds: int) -> None:
    """Ours, LangChain's and LlamaIndex's on a fifth of the text, with MiniLM."""
    part = text[: len(text) // 5].strip()
    print(f"{len(part):,} characters with all-MiniLM-L6-v2")
    figures = measure(RUNS, part, cf.load_embedder("package:all-MiniLM-L6-v2").encode, 1)
    show(figures, SAME)
    check_boundaries(figures)


PARTS: dict[str, Callable[[str, int], None]] = {
    "peers": peers,
    "splitters": splitters,
    "grid": grid,
    "model": model,
}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--characters", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    arguments = parser.parse_args()
    text = megabyte(arguments.characters)
    print(f"{len(text):,} characters, {len(load_finder('marks')(text)):,} sentences by marks")
    for part in arguments.parts:
        print()
        PARTS[part](text, arguments.rounds)


if __name__ == "__main__":
    main()
