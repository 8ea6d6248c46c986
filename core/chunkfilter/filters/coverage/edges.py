"""What stands before and after a chunk in its source, as far as the other chunks of the run tell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkfilter.chunk import Chunk
from chunkfilter.filters.batch import BoolArray
from chunkfilter.text.ragged import IntArray
from chunkfilter.text.sentences import begins_lower, ends_sentence, ends_without_space, is_lower_case

_SignArray = NDArray[np.int8]
#: Characters on each side of a cut that are looked at.
_NEAR = 80
#: Characters that two chunks without spans must share, end with beginning, to be taken for neighbours.
OVERLAP = 80
#: Places at which the beginning of a chunk is looked for in the one before, from its start.
TRIES = 8


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Whether a chunk is cut between two sentences.

    Args:
        starts: shape (n,): 1 a sentence ends just before the chunk, -1 none does, 0 not known.
        ends: shape (n,): the same for the end of the chunk.
        opening: shape (n,): the chunk's own span says that its document begins with it.
    """

    starts: _SignArray
    ends: _SignArray
    opening: BoolArray


class _Place(NamedTuple):
    """Where a chunk stands in its document, in characters, end exclusive."""

    start: int
    end: int
    row: int


def known_edges(chunks: Sequence[Chunk], reading_order: IntArray) -> Edges:
    """Look at the chunks of the same source that hold the characters around a chunk's edges.

    Chunks that name their source and have one span of their text's length are placed by it. The others are
    placed behind the one before them if they begin with its last ``OVERLAP`` characters or more.

    Args:
        chunks: n chunks.
        reading_order: shape (n,), positions in the order in which the caller passed them.
    """
    opening = np.array([bool(chunk.spans) and chunk.spans[0][0] == 0 for chunk in chunks], dtype=np.bool_)
    edges = Edges(opening.astype(np.int8), np.zeros(len(chunks), dtype=np.int8), opening)
    placed: list[int] = []
    unplaced: list[int] = []
    for row in reading_order.tolist():
        (placed if _is_placed(chunks[row]) else unplaced).append(row)
    for document in [*_by_span(chunks, placed), *_by_overlap(chunks, unplaced)]:
        for earlier, later in _touching(document):
            _note(edges, chunks, earlier, later)
    return edges


def _is_placed(chunk: Chunk) -> bool:
    spans = chunk.spans
    return chunk.source is not None and len(spans) == 1 and spans[0][1] - spans[0][0] == len(chunk.text)


def _by_span(chunks: Sequence[Chunk], rows: list[int]) -> list[list[_Place]]:
    documents: dict[str | None, list[_Place]] = {}
    for row in rows:
        documents.setdefault(chunks[row].source, []).append(_Place(*chunks[row].spans[0], row))
    return list(documents.values())


def _by_overlap(chunks: Sequence[Chunk], rows: list[int]) -> list[list[_Place]]:
    documents: list[list[_Place]] = []
    place: _Place | None = None
    for row in rows:
        chunk, shift = chunks[row], None
        if place is not None and chunks[place.row].source == chunk.source:
            shift = _overlap_start(chunks[place.row].text, chunk.text)
        if place is None or shift is None:
            place = _Place(0, len(chunk.text), row)
            documents.append([place])
        else:
            start = place.start + shift
            place = _Place(start, start + len(chunk.text), row)
            documents[-1].append(place)
    return documents


def _overlap_start(before: str, after: str) -> int | None:
    """Where the second text begins in the first, if the first ends with its beginning."""
    head, start = after[:OVERLAP], -1
    for _ in range(TRIES if len(head) == OVERLAP else 0):
        start = before.find(head, start + 1)
        if start < 0:
            return None
        if after.startswith(before[start:]):
            return start
    return None


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
    both = (first, second)
    if shift:
        edges.starts[later.row] = _sign(first[:shift], second, both)
    if earlier.end < later.end:
        edges.ends[earlier.row] = _sign(first, second[shared:], both)
    elif later.end < earlier.end:
        edges.ends[later.row] = _sign(second, first[later.end - earlier.start :], both)


def _sign(before: str, after: str, texts: tuple[str, str]) -> int:
    head, tail = before[-_NEAR:], after[:_NEAR]
    pieces, following = head.rsplit(None, 1), tail.split(None, 2)
    if not pieces or not following:
        return 0
    gap = head[len(head.rstrip()) :] + tail[: len(tail) - len(tail.lstrip())]
    return 1 if _sentence_ends(pieces[-1], gap, following, texts) else -1


def _sentence_ends(piece: str, gap: str, following: list[str], texts: tuple[str, str]) -> bool:
    """Whether a sentence ends after a piece; a lone terminator that follows is taken for a part of it."""
    if gap not in ("", " ") and any(line != gap for line in gap.splitlines()):
        return True
    if ends_sentence(following[0]) and not any(character.isalnum() for character in following[0]):
        piece, following = piece + following[0], following[1:]
    elif not gap:
        return ends_without_space(piece)
    if not ends_sentence(piece):
        return False
    return not (following and begins_lower(following[0])) or all(map(is_lower_case, texts))
