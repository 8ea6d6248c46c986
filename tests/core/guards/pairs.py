"""Runs the guard on two texts."""

import numpy as np
from chunkfilter.filters.batch import Batch, Given
from chunkfilter.filters.guards import guard_of

import chunkfilter as cf
from chunkfilter.policy import Policy


def veto(removed: str, kept: str, policy: str = "similarity@0.9") -> str:
    """What keeps ``removed`` from going for ``kept``; empty if nothing does."""
    parsed = Policy.parse(policy)
    order, scopes = np.arange(2), np.zeros(2, dtype=np.int64)
    batch = Batch([cf.Chunk(kept), cf.Chunk(removed)], [], order, scopes, parsed, Given())
    guard = guard_of(batch, parsed.stages[0])
    return "" if guard is None else str(guard(np.array([1]), np.array([0]))[0])
