"""Rule ``exact``: two chunks whose words are the same, one after another."""

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np

from chunkfilter.filters.batch import Batch
from chunkfilter.filters.groups import group_rule
from chunkfilter.policy import Term
from chunkfilter.text.keys import exact_keys, paper_key
from chunkfilter.text.ragged import IntArray

#: Texts whose words are held at once.
_BLOCK = 5_000


def groups(batch: Batch, paper: bool = False) -> IntArray:
    """Group of each chunk: the position of the first chunk of the batch with the same key and scope.

    Args:
        batch: n chunks.
        paper: take the published key instead.
    """
    keys = map(paper_key, batch.texts) if paper else _keys(batch)
    first: dict[tuple[object, int], int] = {}
    return np.fromiter(
        (
            first.setdefault((key, scope), row)
            for row, (key, scope) in enumerate(zip(keys, batch.scopes.tolist(), strict=True))
        ),
        dtype=np.int64,
        count=len(batch),
    )


def _keys(batch: Batch) -> Iterator[bytes | str]:
    """The key of each text, in 128 bits where it has words.

    Where no other rule reads the words, they are held a block at a time: those of a million chunks take
    several gigabytes.
    """
    alone = sum(len(stage.terms) for stage in batch.policy.stages) == 1
    size = _BLOCK if alone and not batch.computed("words") else max(len(batch), 1)
    for first in range(0, len(batch), size):
        texts = batch.texts[first : first + size]
        words = batch.vocabulary.encode(texts) if size == _BLOCK else batch.words
        for key in exact_keys(texts, words):
            yield key if isinstance(key, str) else blake2b(key, digest_size=16).digest()


def _groups(batch: Batch, term: Term) -> IntArray:
    return groups(batch, paper=term.paper)


EXACT = group_rule(0, _groups)
