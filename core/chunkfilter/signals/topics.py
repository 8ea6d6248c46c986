"""Topics: one number a chunk, from clusters of vectors or from words."""

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chunkfilter.errors import InputError, MissingExtraError
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.text.ragged import IntArray

_SEED = 0
_MOST = 100


def topic_numbers(given: Any, texts: Sequence[str], vectors: Callable[[], FloatArray]) -> IntArray:
    """Number of the topic of each chunk, shape (n,); -1 for chunks without one.

    Args:
        given: n labels of any hashable kind (``None`` for none), the name of a method (``kmeans``, ``lda``,
            ``bertopic``), or ``None`` for ``kmeans``.
        texts: n texts.
        vectors: gives unit vectors, shape (n, d), NaN for what cannot be compared; only called if needed.

    Raises:
        InputError: an unknown method, or not one label a chunk.
        MissingExtraError: the method's library is not installed.
    """
    if given is None or isinstance(given, str):
        method = METHODS.get(given or "kmeans")
        if method is None:
            raise InputError(f"topics: got {given!r}; expected labels or {', '.join(sorted(METHODS))}")
        return method(texts, vectors)
    try:
        labels = list(given)
        numbers: dict[Any, int] = {}
        result = [-1 if label is None else numbers.setdefault(label, len(numbers)) for label in labels]
    except TypeError:
        raise InputError(f"topics: got {given!r:.200}; expected one hashable label a chunk") from None
    if len(result) != len(texts):
        raise InputError(f"topics: {len(result)} labels for {len(texts)} chunks; expected one a chunk")
    return np.array(result, dtype=np.int64)


def topic_count(chunks: int) -> int:
    """How many topics to look for: the square root of half the chunks, from 1 to 100."""
    return int(np.clip(round((chunks / 2) ** 0.5), 1, _MOST))


def kmeans_topics(_texts: Sequence[str], vectors: Callable[[], FloatArray]) -> IntArray:
    """Clusters of the vectors: k-means with a fixed seed, on one thread, so that sums are added alike."""
    cluster, threads = _libraries("scikit-learn", "topics", "sklearn.cluster", "threadpoolctl")
    matrix = vectors()
    comparable = np.flatnonzero(~np.isnan(matrix).any(axis=1)) if matrix.size else np.empty(0, np.int64)
    topics = np.full(len(matrix), -1, dtype=np.int64)
    if len(comparable):
        distinct = len(np.unique(matrix[comparable], axis=0))
        model = cluster.KMeans(
            min(topic_count(len(comparable)), distinct), random_state=_SEED, n_init=1, max_iter=50
        )
        with threads.threadpool_limits(1):
            topics[comparable] = model.fit_predict(matrix[comparable])
    return topics


def lda_topics(texts: Sequence[str], _vectors: Callable[[], FloatArray]) -> IntArray:
    """The heaviest topic of a latent Dirichlet allocation (Blei, Ng and Jordan, 2003) with a fixed seed."""
    decomposition, extraction, threads = _libraries(
        "scikit-learn", "topics", "sklearn.decomposition", "sklearn.feature_extraction.text", "threadpoolctl"
    )
    topics = np.full(len(texts), -1, dtype=np.int64)
    try:
        counts = extraction.CountVectorizer().fit_transform(texts)
    except ValueError:  # no text holds a word
        return topics
    filled = np.flatnonzero(np.asarray(counts.sum(axis=1)).reshape(-1) > 0)
    model = decomposition.LatentDirichletAllocation(topic_count(len(filled)), random_state=_SEED)
    with threads.threadpool_limits(1):
        topics[filled] = model.fit_transform(counts[filled]).argmax(axis=1)
    return topics


def bertopic_topics(texts: Sequence[str], vectors: Callable[[], FloatArray]) -> IntArray:
    """Topics of BERTopic (Grootendorst, 2022) over the given vectors; its outliers have no topic."""
    bertopic, umap = _libraries("bertopic", "bertopic", "bertopic", "umap")
    matrix = vectors()
    comparable = np.flatnonzero(~np.isnan(matrix).any(axis=1))
    topics = np.full(len(matrix), -1, dtype=np.int64)
    reducer = umap.UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=_SEED)
    model = bertopic.BERTopic(umap_model=reducer, calculate_probabilities=False)
    chosen = [texts[row] for row in comparable.tolist()]
    topics[comparable], _ = model.fit_transform(chosen, matrix[comparable])
    return topics


def _libraries(package: str, extra: str, *modules: str) -> list[Any]:
    try:
        return [importlib.import_module(module) for module in modules]
    except ImportError as error:
        raise MissingExtraError(package, extra, "the rule 'topics'") from error


#: How topics are found, by name.
METHODS: dict[str, Callable[[Sequence[str], Callable[[], FloatArray]], IntArray]] = {
    "kmeans": kmeans_topics,
    "lda": lda_topics,
    "bertopic": bertopic_topics,
}
