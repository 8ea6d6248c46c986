"""``cluster:SIZE``: neighbouring pieces of 50 cl100k tokens joined while they are about the same thing.

The ClusterSemanticChunker of Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (Chroma,
2024): recursive pieces, their vectors, and the division that :func:`best_segments` describes.
"""

import numpy as np

from chunkfilter.chunk import Span
from chunkfilter.errors import MissingSignalError
from chunkfilter.signals.embedders import Embedder
from chunkfilter.signals.vectors import embed_distinct
from chunkfilter.splitters.recursive import recursion, token_spans
from chunkfilter.splitters.segments import best_segments
from chunkfilter.splitters.spec import Spec, Splitter, SplitterKind
from chunkfilter.splitters.tokens import cl100k

PIECE_TOKENS = 50
#: 200 pieces a chunk: the gain of every possible chunk is held in memory at once.
LARGEST_SIZE = 10_000


def _read(spec: Spec, embedder: Embedder | None) -> Splitter:
    size = spec.whole_number(0, PIECE_TOKENS, LARGEST_SIZE)
    if embedder is None:
        raise MissingSignalError(
            f"splitter {spec.text!r} needs the vectors of its pieces: give an embedder, "
            "any object with a method encode(texts)"
        )
    recursion()
    cl100k()

    def split_clusters(text: str, /) -> list[tuple[Span, ...]]:
        pieces = token_spans(text, PIECE_TOKENS, 0)
        vectors = embed_distinct([text[start:end] for start, end in pieces], embedder)
        alike = np.nan_to_num(vectors)  # a piece without a vector is like nothing
        return [
            ((pieces[first][0], pieces[end - 1][1]),)
            for first, end in best_segments(alike, size // PIECE_TOKENS)
        ]

    return split_clusters


CLUSTER = SplitterKind("cluster:SIZE", _read)
