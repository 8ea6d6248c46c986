"""``sentences:SIZE:OVERLAP``, or ``sentences:chunks=COUNT:overlap=OVERLAP`` for COUNT chunks a document.

The fixed-size chunker of Qu, Tu and Bao, "Is Semantic Chunking Worth the Computational Cost?" (2024): runs of
sentences, each of which begins with the last OVERLAP sentences of the run before.
"""

from itertools import pairwise

import numpy as np

from chunkfilter.chunk import Span
from chunkfilter.signals.embedders import Embedder
from chunkfilter.splitters.groups import run_spans
from chunkfilter.splitters.sentence_finders import SENTENCES, load_finder
from chunkfilter.splitters.shared_sentences import SharedSentences, sentences_of
from chunkfilter.splitters.spec import Choice, Number, Spec, Splitter, SplitterKind

MOST_SENTENCES = 100_000
FIELDS: dict[str, Number | Choice] = {
    "size": Number(1, MOST_SENTENCES, whole=True),
    "overlap": Number(0, MOST_SENTENCES, default=0, whole=True),
    "chunks": Number(1, MOST_SENTENCES, whole=True),
    "sentences": SENTENCES,
}


def runs_of_size(count: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """Runs of ``size`` of ``count`` sentences, each ``overlap`` into the one before."""
    return [
        (first, min(first + size, count))
        for first in range(0, max(count - overlap, min(count, 1)), size - overlap)
    ]


def runs_in_number(count: int, chunks: int, overlap: int) -> list[tuple[int, int]]:
    """``count`` sentences in ``chunks`` runs, sizes differing by at most one before the overlap is added."""
    bounds = np.linspace(0, count, min(chunks, count) + 1).astype(np.int64).tolist() if count else [0]
    return [(max(first - overlap, 0), end) for first, end in pairwise(bounds)]


def _read(spec: Spec, embedder: Embedder | None) -> Splitter:
    options = spec.options(FIELDS, positional=("size", "overlap"))
    kind = spec.only_one(options, ("size", "chunks"))
    amount, overlap = options.whole(kind), options.whole("overlap")
    if kind == "size" and overlap >= amount:
        raise spec.error(f"overlap is '{overlap}'; expected a whole number from 0 to {amount - 1}")
    finder = options.choices["sentences"]
    load_finder(finder)
    runs = {"size": runs_of_size, "chunks": runs_in_number}[kind]

    def split_sentences(text: str, /) -> list[tuple[Span, ...]]:
        sentences = (sentences_of(embedder) or SharedSentences(None)).spans(text, finder)
        return run_spans(sentences, runs(len(sentences), amount, overlap))

    return split_sentences


SENTENCE_RUNS = SplitterKind("sentences:SIZE[:OVERLAP] or sentences:chunks=COUNT[:overlap=OVERLAP]", _read)
