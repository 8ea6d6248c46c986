"""Rule ``exact``: two chunks whose words are the same, one after another."""

import numpy as np

from chunkfilter.filters.batch import Batch
from chunkfilter.filters.groups import group_rule
from chunkfilter.policy import Term
from chunkfilter.text.keys import exact_keys, paper_key
from chunkfilter.text.ragged import IntArray


def groups(batch: Batch, paper: bool = False) -> IntArray:
    """Group of each chunk: the position of the first chunk of the batch with the same key and scope.

    Args:
        batch: n chunks.
        paper: take the published key instead.
    """
    keys = [paper_key(text) for text in batch.texts] if paper else exact_keys(batch.texts, batch.words)
    first: dict[tuple[object, int], int] = {}
    return np.fromiter(
        (
            first.setdefault((key, scope), row)
            for row, (key, scope) in enumerate(zip(keys, batch.scopes.tolist(), strict=True))
        ),
        dtype=np.int64,
        count=len(batch),
    )


def _groups(batch: Batch, term: Term) -> IntArray:
    return groups(batch, paper=term.paper)


EXACT = group_rule(0, _groups)
