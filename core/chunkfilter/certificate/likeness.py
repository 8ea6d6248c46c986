"""The rules that read vectors, topics and entities, by their definitions, one pair at a time."""

import math
from collections.abc import Callable

import numpy as np

from chunkfilter.certificate.evidence import Evidence, Run
from chunkfilter.errors import MissingSignalError
from chunkfilter.policy import Term
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.signals.entities import entity_sets
from chunkfilter.signals.topics import topic_numbers
from chunkfilter.signals.vectors import checked_vectors, embed_distinct

Score = Callable[[Term, Evidence], float]
Entities = frozenset[object]

#: How far the cosine of the same texts, embedded once more in other batches, may be off.
_TOLERANCE = 1e-5


def similarity_check(run: Run) -> Score:
    """Prepare a check: the cosine of two vectors, NaN below the threshold."""
    vectors = _vectors(run, "similarity")

    def score(term: Term, evidence: Evidence) -> float:
        if len(evidence.keeper_places) != 1 or term.value is None:
            return math.nan
        left = vectors[evidence.place].astype(np.float64)
        right = vectors[evidence.keeper_places[0]].astype(np.float64)
        lengths = math.sqrt((left @ left) * (right @ right))
        cosine = min(float(left @ right) / lengths, 1.0) if lengths > 0 else math.nan
        return cosine if cosine >= term.value - _TOLERANCE else math.nan

    return score


def topics_check(run: Run) -> Score:
    """Prepare a check: infinity for two chunks of one topic."""
    if run.signals.topics is None:
        _vectors(run, "topics")  # without labels topics are found in the vectors
    topics = topic_numbers(run.signals.topics, _texts(run), lambda: _vectors(run, "topics"))

    def score(term: Term, evidence: Evidence) -> float:
        del term
        if len(evidence.keeper_places) != 1:
            return math.nan
        one, other = topics[evidence.place], topics[evidence.keeper_places[0]]
        return math.inf if one == other >= 0 else math.nan

    return score


def ner_check(run: Run) -> Score:
    """Prepare a check: infinity for two chunks with an entity in common."""
    return _entity_check(run, "ner", lambda removed, kept, _term: math.inf if removed & kept else math.nan)


def ner_exact_check(run: Run) -> Score:
    """Prepare a check: 1 for equal sets of entities, two empty ones only in the published variant."""

    def score(removed: Entities, kept: Entities, term: Term) -> float:
        return 1.0 if removed == kept and (removed or term.paper) else math.nan

    return _entity_check(run, "ner-exact", score)


def ner_half_check(run: Run) -> Score:
    """Prepare a check: the share of the removed chunk's entities that its keeper has too."""

    def score(removed: Entities, kept: Entities, term: Term) -> float:
        share = len(removed & kept) / max(len(removed), 1)
        return share if share > 0 and share >= (term.value or 0.0) else math.nan

    return _entity_check(run, "ner-half", score)


def _entity_check(run: Run, rule: str, of_sets: Callable[[Entities, Entities, Term], float]) -> Score:
    if run.signals.entities is None:
        raise MissingSignalError(f"rule {rule!r} was not checked: pass entities= of the run")
    sets = entity_sets(run.signals.entities, _texts(run))

    def score(term: Term, evidence: Evidence) -> float:
        if len(evidence.keeper_places) != 1:
            return math.nan
        return of_sets(sets[evidence.place], sets[evidence.keeper_places[0]], term)

    return score


def _vectors(run: Run, rule: str) -> FloatArray:
    signals = run.signals
    if signals.vectors is not None:
        return checked_vectors(signals.vectors, run.chunks)
    if signals.embedder is None:
        raise MissingSignalError(f"rule {rule!r} was not checked: pass vectors= or embedder= of the run")
    return embed_distinct(_texts(run), signals.embedder)


def _texts(run: Run) -> list[str]:
    return [chunk.text for chunk in run.chunks]
