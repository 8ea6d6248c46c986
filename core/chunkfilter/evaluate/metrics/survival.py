"""What no retriever can find again."""

import numpy as np
from numpy.typing import NDArray

from chunkfilter.evaluate.metrics import Values
from chunkfilter.text.ragged import IntArray, Ragged


def survival(holders: Ragged, questions: IntArray, count: int, kept: NDArray[np.bool_]) -> Values:
    r"""Whether every sentence of the reference that stood whole in a chunk stands whole in a kept one.

    With H(s) the chunks in which the words of sentence s stand one after another:

    .. math:: \mathrm{survives}(q) = \bigl[\forall s \in q:\ H(s) \neq \varnothing
              \Rightarrow H(s) \cap C_{kept} \neq \varnothing\bigr]

    1 for a question none of whose sentences stood whole in any chunk: the filter had nothing to lose.
    *Sentence survival* takes all chunks as H(s), *own-source survival* only those cut from the reference's
    own source: a sentence that stands verbatim in five sources may be five statements.

    Args:
        holders: for each sentence the chunks that hold it.
        questions: the question of each sentence, shape (s,).
        count: number of questions.
        kept: chunks that stay, shape (n,).

    Returns:
        1 or 0 a question, shape (q,).
    """
    alive = np.zeros(len(holders), dtype=np.bool_)
    alive[holders.rows[kept[holders.values]]] = True
    lost = questions[~alive & (holders.lengths > 0)]
    values = np.ones(count)
    values[lost] = 0.0
    return values
