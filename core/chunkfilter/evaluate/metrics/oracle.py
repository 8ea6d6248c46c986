r"""The greedy oracle: how much of the reference the best chunks could give.

An approximation of

.. math:: S_k^\star = \arg\max_{S \subseteq C,\ |S| \leq k} \Bigl| T_e \cap \bigcup_{c \in S} T(c) \Bigr|

*Oracle recall* and *oracle precision* are the recall and the precision of the chosen chunks.

Source: section 3.6 of "Reducing Redundancy in Retrieval-Augmented Generation through Chunk Filtering", which
leaves ties open.
"""

import numpy as np
from numpy.typing import NDArray

from chunkfilter.text.ragged import IntArray, Ragged, offsets_of, ranges


def greedy_oracle(
    references: Ragged,
    postings: Ragged,
    sizes: IntArray,
    kept: NDArray[np.bool_],
    k: int,
    questions: IntArray | None = None,
) -> IntArray:
    """At most k kept chunks a question, chosen one by one, each the one that adds most reference tokens.

    Of chunks that add equally many the one with the fewest tokens is taken, then the first; none is taken
    that adds nothing.

    Args:
        references: distinct tokens of each question's reference.
        postings: for each token the chunks that hold it (:func:`postings_of`).
        sizes: number of distinct tokens of each chunk, shape (n,).
        kept: chunks that may be chosen, shape (n,).
        k: at least 1.
        questions: rows of ``references`` to choose for; ``None`` for all.

    Returns:
        Chunks in the order of choice, -1 where none was taken, shape (len(questions), k).
    """
    rows = np.arange(len(references)) if questions is None else questions
    chosen = np.full((len(rows), k), -1, dtype=np.int64)
    unit = int(sizes.max(initial=0)) + 1
    # one number ranks a chunk: its gain first, then how few tokens it has; a chunk that is not kept never
    # wins
    penalty = np.where(kept, sizes, unit * (int(references.lengths.max(initial=0)) + 1))
    lengths = postings.lengths
    for row, question in enumerate(rows.tolist()):
        tokens = references[question]
        for place in range(k):
            holders = postings.values[ranges(postings.offsets[tokens], lengths[tokens])]
            if not len(holders):
                break
            rank = np.bincount(holders, minlength=len(sizes)) * unit - penalty
            best = int(rank.argmax())
            if rank[best] <= 0:
                break
            chosen[row, place] = best
            owners = np.repeat(np.arange(len(tokens)), lengths[tokens])
            covered = np.bincount(owners[holders == best], minlength=len(tokens)) > 0
            tokens = tokens[~covered]
    return chosen


def postings_of(chunks: Ragged, references: Ragged, size: int) -> Ragged:
    """For each token the chunks that hold it, ascending; only for tokens that some reference holds.

    Args:
        chunks: distinct tokens of each chunk.
        references: distinct tokens of each reference.
        size: one more than the largest token.
    """
    asked = np.zeros(size, dtype=np.bool_)
    asked[references.values] = True
    wanted = asked[chunks.values]
    tokens = chunks.values[wanted]
    order = np.argsort(tokens, kind="stable")
    return Ragged(chunks.rows[wanted][order], offsets_of(np.bincount(tokens, minlength=size)))
