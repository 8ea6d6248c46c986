"""Questions asked of a store that exists: its own retrieval now, and what each policy would do to it.

Nothing is written. Filtering is virtual: the store's own index is asked for more than is needed, and what a
policy would remove is left out; the same is done with an exact search over the stored vectors, so that the
index's error and the filter's effect can be told apart.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkfilter.errors import InputError, StoreError
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.evaluate.collection import Collection, usual_settings
from chunkfilter.evaluate.compare import checked_questions, compared
from chunkfilter.evaluate.comparison import Comparison
from chunkfilter.evaluate.questions import Question
from chunkfilter.evaluate.sample import Corpora
from chunkfilter.evaluate.search import Search
from chunkfilter.evaluate.stored_search import Stored, StoreSearch, exact_by_distance
from chunkfilter.evaluate.sweep import expanded
from chunkfilter.evaluate.variants import Filters
from chunkfilter.policy import Policy
from chunkfilter.signals.embedders import Embedder, FloatArray, as_embedder, embedder_label, encode_queries
from chunkfilter.signals.vectors import embed_distinct, unit_rows
from chunkfilter.stores import ReadableStore
from chunkfilter.stores.snapshot import Snapshot, read_snapshot

#: Stored texts embedded again to see whether a model is the one that made the vectors.
_SAMPLE = 32
#: Least cosine between a stored vector and the same text embedded again, and the share that must reach it.
_SAME, _AGREEING = 0.99, 0.9
#: Scores this near are equal.
_ROUNDING = 1e-5
#: Examples named when a model is refused.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class StoredComparison:
    """Policies side by side on a store, by its own index and by exact search.

    Args:
        store: the store's address.
        index: its index.
        rows: its rows.
        without_text: rows that hold no text: retrieved by nobody here, kept by every policy.
        own: through the store's own index.
        exact: by exact search over the stored vectors, under the same distance.
        agreement: mean share of the exact top k that the index finds, equal scores counting alike.
        completed: lists that the index gave up on and exact search completed, of all that were asked for.
        sample_cosine: median cosine between stored vectors and the same texts embedded again.
    """

    store: str
    index: str
    rows: int
    without_text: int
    own: Comparison
    exact: Comparison
    agreement: float
    completed: int
    sample_cosine: float

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        plain = {name: getattr(self, name) for name in StoredComparison.__dataclass_fields__}
        return {**plain, "own": self.own.as_dict(), "exact": self.exact.as_dict()}


def evaluate_store(
    store: ReadableStore,
    questions: Iterable[Question],
    policies: Sequence[str | Policy] = ("none", "exact", "coverage"),
    *,
    embedder: Any = None,
    k: int = 5,
    budgets: Sequence[int] = (500, 1000, 2000),
    margin: float = 0.01,
    tokens: Sequence[str] = ("word",),
    seeds: int = 20,
    source_key: str | None = None,
    seed: int = 0,
    show_progress: bool = False,
) -> StoredComparison:
    """Measure a store's retrieval, and what policies would do to it; nothing is written.

    Args:
        store: the store.
        questions: q questions; references count as their text, whatever the store calls its documents.
        policies: what is compared, sweeps too (``similarity@0.6..0.95/0.05``); one that reads vectors reads
            those of the store.
        embedder: the model that made the stored vectors; ``None`` for the one that the store names.
        k: chunks retrieved.
        budgets: numbers of paid tokens at which recall is measured.
        margin: the largest loss that verdicts accept.
        tokens: ``word``, ``lemma`` or both.
        seeds: draws of each random variant.
        source_key: the metadata key that names a row's document; ``None`` for the usual ones.
        seed: of the bootstrap.
        show_progress: show a bar on stderr while texts are embedded.

    Raises:
        StoreError: the store cannot be read, holds no text, or its vectors are not this model's; the message
            has the evidence.
        InputError: no questions, no embedder, or a value out of bounds.
        PolicyError: a policy does not parse.
    """
    settings, parsed = usual_settings(k, budgets, tokens), expanded(policies)
    asked, model = checked_questions(questions), _model(store, embedder)
    encoder = cached_embedder(model, show_progress=show_progress)
    snapshot, vectors = _read(store, parsed, source_key)
    cosine = check_model(store.address, snapshot, vectors, encoder)
    queries = np.asarray(encode_queries(model, [one.text for one in asked]), dtype=np.float32)
    stored, directions = Stored(store, snapshot.ids, vectors, queries), unit_rows(queries)
    own_search, exact_search = StoreSearch(stored), exact_by_distance(stored)
    data = Collection(
        snapshot.chunks, asked, settings, unit_rows(vectors), directions, lambda _, /: own_search
    )
    filters = Filters(data, encoder, show_progress=show_progress)
    variants = [filters.variant(policy, seeds) for policy in parsed]
    corpora, label = Corpora.of(data.chunks, asked), embedder_label(encoder)
    own, exact = (
        compared(searched, variants, corpora, margin=margin, seed=seed, embedder=label)
        for searched in (data, data.searched_by(lambda _, /: exact_search))
    )
    return StoredComparison(
        store.address,
        str(store.index),
        len(snapshot.digests),
        len(snapshot.digests) - len(snapshot.chunks),
        own,
        exact,
        _agreement(own_search, exact_search, directions, k),
        own_search.completed,
        cosine,
    )


def _model(store: ReadableStore, embedder: Any) -> Embedder:
    name = embedder or store.embedder
    if name is None:
        raise InputError(
            f"{store.address}: does not name its model; name it (on the command line: --embedder)"
        )
    return as_embedder(name)


def _read(
    store: ReadableStore, policies: Sequence[Policy], source_key: str | None
) -> tuple[Snapshot, FloatArray]:
    snapshot = read_snapshot(store, policies, source_key, vectors=True)
    if snapshot.vectors is None or not snapshot.chunks:
        raise StoreError(f"{store.address}: holds no row with a text")
    return snapshot, snapshot.vectors


def check_model(address: str, snapshot: Snapshot, vectors: FloatArray, embedder: Embedder) -> float:
    """Embed a sample of the stored texts again and compare.

    Args:
        address: how the store is called.
        snapshot: what the store holds, at least one row.
        vectors: of its chunks, shape (n, d).
        embedder: the model that is said to have made them.

    Returns:
        The median cosine.

    Raises:
        StoreError: another number of dimensions, or vectors that differ; both are shown.
    """
    places = np.unique(np.linspace(0, len(snapshot.chunks) - 1, _SAMPLE).astype(np.int64))
    again = embed_distinct([snapshot.chunks[place].text for place in places], embedder)
    stored = unit_rows(vectors[places])
    if again.shape[1] != stored.shape[1]:
        raise StoreError(
            f"{address}: its vectors have {stored.shape[1]} dimensions, those of {embedder_label(embedder)} "
            f"{again.shape[1]}; name the model that made them"
        )
    cosines = np.einsum("ij,ij->i", again.astype(np.float64), stored.astype(np.float64))
    comparable = cosines[np.isfinite(cosines)]
    if not len(comparable) or (comparable >= _SAME).mean() < _AGREEING:
        worst = np.argsort(np.where(np.isfinite(cosines), cosines, np.inf))[:_NAMED]
        shown = ", ".join(f"{snapshot.ids[places[row]]!r} {cosines[row]:.3f}" for row in worst)
        raise StoreError(
            f"{address}: its vectors are not those of {embedder_label(embedder)}: of {len(places)} stored "
            f"texts embedded again {int((comparable >= _SAME).sum())} have a cosine of at least {_SAME} with "
            f"what is stored (for example {shown}); name the model that made them, and its prefix for texts "
            "if it has one"
        )
    return float(np.median(comparable))


def _agreement(own: Search, exact: Search, queries: FloatArray, k: int) -> float:
    """Share of what the index finds that is as near as the exact k-th; copies count alike."""
    found, best = own(queries, k)[1], exact(queries, k)[1]
    if not best.size:
        return 1.0
    last = best[:, -1:]
    return float((found >= last - _ROUNDING * np.maximum(np.abs(last), 1)).mean())
