"""Every splitter, policy and embedder on the same questions."""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkfilter.errors import InputError
from chunkfilter.evaluate.arguments import is_count, refuse_margin, refuse_no_count, several
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.evaluate.questions import Dataset
from chunkfilter.evaluate.sample import Sample
from chunkfilter.evaluate.sweep import expanded
from chunkfilter.evaluate.variants import BASELINE
from chunkfilter.policy import Policy
from chunkfilter.signals.embedders import Embedder, as_embedder
from chunkfilter.splitters import read_stages
from chunkfilter.studies.grid.choice import Table, choose, grid_rows, mean_f1
from chunkfilter.studies.grid.cost import Clock, EmbeddingClock, MeteredSentences
from chunkfilter.studies.grid.folds import Folds, make_folds
from chunkfilter.studies.grid.outcome import Grid, GridRow
from chunkfilter.studies.grid.setting import MEASURES, Instruments, Measured, joined, measure_setting

logger = logging.getLogger("chunkfilter")

DEPTHS = (1, 3, 5, 10)


@dataclass(frozen=True, slots=True, eq=False)
class GridValues:
    """Everything that was measured, before anything is chosen.

    Args:
        dataset: what it was measured on.
        folds: its halves.
        settings: the specs of each splitter.
        policies: the policies.
        tables: by embedder, by spec and policy (and ``variants.BASELINE``), what was measured on both folds.
        depths: numbers of chunks at which measures were taken.
    """

    dataset: Dataset
    folds: Folds
    settings: Mapping[str, Sequence[str]]
    policies: tuple[str, ...]
    tables: Mapping[str, Table]
    depths: tuple[int, ...]


def run_grid(
    dataset: Dataset,
    chunkers: Sequence[str],
    policies: Sequence[str | Policy],
    embedders: Mapping[str, Any],
    *,
    measure: str | None = None,
    depths: Sequence[int] = DEPTHS,
    margin: float = 0.01,
    seed: int = 0,
    entities: Any = None,
    clock: Clock = time.perf_counter,
    show_progress: bool = False,
) -> Grid:
    """Quality against compute: the best setting of each splitter, with what it costs.

    Documents are parted into two folds that share none. The setting with the largest mean F1 on one fold is
    reported on the other, so every question is measured with a setting that it had no part in choosing. Each
    fold is an index of its own. Settings of one splitter are specs with the same name.

    Seconds of embedding are so much a text and so much a character that the embedder reads, measured on a few
    pieces of the documents past the cache (:class:`chunkfilter.studies.grid.cost.EmbeddingClock`); the
    sentences that settings share are charged to each of them.

    Args:
        dataset: documents and questions over them.
        chunkers: splitter specs; the first one's name is what the others compare with.
        policies: what is kept; the first one is what the others compare with.
        embedders: what :func:`chunkfilter.signals.embedders.as_embedder` accepts, by the name for tables.
        measure: what decides, ``evidence`` or ``document``; ``None``: evidence where the data set has any.
        depths: numbers of chunks retrieved that F1 is averaged over.
        margin: the largest loss, from 0 to 1, that verdicts accept.
        seed: of the folds and the bootstrap.
        entities: for policies that read entities.
        clock: says the time in seconds; ``time.process_time`` on a busy machine.
        show_progress: show a bar on stderr while texts are embedded.

    Raises:
        InputError: nothing to compare, an unknown measure, or a value out of bounds.
        DatasetError: too few documents for two folds.
        SplitterError, PolicyError: a spec or policy does not parse.
    """
    if measure is not None and measure not in MEASURES:
        raise InputError(f"measure: got {measure!r}; expected {' or '.join(MEASURES)}")
    refuse_margin(margin)
    tools: dict[str, Any] = {"entities": entities, "clock": clock, "show_progress": show_progress}
    values = measure_grid(dataset, chunkers, policies, embedders, depths=depths, seed=seed, **tools)
    return chosen_grid(values, measure, margin=margin, seed=seed)


def measure_grid(
    dataset: Dataset,
    chunkers: Sequence[str],
    policies: Sequence[str | Policy],
    embedders: Mapping[str, Any],
    *,
    depths: Sequence[int] = DEPTHS,
    seed: int = 0,
    entities: Any = None,
    clock: Clock = time.perf_counter,
    show_progress: bool = False,
) -> GridValues:
    """Measure every setting; arguments and errors as of :func:`run_grid`."""
    parsed = expanded(policies)
    chunkers = several("chunkers", chunkers, "splitter specs")
    if not isinstance(embedders, Mapping):
        raise InputError(f"embedders: got {embedders!r:.80}; expected a mapping from names to embedders")
    if not chunkers or not parsed or not embedders:
        raise InputError(
            f"grid: {len(chunkers)} chunkers, {len(parsed)} policies, {len(embedders)} embedders; "
            "expected at least one of each"
        )
    depths = several("depths", depths, "whole numbers")
    if not depths or not all(map(is_count, depths)):
        raise InputError(f"depths: got {depths!r:.80}; expected whole numbers of at least 1")
    refuse_no_count("seed", seed, least=0)
    inner = {name: as_embedder(given) for name, given in embedders.items()}
    for embedder in inner.values():
        for spec in chunkers:
            read_stages(spec, embedder)  # a mistake is reported before anything is embedded
    settings: dict[str, list[str]] = {}
    for spec in dict.fromkeys(chunkers):
        settings.setdefault(spec.partition(":")[0], []).append(spec)
    folds = make_folds(dataset, seed)
    given = (entities, clock, depths, show_progress)
    return GridValues(
        dataset,
        folds,
        settings,
        tuple(map(str, parsed)),
        {name: _measured(folds, chunkers, parsed, embedder, given) for name, embedder in inner.items()},
        depths,
    )


def chosen_grid(
    found: GridValues, measure: str | None = None, *, margin: float = 0.01, seed: int = 0
) -> Grid:
    """Choose the best settings by one measure; arguments as of :func:`run_grid`."""
    refuse_margin(margin)
    decides = measure or ("evidence" if found.dataset.has_evidence else "document")
    folds, depths = found.folds, found.depths
    sample = Sample(np.arange(len(folds.questions)), _documents(folds), margin, seed)
    rows: list[GridRow] = []
    every: list[dict[str, Any]] = []
    for name, table in found.tables.items():
        chosen = [
            one for policy in found.policies for one in choose(table, found.settings, policy, decides, depths)
        ]
        rows += grid_rows(chosen, table, name, decides, depths, sample)
        every += [
            {
                "embedder": name,
                "policy": policy,
                "setting": spec,
                "mean_f1": float(mean_f1(joined(parts), decides, depths).mean()),
                "seconds": sum(part.cost.seconds for part in parts),
                "chunks": sum(part.chunks for part in parts),
                "kept": sum(part.kept for part in parts),
            }
            for (spec, policy), parts in table.items()
            if policy != BASELINE
        ]
    return Grid(
        data=found.dataset.name,
        documents=len(found.dataset.documents),
        questions=len(folds.questions),
        left_out=folds.left_out,
        measure=decides,
        depths=depths,
        rows=tuple(rows),
        settings=tuple(every),
        intervals=sample.description,
        margin=margin,
    )


def _measured(
    folds: Folds,
    chunkers: Sequence[str],
    policies: Sequence[Policy],
    inner: Embedder,
    given: tuple[Any, Clock, tuple[int, ...], bool],
) -> dict[tuple[str, str], tuple[Measured, Measured]]:
    """Every setting and policy on both folds, by spec and policy."""
    entities, clock, depths, show_progress = given
    embedder = cached_embedder(inner, show_progress=show_progress)
    embedding = EmbeddingClock(inner, clock, folds.first.documents.values())
    names = (*map(str, policies), BASELINE)
    found: list[dict[tuple[str, str], Measured]] = []
    for fold in (folds.first, folds.second):
        tools = Instruments(embedder, MeteredSentences(embedder, clock), embedding, clock, entities, depths)
        here: dict[tuple[str, str], Measured] = {}
        for spec in dict.fromkeys(chunkers):
            logger.debug("grid: %s on %s", spec, fold.name)
            measured = measure_setting(fold, spec, policies, tools)
            here |= {(spec, name): one for name, one in zip(names, measured, strict=True)}
        found.append(here)
    first, second = found
    return {key: (first[key], second[key]) for key in first}


def _documents(folds: Folds) -> Any:
    """The document of each question, for resampling."""
    names = [next(iter(question.graded), "") for question in folds.questions]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] if name else -1 for name in names], dtype=np.int64)
