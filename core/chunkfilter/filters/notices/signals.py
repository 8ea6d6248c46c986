"""Signals that look broken: a rule that reads them removes nothing, or everything."""

import numpy as np

from chunkfilter.filters.notices.facts import SAMPLES, Facts, listed

#: Unit vectors closer than this in every coordinate are one vector.
_EQUAL = 1e-6
#: Below, one topic, one vector or no entity may be the truth.
_FEW = 10
#: Share of the chunks from which on a topic holds nearly all.
_NEARLY_ALL = 0.9


def vectors_not_comparable(facts: Facts) -> str | None:
    """Vectors that are missing, zero or not finite."""
    if not facts.batch.computed("vectors") or not len(facts.batch):
        return None
    odd = np.flatnonzero(np.isnan(facts.batch.vectors).any(axis=1))
    if not len(odd):
        return None
    return (
        f"{len(odd)} chunks are not comparable: their vectors are missing, zero or not finite; they never go "
        f"on vectors: {_named(facts, odd)}"
    )


def vectors_all_equal(facts: Facts) -> str | None:
    """One vector for texts that differ."""
    if not facts.batch.computed("vectors"):
        return None
    vectors = facts.batch.vectors
    rows = np.flatnonzero(~np.isnan(vectors).any(axis=1)) if len(vectors) else np.empty(0, np.int64)
    if len(rows) < SAMPLES or not (np.abs(vectors[rows] - vectors[rows[0]]) <= _EQUAL).all():
        return None
    texts = len({facts.batch.texts[row] for row in rows.tolist()})
    if texts < SAMPLES:
        return None
    return (
        f"all {len(rows)} vectors are equal, of {texts} different texts: {_named(facts, rows)}; "
        "look whether the embedder is broken"
    )


def one_topic(facts: Facts) -> str | None:
    """A topic that holds nearly all chunks adds nothing to a rule."""
    if not facts.batch.computed("topics") or len(facts.batch) < _FEW:
        return None
    topics = facts.batch.topics
    labels, counts = np.unique(topics[topics >= 0], return_counts=True)
    if not len(labels) or counts.max() <= _NEARLY_ALL * len(topics):
        return None
    rows = np.flatnonzero(topics == labels[counts.argmax()])
    return (
        f"one topic holds {len(rows)} of {len(topics)} chunks and tells nothing apart: {_named(facts, rows)}"
    )


def nothing_recognised(facts: Facts) -> str | None:
    """No entity in any chunk."""
    if not facts.batch.computed("entities") or len(facts.batch.entities.values):
        return None
    if len(set(facts.batch.texts)) < SAMPLES:
        return None
    return (
        f"no entity was found in any of {len(facts.batch)} chunks, for example "
        f"{_named(facts, np.arange(SAMPLES))}; look whether the entity model is broken or of another language"
    )


def _named(facts: Facts, rows: np.ndarray) -> str:
    return listed(facts.named(position) for position in facts.positions(rows[:SAMPLES].tolist()))
