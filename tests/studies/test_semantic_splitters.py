"""Splitters by meaning follow their definitions, computed here the long way."""

import importlib
import itertools
import warnings
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core import Document, MockEmbedding
from llama_index.core.node_parser import SemanticSplitterNodeParser
from sklearn.cluster import DBSCAN

from chunkfilter import split, split_documents
from chunkfilter.errors import MissingSignalError, VectorError
from chunkfilter.splitters.sentences import load_finder
from chunkfilter.studies.splitters import SharedSentences, linkage
from chunkfilter.studies.splitters.dbscan import dense_groups
from chunkfilter.studies.splitters.groups import UNIT, distance_blocks
from chunkfilter.studies.splitters.linkage import capped_single_linkage

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class ByLetters:
    """Counts of letters as vectors; counts its own calls and the texts it gets."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def encode(self, texts: Sequence[str], /) -> np.ndarray:
        self.calls.append(list(texts))
        return np.array([[text.lower().count(letter) for letter in LETTERS] for text in texts], dtype=float)

    embed_documents = encode


def prose(count: int, seed: int = 0) -> str:
    """Sentences of random words, their letters drifting from subject to subject."""
    random = np.random.default_rng(seed)
    sentences = []
    for _ in range(count):
        letters = random.choice(list(LETTERS[: random.integers(3, 20)]), size=30)
        sentences.append("".join(letters[:8]) + " " + "".join(letters[8:]) + random.choice([".", "!", "?"]))
    return " ".join(sentences)


def sentence_texts(text: str) -> list[str]:
    return [text[start:end] for start, end in load_finder("marks")(text)]


def distances(text: str) -> np.ndarray:
    vectors = ByLetters().encode(sentence_texts(text))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return 1 - (vectors[:-1] * vectors[1:]).sum(axis=1)


THRESHOLDS = {
    "percentile=70": lambda d: d > np.percentile(d, 70),
    "std=0.5": lambda d: d > d.mean() + 0.5 * d.std(),
    "iqr=0.5": lambda d: d > d.mean() + 0.5 * (np.percentile(d, 75) - np.percentile(d, 25)),
    "gradient=70": lambda d: np.gradient(d) > np.percentile(np.gradient(d), 70),
    "distance=0.3": lambda d: d > 0.3,
    "gradient-abs=0.05": lambda d: np.gradient(d) > 0.05,
}


@pytest.mark.parametrize("rule", THRESHOLDS)
def test_chunks_end_where_the_rule_says(rule):
    text = prose(60)
    chunks = split(text, f"breakpoint:{rule}:sentences=marks", embedder=ByLetters())
    ends = np.cumsum([len(sentence_texts(chunk.text)) for chunk in chunks])[:-1] - 1
    assert 0 < len(ends) < 59
    assert ends.tolist() == np.flatnonzero(THRESHOLDS[rule](distances(text))).tolist()


@pytest.mark.parametrize("rule", THRESHOLDS)
@pytest.mark.parametrize("count", [1, 2])
def test_one_or_two_sentences_are_enough(rule, count):
    chunks = split(prose(count), f"breakpoint:{rule}:sentences=marks", embedder=ByLetters())
    assert 1 <= len(chunks) <= count


def test_sentences_without_a_vector_are_like_nothing():
    text = "aaa. 111. aaa. aaa."
    chunks = split(text, "breakpoint:distance=0.5:sentences=marks", embedder=ByLetters())
    assert [chunk.text for chunk in chunks] == ["aaa.", "111.", "aaa. aaa."]


class Ragged:
    def encode(self, texts):
        return [[1.0] * (1 + place % 2) for place in range(len(texts))]


def test_vectors_of_several_lengths_are_an_error_of_ours():
    with pytest.raises(VectorError, match="expected one row of numbers a text, all of one length"):
        split("A one. B two.", "breakpoint:percentile=50:sentences=marks", embedder=Ragged())


def test_an_embedder_may_be_named():
    text = "The pump is old. Cats sleep all day."
    assert len(split(text, "breakpoint:distance=0.1", embedder="package:all-MiniLM-L6-v2")) == 2


def test_equal_sentences_are_not_apart():
    repeated = " ".join(["Pqr xyz abc."] * 50)
    assert len(split(repeated, "breakpoint:distance=0:sentences=marks", embedder=ByLetters())) == 1
    assert len(split(repeated, "breakpoint:std=0:sentences=marks", embedder=ByLetters())) == 1


VOLCANO = (
    "The volcano threw ash high above its crater. Lava from the volcano burned the forest. "
    "Geologists measured the heat of the volcano's magma."
)
INVOICE = (
    "Invoices are payable within thirty days. Late invoices are charged interest. "
    "The accounting office sends a reminder for each unpaid invoice."
)


@pytest.mark.parametrize("spec", ["breakpoint:percentile=80", "breakpoint:std=1.5", "linkage:clusters=2"])
def test_a_real_model_sees_where_the_subject_changes(minilm, spec):
    chunks = split(f"{VOLCANO} {INVOICE}", spec, embedder=minilm)
    assert [chunk.text for chunk in chunks] == [VOLCANO, INVOICE]


def test_a_real_model_brings_together_what_is_apart(minilm):
    first, *others = VOLCANO.split(". ", 1)
    text = f"{first}. {INVOICE} {others[0]}"
    chunks = split(text, "dbscan:eps=0.6:weight=0", embedder=minilm)
    assert [chunk.text for chunk in chunks] == [f"{first}.\n{others[0]}", INVOICE]
    assert [len(chunk.spans) for chunk in chunks] == [2, 1]


def langchain_chunks(text: str, kind: str, amount: float, buffer: int) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the package says that it is being sunset
        module = pytest.importorskip("langchain_experimental.text_splitter")
    return module.SemanticChunker(
        ByLetters(), buffer_size=buffer, breakpoint_threshold_type=kind, breakpoint_threshold_amount=amount
    ).split_text(text)


@pytest.mark.parametrize("buffer", [0, 1, 2])
@pytest.mark.parametrize(
    ("rule", "kind", "amount"),
    [
        ("percentile=90", "percentile", 90),
        ("std=1.5", "standard_deviation", 1.5),
        ("iqr=1.0", "interquartile", 1.0),
        ("gradient=90", "gradient", 90),
    ],
)
def test_boundaries_are_those_of_langchain(rule, kind, amount, buffer):
    text = prose(200).replace(". ", ".\n\n")
    theirs = langchain_chunks(text, kind, amount, buffer)
    ours = split(text, f"breakpoint:{rule}:buffer={buffer}:sentences=marks", embedder=ByLetters())
    assert [" ".join(sentence_texts(chunk.text)) for chunk in ours] == theirs
    assert len(ours) > 1


class LlamaByLetters(MockEmbedding):
    def _get_text_embedding(self, text: str) -> list[float]:
        return ByLetters().encode([text])[0].tolist()


@pytest.mark.parametrize("buffer", [0, 1, 2])
def test_boundaries_are_those_of_llama_index(buffer):
    text = prose(200)
    spans = load_finder("marks")(text)
    starts = [start for start, _ in spans] + [len(text)]
    parser = SemanticSplitterNodeParser(
        embed_model=LlamaByLetters(embed_dim=26),
        buffer_size=buffer,
        breakpoint_percentile_threshold=90,
        sentence_splitter=lambda text: [text[one:two] for one, two in itertools.pairwise(starts)],
    )
    theirs = [node.get_content().strip() for node in parser.get_nodes_from_documents([Document(text=text)])]
    spec = f"breakpoint:percentile=90:buffer={buffer}:sentences=marks"
    assert [chunk.text for chunk in split(text, spec, embedder=ByLetters())] == theirs


def joint(vectors: np.ndarray, weight: float) -> np.ndarray:
    """Equations 1 to 3, pair by pair."""
    count = len(vectors)
    result = np.zeros((count, count))
    for a in range(count):
        for b in range(count):
            cosine = float(np.nan_to_num(vectors[a]) @ np.nan_to_num(vectors[b]))
            result[a, b] = weight * abs(a - b) / count + (1 - weight) * (1 - max(cosine, 0.0))
    return result


def unit(rows: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


VECTORS = st.lists(
    st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.integers(0, 1)), min_size=1, max_size=24
).map(lambda rows: unit(np.array(rows, dtype=float)))
WEIGHTS = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@given(VECTORS, WEIGHTS)
@settings(max_examples=40)
def test_blocks_hold_the_joint_distances(vectors, weight):
    whole = np.zeros((len(vectors), len(vectors)))
    for first, block in distance_blocks(vectors, weight):
        whole[first : first + len(block), first:] = block * UNIT
    upper = np.triu_indices(len(vectors), 1)
    np.testing.assert_allclose(whole[upper], joint(vectors, weight)[upper], atol=2e-6)


def groups(labels: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


def plain_capped_linkage(vectors: np.ndarray, weight: float, largest: int) -> set[frozenset[int]]:
    distance = np.rint(joint(vectors, weight) / UNIT)
    pairs = sorted((distance[a, b], a, b) for a in range(len(vectors)) for b in range(a + 1, len(vectors)))
    cluster = {place: frozenset([place]) for place in range(len(vectors))}
    for far, a, b in pairs:
        merged = cluster[a] | cluster[b]
        if far * UNIT <= 0.5 and cluster[a] != cluster[b] and len(merged) <= largest:
            cluster |= dict.fromkeys(merged, merged)
    return set(cluster.values())


@pytest.mark.parametrize("most_pairs", [1 << 22, 10])
@given(VECTORS, WEIGHTS, st.integers(1, 8))
def test_linkage_merges_the_nearest_pairs_that_fit(most_pairs, vectors, weight, largest):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linkage, "_MOST_PAIRS", most_pairs)
        found = groups(capped_single_linkage(vectors, weight, largest))
    assert found == plain_capped_linkage(vectors, weight, largest)


def test_linkage_by_place_alone_is_runs_of_sentences():
    text = prose(23)
    by_place = split(text, "linkage:clusters=10:weight=1:sentences=marks", embedder=ByLetters())
    runs = split(text, "sentences:3:0:sentences=marks")
    assert [chunk.spans for chunk in by_place] == [chunk.spans for chunk in runs]


def test_sentences_far_from_each_other_become_one_chunk_that_keeps_both_spans():
    text = "aaa. zzz. zzz. aaa."
    chunks = split(text, "linkage:clusters=2:weight=0:sentences=marks", embedder=ByLetters())
    assert [chunk.text for chunk in chunks] == ["aaa.\naaa.", "zzz. zzz."]
    assert [chunk.spans for chunk in chunks] == [((0, 4), (15, 19)), ((5, 14),)]


@given(VECTORS, WEIGHTS, st.sampled_from([0.1, 0.3, 0.5]), st.integers(1, 4))
def test_dbscan_finds_the_groups_of_scikit_learn(vectors, weight, eps, min_samples):
    distance = np.rint(joint(vectors, weight) / UNIT) * UNIT
    np.fill_diagonal(distance, 0)
    theirs = DBSCAN(eps=eps + UNIT / 2, min_samples=min_samples, metric="precomputed").fit(distance).labels_
    noise = np.flatnonzero(theirs < 0)
    theirs[noise] = 1000 + noise
    assert groups(dense_groups(vectors, weight, eps, min_samples)) == groups(theirs)


def test_a_grid_finds_and_embeds_the_sentences_of_a_document_once():
    documents = {"a": prose(12, seed=1), "b": prose(9, seed=2), "empty": " "}
    counting = ByLetters()
    shared = SharedSentences(counting)
    specs = ["breakpoint:percentile=50", "breakpoint:distance=0.2", "linkage:clusters=3", "dbscan:eps=0.3"]
    by_grid = [split_documents(documents, f"{spec}:sentences=marks", shared) for spec in specs]
    assert len(counting.calls) == 2  # one a document that has sentences
    assert sum(map(len, counting.calls)) == 21
    alone = [split_documents(documents, f"{spec}:sentences=marks", ByLetters()) for spec in specs]
    spans = [[(chunk.source, chunk.spans) for chunk in chunks] for chunks in by_grid]
    assert spans == [[(chunk.source, chunk.spans) for chunk in chunks] for chunks in alone]


def test_documents_prepared_together_cost_one_call():
    documents = {"a": prose(12, seed=1), "b": prose(9, seed=2), "same": prose(9, seed=2)}
    counting = ByLetters()
    shared = SharedSentences(counting)
    shared.prepare(documents.values(), "marks", buffer=1)
    chunks = split_documents(documents, "breakpoint:iqr=0.5:buffer=1:sentences=marks", shared)
    assert [len(call) for call in counting.calls] == [21]
    alone = split_documents(documents, "breakpoint:iqr=0.5:buffer=1:sentences=marks", ByLetters())
    assert [chunk.spans for chunk in chunks] == [chunk.spans for chunk in alone]


@pytest.mark.parametrize("spec", ["breakpoint:std=1", "linkage:clusters=2", "dbscan:eps=0.3"])
def test_without_an_embedder_the_error_says_what_to_give(spec):
    with pytest.raises(MissingSignalError, match=r"needs the vectors of its sentences: give an embedder"):
        split("Text.", spec)


def test_importing_the_semantic_splitters_needs_no_clustering_library(monkeypatch):
    monkeypatch.setitem(importlib.sys.modules, "sklearn", None)
    assert split("A. B.", "linkage:clusters=1:sentences=marks", embedder=ByLetters())
    with pytest.raises(ImportError, match=r"chunkfilter\[topics\]"):
        split("A. B.", "dbscan:eps=0.3", embedder=ByLetters())
