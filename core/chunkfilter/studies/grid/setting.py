"""One splitter on one fold: chunks, and what each policy makes of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkfilter.evaluate.collection import Collection, Settings
from chunkfilter.evaluate.metrics import Measures, measure
from chunkfilter.evaluate.questions import Dataset
from chunkfilter.evaluate.scores import found_by
from chunkfilter.evaluate.variants import Filters, Variant, baseline
from chunkfilter.policy import Policy
from chunkfilter.signals.embedders import Embedder
from chunkfilter.splitters import split_documents
from chunkfilter.studies.grid.cost import Clock, Cost, EmbeddingClock, MeteredSentences

#: Measures that a grid takes.
MEASURES = ("document", "evidence")


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """One splitter and policy on one fold.

    Args:
        chunks: number of chunks.
        kept: chunks that the policy keeps.
        cost: what it took.
        values: measures, each of shape (questions of the fold,).
    """

    chunks: int
    kept: int
    cost: Cost
    values: Measures


@dataclass(frozen=True, slots=True)
class Instruments:
    """What settings of one embedder are measured with.

    Args:
        embedder: from the cache where it can be.
        sentences: what splitters of the fold share.
        embedding: says what embedding takes.
        clock: says the time.
        entities: for policies that read entities.
        depths: numbers of chunks at which measures are taken.
    """

    embedder: Embedder
    sentences: MeteredSentences
    embedding: EmbeddingClock
    clock: Clock
    entities: Any
    depths: tuple[int, ...]


def measure_setting(
    fold: Dataset, spec: str, policies: Sequence[Policy], tools: Instruments
) -> Iterator[Measured]:
    """Cut the documents of a fold, and measure each policy on the chunks, then the baseline.

    The baseline is no filter, exact copies merged in the lists that a search returns.

    Args:
        fold: documents and their questions.
        spec: the splitter.
        policies: what is kept.
        tools: what to measure with.
    """
    tools.sentences.reset()
    before = tools.clock()
    chunks = split_documents(fold.documents, spec, tools.sentences)
    splitting = tools.clock() - before - tools.sentences.spent + tools.sentences.finding_seconds
    texts = tools.sentences.texts
    for_splitting = tools.embedding.seconds(texts)
    settings = Settings(max(tools.depths), (1,), ("word",), MEASURES, tools.depths)
    data = Collection.embedded(chunks, list(fold.questions), settings, tools.embedder)
    filters = Filters(data, tools.embedder, tools.entities)
    for policy in policies:
        before = tools.clock()
        variant = filters.variant(policy)
        filter_took = tools.clock() - before
        kept = variant.draws[0]
        for_index = tools.embedding.seconds([data.texts[at] for at in np.flatnonzero(kept).tolist()])
        yield Measured(
            len(chunks),
            int(kept.sum()),
            Cost(splitting, for_splitting, for_index, filter_took, len(texts), int(kept.sum())),
            _values(data, variant),
        )
    cost = Cost(splitting, for_splitting, tools.embedding.seconds(data.texts), 0.0, len(texts))
    yield Measured(len(chunks), len(chunks), cost, _values(data, baseline(data)))


def _values(data: Collection, variant: Variant) -> Measures:
    return measure(data, found_by(data, variant)[0], MEASURES)


def joined(parts: Sequence[Measured]) -> Measures:
    """The values of the folds, one behind the other."""
    return {name: np.concatenate([part.values[name] for part in parts]) for name in parts[0].values}
