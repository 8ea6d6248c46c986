"""Greedy selection for pairs: a chunk goes only for one that stays, so nothing chains."""

from collections.abc import Iterator, Sequence

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.relation import Check, Pairs, Proposer, ScoreArray
from chunkfilter.filters.selection import Dropped, Selection
from chunkfilter.text.ragged import IntArray


def select_pairs(
    batch: Batch,
    active: BoolArray,
    proposer: Proposer,
    checks: Sequence[Check],
    rule: str,
    block: int,
) -> Selection:
    """Walk the chunks in keep order; one goes if the rule holds between it and a chunk that stays.

    The named keeper is the first in keep order, whatever the block size.

    Args:
        batch: the chunks.
        active: shape (len(batch),): chunks that take part; the others neither go nor stand for any.
        proposer: finds pairs of a block.
        checks: conjuncts that must hold too; the score of a pair is the smallest of all.
        rule: name of the rule in the result.
        block: rows handled at once; memory grows with it, the result does not change.
    """
    selection = Selection()
    stays = active.copy()
    stays[batch.stored :] = False
    for start in range(batch.stored, len(batch), block):
        stop = min(start + block, len(batch))
        candidates = stays[:stop].copy()
        candidates[start:stop] = active[start:stop]
        pairs = _checked(_comparable(proposer(start, stop, candidates), batch, active), checks)
        stays[start:stop] = active[start:stop]
        for row, columns, scores in _by_row(pairs):
            alive = np.flatnonzero(stays[columns])
            if len(alive):
                first = alive[np.argmin(columns[alive])]
                stays[row] = False
                selection.dropped.append(Dropped(row, (int(columns[first]),), rule, float(scores[first])))
    return selection


def _comparable(pairs: Pairs, batch: Batch, active: BoolArray) -> Pairs:
    return _where(pairs, active[pairs.rows] & (batch.scopes[pairs.rows] == batch.scopes[pairs.columns]))


def _checked(pairs: Pairs, checks: Sequence[Check]) -> Pairs:
    for check in checks:
        scores = np.minimum(pairs.scores, check(pairs.rows, pairs.columns))
        pairs = _where(Pairs(pairs.rows, pairs.columns, scores), ~np.isnan(scores))
    return pairs


def _where(pairs: Pairs, mask: BoolArray) -> Pairs:
    return pairs if mask.all() else Pairs(pairs.rows[mask], pairs.columns[mask], pairs.scores[mask])


def _by_row(pairs: Pairs) -> Iterator[tuple[int, IntArray, ScoreArray]]:
    rows, starts = np.unique(pairs.rows, return_index=True)
    stops = [*starts[1:].tolist(), len(pairs.rows)] if len(rows) else []
    for row, start, stop in zip(rows.tolist(), starts.tolist(), stops, strict=True):
        yield row, pairs.columns[start:stop], pairs.scores[start:stop]
