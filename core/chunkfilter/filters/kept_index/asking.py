"""New chunks with what is needed to look for them: signals, and the keys of the policy's rules."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk, as_chunks
from chunkfilter.errors import MissingSignalError
from chunkfilter.filters.batch import Batch, Given
from chunkfilter.filters.kept_index.keys import KeyRows, keys_of
from chunkfilter.filters.kept_index.vectors import as_matrix
from chunkfilter.policy import Policy, Term
from chunkfilter.signals.embedders import Embedder, FloatArray, Named
from chunkfilter.signals.entities import entity_sets


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """New chunks with their signals and keys.

    Args:
        chunks: n chunks.
        batch: the same, for what rules compute from texts.
        vectors: shape (n, d), NaN for missing ones; ``None`` if the policy reads none.
        entities: n sets; ``None`` if the policy reads none.
        keys: for each term that finds pairs, its kinds of keys.
        embedder: what computes vectors and knows how much of a text it reads, if one was given.
    """

    chunks: list[Chunk]
    batch: Batch
    vectors: FloatArray | None
    entities: list[frozenset[Hashable]] | None
    keys: list[tuple[Term, list[KeyRows]]]
    embedder: Embedder | None

    @property
    def model(self) -> str | None:
        """Name of the embedder, if it has one."""
        return None if self.embedder is None or not isinstance(self.embedder, Named) else self.embedder.name

    @property
    def has_vectors(self) -> bool:
        """Whether any chunk has a vector."""
        return self.vectors is not None and not bool(np.isnan(self.vectors).all())


def asked(
    given: Iterable[Chunk | str],
    policy: Policy,
    terms: Sequence[Term],
    vectors: Any,
    embedder: Embedder | None,
    entities: Any,
) -> Asked:
    """Compute what a look-up needs.

    Raises:
        MissingSignalError: the policy needs a signal that was not given.
        VectorError: the vectors do not fit the chunks.
        InputError: the chunks or entities are none.
    """
    chunks = as_chunks(given)
    texts, count = [chunk.text for chunk in chunks], len(chunks)
    scopes = np.zeros(count, dtype=np.int64)
    batch = Batch(chunks, [], np.arange(count), scopes, policy, Given(embedder=embedder))
    rules = [term.syntax for stage in policy.stages for term in stage.terms]
    vectors = _vectors(texts, policy, vectors, embedder) if any(rule.vectors for rule in rules) else None
    found = _entities(texts, policy, entities) if any(rule.entities for rule in rules) else None
    keys = [(term, keys_of(batch, term, found)) for term in terms]
    return Asked(chunks, batch, vectors, found, keys, embedder)


def _vectors(texts: list[str], policy: Policy, vectors: Any, embedder: Embedder | None) -> FloatArray:
    if vectors is not None:
        return as_matrix(vectors, len(texts))
    if embedder is None:
        raise MissingSignalError(f"policy '{policy}' needs vectors: pass vectors= or embedder=")
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    matrix = as_matrix(embedder.encode(list(places)) if places else [], len(places))
    return matrix[[places[text] for text in texts]]


def _entities(texts: list[str], policy: Policy, entities: Any) -> list[frozenset[Hashable]]:
    if entities is None:
        raise MissingSignalError(
            f"policy '{policy}' needs entities: pass entities=, a set a chunk or a model"
        )
    return entity_sets(entities, texts)
