"""``dbscan:eps=EPS:min-samples=COUNT:weight=WEIGHT``: sentences grouped where they are dense.

DBSCAN (Ester et al., 1996) over the joint distance of place and meaning, as in Qu, Tu and Bao, "Is Semantic
Chunking Worth the Computational Cost?" (2024). A sentence that belongs to no group is a chunk of its own.
"""

from types import ModuleType

import numpy as np

from chunkfilter.chunk import Span
from chunkfilter.errors import MissingExtraError
from chunkfilter.signals.embedders import Embedder, FloatArray
from chunkfilter.splitters.sentences import SENTENCES, load_finder
from chunkfilter.splitters.spec import Fields, Number, Spec, Splitter, SplitterKind
from chunkfilter.studies.splitters.groups import UNIT, distance_blocks, group_spans
from chunkfilter.studies.splitters.shared_sentences import sentence_memory
from chunkfilter.text.ragged import IntArray

_FIELDS: Fields = {
    "eps": Number(0.000001, 1, required=True),
    "min-samples": Number(1, 100_000, default=2, whole=True),
    "weight": Number(0, 1, default=0.5),
    "sentences": SENTENCES,
}


def dense_groups(vectors: FloatArray, weight: float, eps: float, min_samples: int) -> IntArray:
    """DBSCAN's clusters of rows; each row in none gets a label of its own.

    Memory grows with the number of pairs at most ``eps`` apart.

    Args:
        vectors: n unit rows, shape (n, d).
        weight: see :func:`distance_blocks`.
        eps: largest distance of neighbours.
        min_samples: neighbours, itself counted, that make a row the core of a group.

    Returns:
        Shape (n,): a label for each row.
    """
    count = len(vectors)
    if not count:
        return np.empty(0, dtype=np.int64)
    most = round(eps / UNIT)
    ones, twos, lengths = [], [], []
    for first, distances in distance_blocks(vectors, weight):
        rows, columns = np.nonzero(np.triu(distances <= most, 1))
        ones.append((rows + first).astype(np.int32))
        twos.append((columns + first).astype(np.int32))
        lengths.append(distances[rows, columns] * UNIT)
    cluster, sparse = _libraries()
    one, two, length = np.concatenate(ones), np.concatenate(twos), np.concatenate(lengths)
    itself = np.arange(count, dtype=np.int32)
    graph = sparse.csr_array(
        (
            np.concatenate([length, length, np.zeros(count)]),
            (np.concatenate([one, two, itself]), np.concatenate([two, one, itself])),
        ),
        shape=(count, count),
    )
    labels: IntArray = cluster.dbscan(
        graph, eps=(most + 0.5) * UNIT, min_samples=min_samples, metric="precomputed"
    )[1].astype(np.int64)
    alone = np.flatnonzero(labels < 0)
    labels[alone] = count + alone
    return labels


def _libraries() -> tuple[ModuleType, ModuleType]:
    try:
        from scipy import sparse
        from sklearn import cluster
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "topics", "splitting by DBSCAN") from error
    return cluster, sparse


def _read(spec: Spec, embedder: Embedder | None) -> Splitter:
    options = spec.options(_FIELDS)
    finder = options["sentences"]
    memory_of = sentence_memory(spec, embedder)
    load_finder(finder)
    _libraries()

    def split_dbscan(text: str, /) -> list[tuple[Span, ...]]:
        memory = memory_of()
        labels = dense_groups(
            memory.vectors(text, finder),
            options["weight"],
            options["eps"],
            options["min-samples"],
        )
        return group_spans(memory.spans(text, finder), labels)

    return split_dbscan


DBSCAN = SplitterKind("dbscan:eps=EPS[:min-samples=COUNT][:weight=WEIGHT]", _read)
