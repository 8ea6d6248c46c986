"""What a search found, beside what was wanted: the sets, losses and ranks that metrics are taken of.

Each function takes the collection, what was found, and the kind, budget or number of chunks that a measure is
about.
"""

from dataclasses import dataclass, field

import numpy as np

from chunkfilter.evaluate.collection import Collection
from chunkfilter.evaluate.documents import no_credit
from chunkfilter.evaluate.sets import (
    BoolArray,
    Overlap,
    Values,
    first_of_each,
    overlap_of_rows,
    overlap_of_slices,
)
from chunkfilter.text.ragged import IntArray, Ragged


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a variant leaves to search in, and what a search then finds.

    Args:
        kept: chunks that are there, shape (n,).
        ranked: chunks found for each question, best first, -1 after the last, shape (q, depth).
        credit: pairs of a representative and a removed chunk that it may count for in measures of documents,
            shape (m, 2).
    """

    kept: BoolArray
    ranked: IntArray
    credit: IntArray = field(default_factory=no_credit)


def top_tokens(data: Collection, found: Found, kind: str) -> Overlap:
    """Distinct tokens of the top k."""
    return _tokens_of(data, kind, found.ranked[:, : data.settings.k])


def oracle_tokens(data: Collection, found: Found, kind: str) -> Overlap:
    """Distinct tokens of the chunks that the greedy oracle chooses (:mod:`chunkfilter.evaluate.oracle`)."""
    return _tokens_of(data, kind, data.oracle(kind).among(found.kept))


def _tokens_of(data: Collection, kind: str, chosen: IntArray) -> Overlap:
    table = data.tokens[kind]
    return overlap_of_rows(chosen, table.chunks, table.references, table.size)


def paid_tokens(data: Collection, found: Found, budget: int) -> Overlap:
    r"""Distinct tokens among the first b of the ranked chunks' texts, joined in the order of their rank.

    Every occurrence is paid for, also one of a token, or of a whole chunk, that came before; the last chunk
    is cut where the budget ends. Tokens are ``word`` tokens, not those of a language model.
    """
    table, ranked = data.tokens["word"], found.ranked
    sequences = table.sequences
    starts = lengths = np.zeros_like(ranked)
    if len(sequences):
        starts, lengths = sequences.offsets[:-1][ranked], np.where(ranked < 0, 0, sequences.lengths[ranked])
    before = np.cumsum(lengths, axis=1) - lengths
    paid = np.clip(budget - before, 0, lengths)
    return overlap_of_slices(sequences.values, starts, paid, table.references, table.size)


def lost_anywhere(data: Collection, found: Found, _: None) -> BoolArray:
    r"""Questions with a sentence that stood whole in some chunk and stands whole in no kept one.

    With H(s) the chunks in which the words of sentence s stand one after another:

    .. math:: \mathrm{retained}(q) = \bigl[\forall s \in q:\ H(s) \neq \varnothing
              \Rightarrow H(s) \cap C_{kept} \neq \varnothing\bigr]
    """
    return _lost(data, found, data.holders.anywhere)


def lost_in_source(data: Collection, found: Found, _: None) -> BoolArray:
    """As :func:`lost_anywhere`, where H(s) are chunks cut from the reference's own source only.

    A sentence that stands verbatim in five sources may be five statements.
    """
    return _lost(data, found, data.holders.in_source)


def _lost(data: Collection, found: Found, holders: Ragged) -> BoolArray:
    held = np.zeros(len(holders), dtype=np.bool_)
    held[holders.rows[found.kept[holders.values]]] = True
    lost = np.zeros(len(data.questions), dtype=np.bool_)
    lost[data.holders.questions[~held & (holders.lengths > 0)]] = True
    return lost


def top_runs(data: Collection, found: Found, _: None) -> Overlap:
    """Runs of five words of the references in the top k; a shorter reference is one run.

    Unlike token recall, their recall has no chance level: common words found by accident count for nothing.
    """
    return overlap_of_rows(
        found.ranked[:, : data.settings.k], data.runs.chunks, data.runs.references, data.runs.size
    )


def top_documents(data: Collection, found: Found, cut: int) -> Overlap:
    """Documents of the first chunks, and the relevant ones."""
    return _documents(data, found, cut, no_credit())


def credited_documents(data: Collection, found: Found, cut: int) -> Overlap:
    """Documents of the first chunks and of what they replaced and hold at least half of."""
    return _documents(data, found, cut, found.credit)


def _documents(data: Collection, found: Found, cut: int, credit: IntArray) -> Overlap:
    documents = data.documents
    chunks = documents.counting_for(credit)
    return overlap_of_rows(found.ranked[:, :cut], chunks, documents.relevant, documents.size)


def top_sentences(data: Collection, found: Found, cut: int) -> Overlap:
    """Sentences of the first chunks, and those of the references."""
    sentences = data.sentences
    return overlap_of_rows(found.ranked[:, :cut], sentences.chunks, sentences.references, sentences.size)


def literal_hits(data: Collection, found: Found, cut: int) -> IntArray:
    """Rank of the first chunk in which a reference stands, from 1, 0 for none, shape (q,)."""
    return _first_ranks(found.ranked[:, :cut], data.literal_holders, len(data.chunks))


def either_hits(data: Collection, found: Found, cut: int) -> IntArray:
    """Likewise of a chunk of its document in which a reference stands, or which stands in it."""
    return _first_ranks(found.ranked[:, :cut], data.either_holders, len(data.chunks))


def semantic_hits(data: Collection, found: Found, cut: int) -> IntArray:
    """Likewise of a chunk of its document that says what a reference says."""
    return _first_ranks(found.ranked[:, :cut], data.semantic_holders, len(data.chunks))


def _first_ranks(ranked: IntArray, holding: Ragged, chunks: int) -> IntArray:
    if not ranked.size:
        return np.zeros(len(ranked), dtype=np.int64)
    asked = np.arange(len(ranked))[:, None] * chunks + ranked
    holds = (ranked >= 0) & np.isin(asked, holding.rows * chunks + holding.values)
    return np.where(holds.any(axis=1), holds.argmax(axis=1) + 1, 0)


def document_grades(data: Collection, found: Found, cut: int) -> tuple[Values, Values]:
    """Grades of the distinct documents found, each at the place of its best chunk, and the best grades."""
    documents, ranked = data.documents, found.ranked[:, :cut]
    named = np.where(ranked < 0, -1, documents.of_chunks[ranked])
    first = first_of_each(named + 1) & (named >= 0)
    rows, columns = np.nonzero(first)
    gains = np.zeros((len(named), min(cut, named.shape[1])))
    gains[rows, (np.cumsum(first, axis=1) - 1)[rows, columns]] = documents.grades_of(named)[rows, columns]
    relevant = documents.relevant
    best = np.zeros((len(named), min(cut, int(relevant.lengths.max(initial=0)))))
    for row in range(len(named)):
        own = np.sort(documents.grades[relevant.offsets[row] : relevant.offsets[row + 1]])[::-1][:cut]
        best[row, : len(own)] = own
    return gains, best
