"""A chunk as its sentences, with what is known of its edges: what coverage and its certificate both read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from chunkfilter.chunk import Chunk
from chunkfilter.text.edges import BOUNDARY, CUT, NOTHING, known_edges
from chunkfilter.text.normalise import WORD, token_weight, tokens_of_normal
from chunkfilter.text.sentences import begins_lower, is_full_stop, sentences


@dataclass(frozen=True, slots=True)
class Reading:
    """The sentences of one chunk; joined by spaces they are its normal form.

    Args:
        texts: the sentences in order, each in normal form with its terminator.
        leads: for each the position of the line that leads it in, -1 for none.
        headless: ``texts[0]`` is a terminator that a splitter cut off from the sentence it ends.
        start_cut: something shows that the edge of the chunk cuts off the first sentence: it is a piece. With
            the sentence beside it, it has at least five words; a shorter one is no piece, but counts as a
            sentence of its own, which only an equal one covers.
        end_cut: likewise for the last one.
        open: the text does not show that its last sentence ends: a full stop more makes no difference.
        start_given: the first sentence is given to others, as it is known or not doubted to be whole.
        end_given: likewise for the last one.
        closing: a full stop that opens the next chunk and belongs to the last sentence as it is given.
    """

    texts: tuple[str, ...]
    leads: tuple[int, ...]
    headless: bool
    start_cut: bool
    end_cut: bool
    open: bool
    start_given: bool
    end_given: bool
    closing: str

    def given(self) -> tuple[str, ...]:
        """The sentences as others may have them: the last one with its terminator."""
        return (*self.texts[:-1], self.texts[-1] + self.closing) if self.closing else self.texts


#: Fewest words of a piece with the sentence beside it.
_PIECE = 5


def _enough(texts: tuple[str, ...]) -> bool:
    words = 0
    for token in chain.from_iterable(map(tokens_of_normal, texts)):
        words += token_weight(token)
        if words >= _PIECE * WORD:
            return True
    return False


def read(chunks: Sequence[Chunk], reading_order: Sequence[int]) -> Iterator[Reading]:
    """Cut every chunk into sentences and look at its edges.

    In doubt the stricter reading is taken on both sides. Only an edge that is shown to be cut makes a piece.
    A chunk that names its source gives a sentence at its edge only where a neighbour shows that it is whole;
    one without a source by its text, if it begins with anything but a lower-case letter, or ends with a
    terminator. So with fewer neighbours nothing more is redundant.

    Args:
        chunks: n chunks.
        reading_order: positions in the order in which the caller passed them, shape (n,).
    """
    edges = known_edges(chunks, reading_order)
    kinds = zip(chunks, edges.starts.tolist(), edges.ends.tolist(), strict=True)
    for row, (chunk, start, end) in enumerate(kinds):
        found, closing = sentences(chunk.text), edges.closing.get(row, "")
        texts = found.texts
        if closing and texts and not is_full_stop(closing):  # a question is none without its mark
            texts, closing = (*texts[:-1], texts[-1] + closing), ""
        alone = chunk.source is None
        lower = bool(found.texts) and begins_lower(found.texts[0])
        yield Reading(
            texts,
            found.leads,
            found.headless,
            start_cut=start == CUT and not found.headless and _enough(texts[:2]),
            end_cut=end == CUT and _enough(texts[max(len(texts) - 2, int(found.headless)) :]),
            open=not found.closed and texts is found.texts,
            start_given=not found.headless
            and (start == BOUNDARY or (alone and start == NOTHING and not lower)),
            end_given=end == BOUNDARY or (alone and end == NOTHING and found.closed),
            closing=closing if texts else "",
        )
