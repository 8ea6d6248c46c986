"""``filter_chunks``: from the caller's chunks to a result."""

import contextlib
import logging
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from operator import attrgetter
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk, as_chunks
from chunkfilter.errors import TooManyRemovedError
from chunkfilter.filters.batch import Batch, Given
from chunkfilter.filters.guards import looks_at_vectors_alone
from chunkfilter.filters.keep import keep_order
from chunkfilter.filters.notices import Facts, notices_of
from chunkfilter.filters.scope import scope_numbers
from chunkfilter.filters.selection import Dropped, Selection
from chunkfilter.filters.stages import run_policy
from chunkfilter.filters.window import window_name
from chunkfilter.policy import Policy
from chunkfilter.result import Conflict, FilterResult, Removal, Report, digest
from chunkfilter.signals.embedders import Embedder
from chunkfilter.text.words import Vocabulary

logger = logging.getLogger("chunkfilter")

_level = ContextVar("level of the line that a run logs", default=logging.INFO)


def filter_chunks(
    chunks: Iterable[Chunk | str],
    policy: str | Policy = "coverage",
    *,
    existing: Iterable[Chunk | str] = (),
    vectors: Any = None,
    embedder: Embedder | None = None,
    entities: Any = None,
    topics: Any = None,
    show_progress: bool = False,
) -> FilterResult:
    """Decide which chunks are redundant, and name for each what stands for it.

    Args:
        chunks: n chunks or strings, in the order in which the first of two equals stays.
        policy: see :class:`chunkfilter.Policy`.
        existing: m chunks stored earlier: never removed, they may stand for new ones.
        vectors: vectors, one row a chunk, those of ``existing`` last: shape (n + m, d); a row may be
            ``None``. Only read if the policy needs vectors.
        embedder: computes vectors if the policy needs them and ``vectors`` is not given; also tells
            how much of a text it reads (``visible_ends``).
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
        TooManyRemovedError: more would go than ``max_removed`` allows.
    """
    new, stored = as_chunks(chunks), as_chunks(existing, "stored chunk")
    given = Given(vectors, embedder, entities, topics)
    return filtered(new, stored, Policy.parse(policy), given, show_progress=show_progress)


def filtered(
    new: list[Chunk],
    stored: list[Chunk],
    parsed: Policy,
    given: Given,
    *,
    vocabulary: Vocabulary | None = None,
    show_progress: bool = False,
) -> FilterResult:
    """The same for what has been read already.

    Args:
        new: n chunks.
        stored: m chunks that stay.
        parsed: the policy.
        given: the caller's signals.
        vocabulary: one that knows the words of some of the texts, so that these are not taken apart again.
        show_progress: show a bar on stderr for long steps.

    Raises:
        ChunkFilterError: as :func:`filter_chunks`.
    """
    started = time.perf_counter()
    order = keep_order(new, parsed.keep)
    scopes, alone = scope_numbers([*stored, *new], parsed.scope)
    scopes = np.concatenate([scopes[: len(stored)], scopes[len(stored) :][order]])
    batch = Batch(
        new,
        stored,
        order,
        scopes,
        parsed,
        given,
        vocabulary=vocabulary,
        show_progress=show_progress,
    )
    selection = run_policy(batch)
    _refuse_too_many(parsed, len(selection.dropped), len(new))
    positions = _caller_positions(batch)
    removed = _removals(selection.dropped, positions)
    warnings = notices_of(Facts(new, stored, batch, removed, alone))
    batch.forget()  # of a million chunks they are as large as what is made of them next
    report = Report(
        warnings, time.perf_counter() - started, _window(batch), _across_sources(removed, new, stored)
    )
    result = _result(batch, selection, positions, removed, new, stored, report)
    _tell(result)
    return result


@contextlib.contextmanager
def told_in_detail() -> Iterator[None]:
    """Runs inside log their line as DEBUG: for a caller to whom they are one step of many."""
    token = _level.set(logging.DEBUG)
    try:
        yield
    finally:
        _level.reset(token)


def _tell(result: FilterResult) -> None:
    for warning in result.report.warnings:
        logger.warning(warning)
    line = "%d of %d chunks kept, %.3f s, policy %s"
    logger.log(_level.get(), line, len(result.kept), len(result), result.report.seconds, result.policy)


def _refuse_too_many(policy: Policy, removed: int, total: int) -> None:
    if policy.max_removed is not None and removed > policy.max_removed * total:
        raise TooManyRemovedError(
            f"policy '{policy}' would remove {removed} of {total} chunks ({removed / total:.1%}); "
            f"max_removed={policy.max_removed:.12g} allows {policy.max_removed:.1%}; nothing was removed"
        )


def _result(
    batch: Batch,
    selection: Selection,
    positions: list[int],
    removed: list[Removal],
    new: list[Chunk],
    stored: list[Chunk],
    report: Report,
) -> FilterResult:
    gone = {removal.index for removal in removed}
    return FilterResult(
        kept=tuple(position for position in range(len(new)) if position not in gone),
        removed=tuple(removed),
        conflicts=tuple(
            Conflict(positions[row], positions[kept], guard)
            for row, (kept, guard) in sorted(selection.conflicts.items())
        ),
        policy=batch.policy,
        digests=tuple(digest(chunk.text) for chunk in new),
        existing_digests=tuple(digest(chunk.text) for chunk in stored),
        report=report,
    )


def _window(batch: Batch) -> str:
    """How much of a text counted as seen; rules and guards that ask for no window look at whole texts."""
    stages = batch.policy.stages
    covering = any(term.name == "coverage" for stage in stages for term in stage.terms)
    watched = batch.policy.guarded and any(map(looks_at_vectors_alone, stages))
    return window_name(batch.policy.window, batch.embedder) if covering or watched else "none"


def _caller_positions(batch: Batch) -> list[int]:
    """The caller's position of each row; stored ones are ``-1 - position``."""
    return [*range(-1, -1 - batch.stored, -1), *batch.order.tolist()]


def _removals(dropped: list[Dropped], positions: list[int]) -> list[Removal]:
    """What goes, as the caller counts, ascending."""
    removals = []
    for entry in dropped:
        keepers = sorted(map(positions.__getitem__, entry.keepers))
        stored = bisect_left(keepers, 0)
        kept_by = tuple(keepers[stored:])
        kept_by_existing = tuple(-1 - keeper for keeper in reversed(keepers[:stored])) if stored else ()
        removals.append(Removal(positions[entry.row], kept_by, kept_by_existing, entry.rule, entry.score))
    return sorted(removals, key=attrgetter("index"))


def _across_sources(removed: list[Removal], new: list[Chunk], stored: list[Chunk]) -> int:
    """Removals whose keepers all come from another source than the removed chunk."""
    count = 0
    if all(chunk.source is None for chunks in (new, stored) for chunk in chunks):
        return count
    for removal in removed:
        sources = {new[keeper].source for keeper in removal.kept_by}
        sources |= {stored[keeper].source for keeper in removal.kept_by_existing}
        count += bool(sources) and new[removal.index].source not in sources
    return count
