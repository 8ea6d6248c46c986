r"""The greedy oracle: how much of the reference the best chunks could give.

An approximation of

.. math:: S_k^\star = \arg\max_{S \subseteq C,\ |S| \leq k} \Bigl| T_e \cap \bigcup_{c \in S} T(c) \Bigr|

*Oracle recall* and *oracle precision* are the recall and the precision of the chosen chunks.

Source: section 3.6 of "Reducing Redundancy in Retrieval-Augmented Generation through Chunk Filtering", which
leaves ties open.
"""

import numpy as np

from chunkfilter.evaluate.sets import BoolArray
from chunkfilter.evaluate.tokens import TokenTable
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of, ranges


class Oracle:
    """Chooses chunks for each question one by one, each the one that adds most reference tokens.

    Of chunks that add equally many the one with the fewest tokens is taken, then the first; none is taken
    that adds nothing.

    Args:
        table: tokens of n chunks and of the references of q questions.
        k: most chunks a question.
    """

    def __init__(self, table: TokenTable, k: int) -> None:
        self._table = table
        self._k = min(k, len(table.chunks))
        self._postings = _postings_of(table)
        self._of_all = self.chosen(
            np.ones(len(table.chunks), dtype=np.bool_), np.arange(len(table.references))
        )

    def among(self, kept: BoolArray) -> IntArray:
        """The chunks chosen among the kept ones, in order, -1 where none was taken, shape (q, min(k, n)).

        Where every chunk chosen among all of them is kept, the choice is the same.
        """
        chosen = self._of_all.copy()
        if len(kept):
            touched = np.flatnonzero(((chosen >= 0) & ~kept[chosen]).any(axis=1))
            chosen[touched] = self.chosen(kept, touched)
        return chosen

    def chosen(self, kept: BoolArray, questions: IntArray) -> IntArray:
        """The choice among the kept chunks for some questions, from scratch, shape (len(questions), k)."""
        sizes, references, postings = self._table.chunks.lengths, self._table.references, self._postings
        chosen = np.full((len(questions), self._k), -1, dtype=np.int64)
        unit = int(sizes.max(initial=0)) + 1
        # one number ranks a chunk: its gain first, then how few tokens it has; a chunk that is not kept never
        # wins
        penalty = np.where(kept, sizes, unit * (int(references.lengths.max(initial=0)) + 1))
        lengths = postings.lengths
        for row, question in enumerate(questions.tolist()):
            tokens = references[question]
            for place in range(self._k):
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


def _postings_of(table: TokenTable) -> Ragged:
    """For each token that some reference holds the chunks that hold it, ascending; ``table.size`` rows."""
    asked = np.zeros(table.size, dtype=np.bool_)
    asked[table.references.values] = True
    wanted = asked[table.chunks.values]
    tokens = table.chunks.values[wanted]
    order = np.argsort(tokens, kind="stable")
    lengths = np.bincount(tokens, minlength=table.size)
    return Ragged(table.chunks.rows[wanted][order], offsets_of(lengths))
