"""Measure the rows of the study's tables and figures that are not on disk yet."""

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chunkfilter.errors import DatasetError, MissingSignalError
from chunkfilter.evaluate.collection import Collection, Settings
from chunkfilter.evaluate.datasets import load_dataset
from chunkfilter.evaluate.entity_cache import cached_entities
from chunkfilter.evaluate.questions import Dataset
from chunkfilter.evaluate.rows import make_rows
from chunkfilter.evaluate.sample import Corpora
from chunkfilter.evaluate.scores import Unfiltered, score
from chunkfilter.evaluate.variants import Filters
from chunkfilter.policy import ALGORITHM_VERSION, Policy
from chunkfilter.signals.embedders import Embedder, embedder_label
from chunkfilter.signals.entities import EntityFinder
from chunkfilter.splitters import split_documents
from chunkfilter.studies.paper.corpora import Corpus, entity_model
from chunkfilter.studies.paper.finished import FinishedRows
from chunkfilter.studies.paper.plan import CUTS, METHODS, Cut, Method, swept_methods

#: The retrieval that reproduces the published rows without a filter.
_SETTINGS = Settings(k=5, tokens=("word",))
_MARGIN = 0.01


@dataclass(frozen=True, slots=True)
class Options:
    """What a run is about.

    Args:
        specs: splitters; those of the study by default.
        embedder: ranks the chunks; the study's is all-MiniLM-L6-v2.
        entities: the model that finds entities in English texts; ``None`` leaves out what reads them.
        topics: how topics are found, ``None`` for k-means.
        seeds: draws of each random row.
        limit: the first questions only, this many.
        figures: measure the thresholds of the figures too.
        show_progress: show a bar on stderr while entities are found.
    """

    embedder: Embedder
    specs: tuple[str, ...] = tuple(cut.spec for cut in CUTS)
    entities: str | None = "package:en_core_web_sm"
    topics: str | None = None
    seeds: int = 5
    limit: int | None = None
    figures: bool = True
    show_progress: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table or a point of a figure.

    Args:
        corpus: where it was measured.
        cut: the splitter.
        method: the filter.
        row: what :meth:`chunkfilter.evaluate.comparison.Row.as_dict` gives, and ``chunks``; empty if it could
            not be measured.
        note: why not.
        swept: it belongs to the figures alone.
    """

    corpus: Corpus
    cut: Cut
    method: Method
    row: dict[str, Any]
    note: str = ""
    swept: bool = False


def measured_lines(
    corpora: Sequence[Corpus], folder: Path, options: Options, report: Callable[[str], None]
) -> Iterator[list[Line]]:
    """All lines of a corpus and splitter, one list after another; what is on disk is not measured again.

    Args:
        corpora: what is measured on.
        folder: keeps the rows.
        options: what the run is about.
        report: called with one line for each row that was measured.

    Raises:
        DatasetError: a corpus cannot be read or has no questions.
        OSError: a row cannot be written.
    """
    methods = [(method, False) for method in METHODS]
    methods += [(method, True) for method in swept_methods()] if options.figures else []
    for corpus in corpora:
        dataset = load_dataset(corpus.path, limit=options.limit)
        if not dataset.questions:
            raise DatasetError(f"{corpus.path}: no questions to measure with")
        kept = _Kept(FinishedRows(folder / corpus.name), dataset, options)
        for cut in (cut for cut in CUTS if cut.spec in options.specs):
            missing = [method for method, _ in methods if kept.row(cut, method) is None]
            entities, notes = _entities(corpus, missing, options)
            missing = [method for method in missing if method not in notes]
            if missing:
                _measure(corpus, dataset, cut, missing, entities, kept, options, report)
            yield [
                Line(corpus, cut, method, kept.row(cut, method) or {}, notes.get(method, ""), swept)
                for method, swept in methods
            ]


class _Kept:
    """The finished rows of a corpus, each with what decides it: one is stale only if that has changed."""

    def __init__(self, rows: FinishedRows, dataset: Dataset, options: Options) -> None:
        texts = hashlib.sha256(repr((sorted(dataset.documents.items()), dataset.questions)).encode())
        self._rows = rows
        self._options = options
        self._common = {
            "algorithm": ALGORITHM_VERSION,
            "data": texts.hexdigest(),
            "embedder": embedder_label(options.embedder),
        }

    def row(self, cut: Cut, method: Method) -> dict[str, Any] | None:
        """The row of a method, ``None`` if it has to be measured."""
        policy = Policy.parse(method.policy)
        return self._rows.read(cut.spec, str(policy), self._settings(policy))

    def keep(self, cut: Cut, policy: Policy, row: dict[str, Any]) -> None:
        """Store a row."""
        self._rows.write(cut.spec, row, self._settings(policy))

    def _settings(self, policy: Policy) -> dict[str, Any]:
        options, rules = self._options, {term.name for stage in policy.stages for term in stage.terms}
        entities = {"entities": options.entities} if policy.needs_entities else {}
        topics = {"topics": options.topics or "kmeans"} if "topics" in rules else {}
        seeds = {"seeds": options.seeds} if "random" in rules else {}
        return {**self._common, **entities, **topics, **seeds}


def _measure(
    corpus: Corpus,
    dataset: Dataset,
    cut: Cut,
    methods: Sequence[Method],
    entities: EntityFinder | None,
    kept: _Kept,
    options: Options,
    report: Callable[[str], None],
) -> None:
    """Measure methods and store their rows."""
    started = time.perf_counter()
    chunks = split_documents(dataset.documents, cut.spec, options.embedder)
    data = Collection.embedded(chunks, list(dataset.questions), _SETTINGS, options.embedder)
    place = f"{corpus.name} {cut.spec}"
    report(f"{place}: {len(chunks)} chunks embedded in {time.perf_counter() - started:.1f} s")
    sample = Corpora.of(chunks, dataset.questions).whole(_MARGIN, seed=0)
    unfiltered = Unfiltered.of(data)
    filters = Filters(data, options.embedder, entities, options.topics)
    for number, method in enumerate(methods, start=1):
        started, policy = time.perf_counter(), Policy.parse(method.policy)
        unlimited = replace(policy, max_removed=1.0)  # the study's question: no warning
        variant = replace(filters.variant(unlimited, options.seeds), name=str(policy))
        row = make_rows(data, score(data, [variant], unfiltered), sample)[0].as_dict()
        kept.keep(cut, policy, {**row, "chunks": len(chunks)})
        took = time.perf_counter() - started
        report(f"{place} {number}/{len(methods)} {policy}: {row['reduction']:.2f} % removed, {took:.1f} s")


def _entities(
    corpus: Corpus, methods: Sequence[Method], options: Options
) -> tuple[EntityFinder | None, dict[Method, str]]:
    """What finds entities, if a method reads them; without it, why those methods cannot be measured."""
    reading = [method for method in methods if Policy.parse(method.policy).needs_entities]
    if not reading:
        return None, {}
    if options.entities is None:
        return None, dict.fromkeys(reading, "no entity model was named")
    try:
        model = entity_model(corpus, options.entities)
    except MissingSignalError as error:
        return None, dict.fromkeys(reading, str(error))
    return cached_entities(model, show_progress=options.show_progress), {}
