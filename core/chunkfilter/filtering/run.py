"""``filter_chunks``: from the caller's chunks to a result."""

import contextlib
import logging
import time
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from operator import attrgetter
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk, as_chunks
from chunkfilter.errors import TooManyRemovedError
from chunkfilter.filtering.keep import keep_order
from chunkfilter.filtering.metadata_warnings import METADATA_WARNINGS
from chunkfilter.filtering.scope import scope_numbers
from chunkfilter.filtering.stages import Decisions, run_policy
from chunkfilter.filtering.warnings import WARNINGS, Facts
from chunkfilter.policy import Policy
from chunkfilter.result import Conflict, FilterResult, Removal, Report, digest
from chunkfilter.rules.batch import Batch, Given
from chunkfilter.rules.rule import Removed
from chunkfilter.signals.embedders import as_embedder
from chunkfilter.signals.window import window_name

logger = logging.getLogger("chunkfilter")

_level = ContextVar("level of the line that a run logs", default=logging.INFO)


def filter_chunks(
    chunks: Iterable[Chunk | str],
    policy: str | Policy = "coverage",
    *,
    existing: Iterable[Chunk | str] = (),
    vectors: Any = None,
    embedder: Any = None,
    entities: Any = None,
    topics: Any = None,
    show_progress: bool = False,
) -> FilterResult:
    """Decide which chunks are redundant, and name for each the kept ones that contain it.

    Args:
        chunks: n chunks or strings, in the order in which the first of two equals is kept.
        policy: see :class:`chunkfilter.Policy`.
        existing: m chunks indexed earlier: never removed, they may cover new ones.
        vectors: vectors, one row a chunk, those of ``existing`` last: shape (n + m, d); a row may be
            ``None``. Only read if the policy needs vectors.
        embedder: computes vectors if the policy needs them and ``vectors`` is not given; also tells how
            much of a text it reads (``visible_ends``). An object or a name, for example
            ``package:all-MiniLM-L6-v2``; see :func:`chunkfilter.signals.embedders.as_embedder`.
        entities: for rules that need them: one set a chunk, those of ``existing`` last; a function from texts
            to sets; or the name of a spaCy model, for example ``package:en_core_web_sm``.
        topics: for ``+topics``: one label a chunk, those of ``existing`` last, or the method that finds them:
            ``kmeans`` on the vectors (the default), ``lda`` on the words, ``bertopic``.
        show_progress: show a bar on stderr for long steps.

    Returns:
        The decisions, in positions of ``chunks``; nothing of the input is changed or copied.

    Raises:
        PolicyError: the policy does not parse.
        InputError: an item is neither a chunk nor a string.
        VectorError: vectors do not fit the chunks.
        MissingSignalError: the policy needs a signal that was not given.
        TooManyRemovedError: more would be removed than ``max_removed`` allows.
    """
    started = time.perf_counter()
    parsed = Policy.parse(policy)
    new, old = as_chunks(chunks), as_chunks(existing, "existing chunk")
    order = keep_order(new, parsed.keep)
    scopes, alone = scope_numbers([*old, *new], parsed.scope)
    scopes = np.concatenate([scopes[: len(old)], scopes[len(old) :][order]])
    reading = None if embedder is None else as_embedder(embedder)
    given = Given(vectors, reading, entities, topics)
    batch = Batch(new, old, order, scopes, parsed, given, show_progress=show_progress)
    decisions = run_policy(batch)
    _refuse_too_many(parsed, len(decisions.removed), len(new))
    positions = _caller_positions(batch)
    removed = _removals(decisions.removed, positions)
    warnings = _warnings(Facts(new, old, batch, removed, alone))
    batch.forget()  # of a million chunks they are as large as what is made of them next
    report = Report(
        warnings, time.perf_counter() - started, _window(batch), _across_sources(removed, new, old)
    )
    result = _result(decisions, positions, removed, new, old, parsed, report)
    _log(result)
    return result


@contextlib.contextmanager
def logged_as_detail() -> Iterator[None]:
    """Runs inside log their line as DEBUG: for a caller to whom they are one step of many."""
    token = _level.set(logging.DEBUG)
    try:
        yield
    finally:
        _level.reset(token)


def _log(result: FilterResult) -> None:
    for warning in result.report.warnings:
        logger.warning(warning)
    line = "%d of %d chunks kept, %.3f s, policy %s"
    logger.log(_level.get(), line, len(result.kept), len(result), result.report.seconds, result.policy)


def _warnings(facts: Facts) -> tuple[str, ...]:
    """The sentences that apply to a run, in a fixed order."""
    return tuple(said for warning in (*WARNINGS, *METADATA_WARNINGS) if (said := warning(facts)) is not None)


def _refuse_too_many(policy: Policy, removed: int, total: int) -> None:
    if policy.max_removed is not None and removed > policy.max_removed * total:
        raise TooManyRemovedError(
            f"policy '{policy}' would remove {removed} of {total} chunks ({removed / total:.1%}); "
            f"max_removed={policy.max_removed:.12g} allows {policy.max_removed:.1%}; nothing was removed"
        )


def _result(
    decisions: Decisions,
    positions: list[int],
    removed: list[Removal],
    new: list[Chunk],
    existing: list[Chunk],
    policy: Policy,
    report: Report,
) -> FilterResult:
    gone = {removal.index for removal in removed}
    return FilterResult(
        kept=tuple(position for position in range(len(new)) if position not in gone),
        removed=tuple(removed),
        conflicts=tuple(
            Conflict(positions[row], positions[other], guard)
            for row, (other, guard) in sorted(decisions.conflicts.items())
        ),
        policy=policy,
        digests=tuple(digest(chunk.text) for chunk in new),
        existing_digests=tuple(digest(chunk.text) for chunk in existing),
        report=report,
    )


def _window(batch: Batch) -> str:
    """How much of a text counted as seen; rules that ask for no window look at whole texts."""
    asked = any(term.syntax.window for stage in batch.policy.stages for term in stage.terms)
    return window_name(batch.policy.window, batch.embedder) if asked else "none"


def _caller_positions(batch: Batch) -> list[int]:
    """The caller's position of each row; ``-1 - position`` for existing ones."""
    return [*range(-1, -1 - batch.existing, -1), *batch.order.tolist()]


def _removals(removed: list[Removed], positions: list[int]) -> list[Removal]:
    """What is removed, as the caller counts, ascending."""
    removals = []
    for entry in removed:
        representatives = sorted(positions[row] for row in entry.representatives)
        kept_by = tuple(place for place in representatives if place >= 0)
        existing = tuple(-1 - place for place in reversed(representatives) if place < 0)
        removals.append(Removal(positions[entry.row], kept_by, existing, entry.rule, entry.score))
    return sorted(removals, key=attrgetter("index"))


def _across_sources(removed: list[Removal], new: list[Chunk], existing: list[Chunk]) -> int:
    """Removals whose representatives all come from another source than the removed chunk."""
    if all(chunk.source is None for chunks in (new, existing) for chunk in chunks):
        return 0
    count = 0
    for removal in removed:
        sources = {new[place].source for place in removal.kept_by}
        sources |= {existing[place].source for place in removal.kept_by_existing}
        count += bool(sources) and new[removal.index].source not in sources
    return count
