"""A chunk as its sentences, with what is known of its edges: what coverage and its certificate both read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunkfilter.chunk import Chunk
from chunkfilter.text.edges import BOUNDARY, CUT, NOTHING, known_edges
from chunkfilter.text.sentences import begins_lower, sentences


@dataclass(frozen=True, slots=True)
class Reading:
    """The sentences of one chunk; joined by spaces they are its normal form.

    Args:
        texts: the sentences in order, each in normal form with its terminator.
        leads: for each the position of the line that leads it in, -1 for none.
        headless: ``texts[0]`` is a terminator that a splitter cut off from the sentence it ends.
        start_cut: something shows that the first sentence is cut off by the edge of the chunk: it is a piece.
        end_cut: likewise for the last one.
        start_whole: nothing suggests that the first sentence may be cut.
        end_whole: likewise for the last one.
        closed: a sentence ends for certain where the chunk ends.
    """

    texts: tuple[str, ...]
    leads: tuple[int, ...]
    headless: bool
    start_cut: bool
    end_cut: bool
    start_whole: bool
    end_whole: bool
    closed: bool


def read(chunks: Sequence[Chunk], reading_order: Sequence[int]) -> Iterator[Reading]:
    """Cut every chunk into sentences and look at its edges.

    In doubt the stricter reading is taken on both sides: only an edge that is shown to be cut makes a piece,
    and only a sentence that nothing suggests to be cut is given to others.

    Args:
        chunks: n chunks.
        reading_order: positions in the order in which the caller passed them, shape (n,).
    """
    edges = known_edges(chunks, reading_order)
    kinds = zip(chunks, edges.starts.tolist(), edges.ends.tolist(), strict=True)
    for row, (chunk, start, end) in enumerate(kinds):
        found = sentences(chunk.text)
        texts, closing = found.texts, edges.closing.get(row, "")
        if closing and texts:
            texts = (*texts[:-1], texts[-1] + closing)
        closed = end != CUT and (found.closed or end == BOUNDARY)
        lower = bool(texts) and begins_lower(texts[0])
        yield Reading(
            texts,
            found.leads,
            found.headless,
            start_cut=start == CUT and not found.headless,
            end_cut=end == CUT,
            start_whole=start == BOUNDARY or (start == NOTHING and not lower),
            end_whole=closed or end == NOTHING,
            closed=closed,
        )
