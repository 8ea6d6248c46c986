"""``breakpoint:RULE=AMOUNT``: a chunk ends where the next sentence is about something else.

d is the cosine distance between neighbouring sentences, g its gradient (second-order accurate). A chunk ends
where, strictly,

- ``percentile=P``: d is above its P-th percentile;
- ``std=A``: d is above its mean plus A standard deviations;
- ``iqr=A``: d is above its mean plus A interquartile ranges;
- ``gradient=P``: g is above its P-th percentile;
- ``distance=D``: d is above D;
- ``gradient-abs=G``: g is above G.

The first four are those of Kamradt's notebook and LangChain's SemanticChunker; all six are the
breakpoint-based chunkers of Qu, Tu and Bao, "Is Semantic Chunking Worth the Computational Cost?" (2024). With
``buffer=N``, a sentence is embedded together with N neighbours on either side, as LangChain and LlamaIndex do
(there N = 1).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chunkfilter.chunk import Span
from chunkfilter.signals.embedders import Embedder, FloatArray
from chunkfilter.splitters.sentences import SENTENCES, load_finder, run_spans
from chunkfilter.splitters.spec import Fields, Number, Spec, Splitter, SplitterKind
from chunkfilter.studies.splitters.shared_sentences import sentence_memory
from chunkfilter.text.ragged import IntArray

_Reals = NDArray[np.float64]

#: Values this close to a threshold are equal to it but for rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class _Rule:
    """What is compared with which threshold, given the distances of neighbours and the spec's amount."""

    amount: Number
    compared: Callable[[_Reals], _Reals]
    threshold: Callable[[_Reals, float], float]


def _itself(distances: _Reals) -> _Reals:
    return distances


def _gradient(distances: _Reals) -> _Reals:
    return np.gradient(distances) if len(distances) > 1 else np.zeros(len(distances))


def _percentile(values: _Reals, percent: float) -> float:
    return float(np.percentile(values, percent))


def _deviations(values: _Reals, count: float) -> float:
    return float(values.mean() + count * values.std())


def _interquartile(values: _Reals, count: float) -> float:
    lower, upper = np.percentile(values, [25, 75])
    return float(values.mean() + count * (upper - lower))


def _as_given(_values: _Reals, amount: float) -> float:
    return amount


#: Every rule by its key in the spec.
RULES: dict[str, _Rule] = {
    "percentile": _Rule(Number(0, 100), _itself, _percentile),
    "std": _Rule(Number(0, 100), _itself, _deviations),
    "iqr": _Rule(Number(0, 100), _itself, _interquartile),
    "gradient": _Rule(Number(0, 100), _gradient, _percentile),
    "distance": _Rule(Number(0, 2), _itself, _as_given),
    "gradient-abs": _Rule(Number(0, 2), _gradient, _as_given),
}
_FIELDS: Fields = {
    **{key: rule.amount for key, rule in RULES.items()},
    "buffer": Number(0, 10, default=0, whole=True),
    "sentences": SENTENCES,
}


def neighbour_distances(vectors: FloatArray) -> _Reals:
    """Cosine distances between neighbouring rows.

    Args:
        vectors: n unit rows; a NaN row is like nothing, its distances are 1.

    Returns:
        Shape (n - 1,), from 0 to 2; empty for fewer than two rows.
    """
    rows = np.nan_to_num(vectors).astype(np.float64)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 0.5)  # equal sentences are exactly alike
    distances: _Reals = 1.0 - np.einsum("ij,ij->i", rows[:-1], rows[1:])
    return distances


def breaks(distances: _Reals, rule: str, amount: float) -> IntArray:
    """Places after which a chunk ends.

    Args:
        distances: between neighbouring sentences.
        rule: a key of ``RULES``.
        amount: what the rule asks for.
    """
    if not len(distances):
        return np.empty(0, dtype=np.int64)
    compared = RULES[rule].compared(distances)
    threshold = RULES[rule].threshold(compared, amount)
    return np.flatnonzero(compared > threshold + _ROUNDING)


def runs_between(breaks: IntArray, count: int) -> list[tuple[int, int]]:
    """The runs ``(first, end)`` of ``count`` sentences that end after each of the places in ``breaks``."""
    if not count:
        return []
    bounds = np.unique(np.concatenate([[0], breaks + 1, [count]])).tolist()
    return list(pairwise(bounds))


def _read(spec: Spec, embedder: Embedder | None) -> Splitter:
    options = spec.options(_FIELDS)
    rule = spec.only_one(options, tuple(RULES))
    finder, buffer = options["sentences"], options["buffer"]
    memory_of = sentence_memory(spec, embedder)
    load_finder(finder)

    def split_breakpoints(text: str, /) -> list[tuple[Span, ...]]:
        memory = memory_of()
        sentences = memory.spans(text, finder)
        distances = neighbour_distances(memory.vectors(text, finder, buffer))
        return run_spans(sentences, runs_between(breaks(distances, rule, options[rule]), len(sentences)))

    return split_breakpoints


BREAKPOINT = SplitterKind(f"breakpoint:{'|'.join(RULES)}=AMOUNT[:buffer=COUNT]", _read)
