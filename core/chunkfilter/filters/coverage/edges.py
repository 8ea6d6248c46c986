"""What stands before and after a chunk in its source, as far as the other chunks of the run tell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkfilter.chunk import Chunk
from chunkfilter.text.ragged import IntArray
from chunkfilter.text.sentences import begins_lower, ends_sentence, ends_without_space

_SignArray = NDArray[np.int8]
#: Characters on each side of a cut that are looked at.
_NEAR = 200
#: Characters that two chunks without spans must share, end with beginning, to be taken for neighbours.
OVERLAP = 80


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Whether a chunk is cut between two sentences.

    Args:
        starts: shape (n,): 1 a sentence ends just before the chunk, -1 none does, 0 not known.
        ends: shape (n,): the same for the end of the chunk.
    """

    starts: _SignArray
    ends: _SignArray


@dataclass(frozen=True, slots=True, order=True)
class _Place:
    """Where a chunk stands in its document, in characters, end exclusive."""

    start: int
    end: int
    row: int


def known_edges(chunks: Sequence[Chunk], reading_order: IntArray) -> Edges:
    """Look at the chunks of the same source that hold the characters around a chunk's edges.

    Chunks with one span of their text's length are placed by it; a source of ``None`` is taken for one
    document as long as the spans ascend. Chunks without spans are placed behind the one before them if they
    begin with its last ``OVERLAP`` characters or more.

    Args:
        chunks: n chunks.
        reading_order: shape (n,), positions in the order in which the caller passed them.
    """
    edges = Edges(np.zeros(len(chunks), dtype=np.int8), np.zeros(len(chunks), dtype=np.int8))
    spanned = [row for row in reading_order.tolist() if len(chunks[row].spans) == 1]
    unspanned = [row for row in reading_order.tolist() if not chunks[row].spans]
    for row in spanned:
        edges.starts[row] = chunks[row].spans[0][0] == 0
    for document in [*_by_span(chunks, spanned), *_by_overlap(chunks, unspanned)]:
        for earlier, later in _touching(document):
            _note(edges, chunks, earlier, later)
    return edges


def _by_span(chunks: Sequence[Chunk], rows: list[int]) -> list[list[_Place]]:
    documents: dict[tuple[str | None, int], list[_Place]] = {}
    nameless, last = 0, -1
    for row in rows:
        source, (start, end) = chunks[row].source, chunks[row].spans[0]
        if end - start != len(chunks[row].text):
            continue
        if source is None:
            nameless += start < last
            last = start
        key = (source, nameless if source is None else 0)
        documents.setdefault(key, []).append(_Place(start, end, row))
    return list(documents.values())


def _by_overlap(chunks: Sequence[Chunk], rows: list[int]) -> list[list[_Place]]:
    documents: list[list[_Place]] = []
    for before, row in zip([None, *rows], rows, strict=False):
        text, shift = chunks[row].text, None
        if before is not None and chunks[before].source == chunks[row].source:
            shift = _overlap_start(chunks[before].text, text)
        if shift is None:
            documents.append([_Place(0, len(text), row)])
        else:
            start = documents[-1][-1].start + shift
            documents[-1].append(_Place(start, start + len(text), row))
    return documents


def _overlap_start(before: str, after: str) -> int | None:
    """Where the second text begins in the first, if the first ends with its beginning."""
    head = after[:OVERLAP]
    start = before.find(head) if len(head) == OVERLAP else -1
    while start >= 0 and not after.startswith(before[start:]):
        start = before.find(head, start + 1)
    return start if start >= 0 else None


def _touching(document: list[_Place]) -> Iterator[tuple[_Place, _Place]]:
    """Neighbours whose spans touch or overlap, the earlier one first."""
    ordered = sorted(document)
    furthest = ordered[0]
    for place in ordered[1:]:
        if place.start <= furthest.end:
            yield furthest, place
        if place.end >= furthest.end:
            furthest = place


def _note(edges: Edges, chunks: Sequence[Chunk], earlier: _Place, later: _Place) -> None:
    """Write down what two neighbours tell about each other's edges, if they agree where they overlap."""
    first, second = chunks[earlier.row].text, chunks[later.row].text
    shift, shared = later.start - earlier.start, min(earlier.end, later.end) - later.start
    if first[shift : shift + shared] != second[:shared]:
        return
    if shift:
        edges.starts[later.row] = _sign(first[:shift], second)
    if earlier.end < later.end:
        edges.ends[earlier.row] = _sign(first, second[shared:])
    elif later.end < earlier.end:
        edges.ends[later.row] = _sign(second, first[later.end - earlier.start :])


def _sign(before: str, after: str) -> int:
    pieces, following = before[-_NEAR:].split(), after[:_NEAR].split()
    if not pieces or not following:
        return 0
    gap = before[len(before.rstrip()) :] + after[: len(after) - len(after.lstrip())]
    return 1 if _sentence_ends(pieces[-1], gap, following) else -1


def _sentence_ends(piece: str, gap: str, following: list[str]) -> bool:
    """Whether a sentence ends after a piece; a lone terminator that follows is taken for a part of it."""
    if any(line != gap for line in gap.splitlines()):
        return True
    if ends_sentence(following[0]) and not any(character.isalnum() for character in following[0]):
        piece, following = piece + following[0], following[1:]
    elif not gap:
        return ends_without_space(piece)
    return ends_sentence(piece) and not (following and begins_lower(following[0]))
