r"""What counts as a token in the measures, and the tokens of chunks and references as rows of numbers.

``word``: the runs of ``\w`` in the lower-cased text, as the study reads it; in scripts without spaces every
character is one, and marks (vowel signs, accents) belong to the letter before them.
``lemma``: these without English stop words, reduced to base forms (:mod:`chunkfilter.evaluate.lemmas`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import regex

from chunkfilter.errors import InputError
from chunkfilter.evaluate.lemmas import lemma_numbers
from chunkfilter.text.normalise import UNSPACED
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of
from chunkfilter.text.row_sets import sorted_sets
from chunkfilter.text.vocabulary import Vocabulary

_TOKEN = regex.compile(
    rf"{UNSPACED}\p{{M}}*+|[[\p{{L}}\p{{N}}\p{{M}}_]--{UNSPACED}]++", regex.VERSION1 | regex.UNICODE
)


def word_tokens(text: str) -> list[str]:
    """The ``word`` tokens of a text, in order."""
    found: list[str] = _TOKEN.findall(text.lower())
    return found


def _unchanged(words: Sequence[str]) -> IntArray:
    return np.arange(len(words), dtype=np.int64)


#: Every kind of token: what makes its numbers from the distinct ``word`` tokens, -1 for those left out.
#: A new one gets a line here.
TOKENS: dict[str, Callable[[Sequence[str]], IntArray]] = {
    "word": _unchanged,
    "lemma": lemma_numbers,
}


def checked_tokens(kinds: Sequence[str]) -> tuple[str, ...]:
    """The kinds without repetition.

    Raises:
        InputError: none, or an unknown one.
    """
    unknown = [kind for kind in kinds if kind not in TOKENS]
    if isinstance(kinds, str) or unknown or not kinds:
        raise InputError(f"tokens: got {kinds!r}; expected one or more of {', '.join(TOKENS)}")
    return tuple(dict.fromkeys(kinds))


@dataclass(frozen=True, slots=True, eq=False)
class TokenTable:
    """The tokens of n chunks and of the references of q questions, numbered alike.

    Args:
        sequences: tokens of each chunk in order, n rows.
        chunks: distinct tokens of each chunk, ascending, n rows.
        references: distinct tokens of each question's references together, ascending, q rows.
        size: one more than the largest number.
    """

    sequences: Ragged
    chunks: Ragged
    references: Ragged
    size: int


def token_tables(
    chunk_texts: Sequence[str], references: Sequence[str], kinds: Sequence[str]
) -> dict[str, TokenTable]:
    """Tables of several kinds of tokens; the texts are read once.

    Args:
        chunk_texts: n texts.
        references: for each question the texts of its references, joined by white space.
        kinds: keys of ``TOKENS``.

    Raises:
        MissingExtraError: a kind needs a package that is not installed.
    """
    vocabulary = Vocabulary(word_tokens)
    chunks, wanted = vocabulary.encode(chunk_texts), vocabulary.encode(references)
    words = vocabulary.tokens()
    return {kind: _table(chunks, wanted, TOKENS[kind](words)) for kind in kinds}


def _table(chunks: Ragged, references: Ragged, numbers: IntArray) -> TokenTable:
    size = int(numbers.max(initial=-1)) + 1
    sequences = _renumbered(chunks, numbers)
    return TokenTable(sequences, sorted_sets(sequences), sorted_sets(_renumbered(references, numbers)), size)


def _renumbered(rows: Ragged, numbers: IntArray) -> Ragged:
    values = numbers[rows.values]
    counted = values >= 0
    lengths = np.bincount(rows.rows[counted], minlength=len(rows))
    return Ragged(values[counted], offsets_of(lengths))
