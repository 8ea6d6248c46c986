"""The runs of words that two texts have in common, as characters of both."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from chunkfilter.text.sentences import find_sentences
from chunkfilter.text.words import QUARTERS, Vocabulary, word_spans, word_weight, words

Span = tuple[int, int]

#: Shorter runs are chance.
WORDS = 5


@dataclass(frozen=True, slots=True)
class SharedRun:
    """Words that stand one after another in both texts.

    Args:
        removed: (start, end) in the first text, in characters, end exclusive.
        keeper: (start, end) in the second.
        words: how many.
    """

    removed: Span
    keeper: Span
    words: int


def shared_runs(removed_text: str, keeper_text: str) -> list[SharedRun]:
    """The runs of words of one text that stand verbatim in another, in its order.

    Runs have at least ``WORDS`` words, or all of the first text if that has fewer, or they are a sentence of
    both texts. Those that lie inside a longer one are left out; of equal ones in several places of the second
    text the first is named.

    Args:
        removed_text: the text whose words are looked for.
        keeper_text: the text they are looked for in.
    """
    ours, theirs = words(removed_text), words(keeper_text)
    our_spans, their_spans = word_spans(removed_text), word_spans(keeper_text)
    return [
        SharedRun(
            (our_spans[start][0], our_spans[start + length - 1][1]),
            (their_spans[there][0], their_spans[there + length - 1][1]),
            length,
        )
        for start, there, length in _outermost(
            chain(_maximal(ours, theirs), _same_sentences(removed_text, keeper_text))
        )
    ]


def _maximal(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Runs that cannot be made longer: (start in one, start in the other, words), by start."""
    size = min(len(ours), WORDS)
    places: dict[tuple[str, ...], list[int]] = {}
    for there in range(len(theirs) - size + 1):
        places.setdefault(tuple(theirs[there : there + size]), []).append(there)
    for start in range(len(ours) - size + 1 if size else 0):
        for there in places.get(tuple(ours[start : start + size]), ()):
            if start and there and ours[start - 1] == theirs[there - 1]:
                continue
            length, most = size, min(len(ours) - start, len(theirs) - there)
            while length < most and ours[start + length] == theirs[there + length]:
                length += 1
            weight = sum(map(word_weight, ours[start : start + length]))
            if weight >= WORDS * QUARTERS or length == len(ours):
                yield start, there, length


def _same_sentences(removed_text: str, keeper_text: str) -> Iterator[tuple[int, int, int]]:
    """Sentences of both texts, in the form of :func:`_maximal`."""
    places: dict[tuple[str, ...], int] = {}
    for there, sentence in _sentences(keeper_text):
        places.setdefault(sentence, there)
    for start, sentence in _sentences(removed_text):
        if sentence in places:
            yield start, places[sentence], len(sentence)


def _sentences(text: str) -> list[tuple[int, tuple[str, ...]]]:
    """Place of the first word of each sentence, and its words."""
    vocabulary, all_words = Vocabulary(), words(text)
    pieces = vocabulary.pieces([text])
    found = find_sentences(pieces, vocabulary, vocabulary.words_of(pieces).offsets)
    bounds = zip(found.starts.tolist(), found.ends.tolist(), strict=True)
    return [(start, tuple(all_words[start:end])) for start, end in bounds]


def _outermost(runs: Iterator[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    reached = 0
    for start, there, length in sorted(runs, key=lambda run: (run[0], -run[2], run[1])):
        if start + length > reached:
            yield start, there, length
            reached = start + length
