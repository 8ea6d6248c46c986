"""What stands before and after a chunk in its source, as far as the other chunks of a run tell.

Chunks of a source are placed by their spans, where these fit their texts and each other; those of page and
section loaders, counted from the page, do not, and are not believed. Others are placed behind the chunk
before them if they begin with its last ``OVERLAP`` characters or more. Where two chunks overlap or touch, the
text between them is known, and so is whether a sentence ends there. Splitters strip white space: spans with a
small gap between them are neighbours too, and so are chunks of one source without places, in the order in
which they came; what the white space was is then not known, and in doubt an edge is neither taken for whole
nor for cut.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkfilter.chunk import Chunk
from chunkfilter.text.sentences import begins_lower, closing_terminator, ends_between, ends_sentence

#: What is known of an edge: nothing; a sentence begins or ends there; it may be cut; it is cut.
NOTHING, BOUNDARY, DOUBT, CUT = range(4)
#: Characters that two chunks without spans must share, end with beginning, to be taken for neighbours.
OVERLAP = 80
#: Places at which the beginning of a chunk is looked for in the one before, from its start.
_TRIES = 8
#: Characters between two spans that can be white space which a splitter stripped.
_GAP = 8
#: Characters on each side of a place that are looked at.
_NEAR = 400


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """What is known of the two edges of n chunks.

    Args:
        starts: shape (n,), one of ``NOTHING``, ``BOUNDARY``, ``DOUBT``, ``CUT``.
        ends: shape (n,), likewise.
        closing: for a chunk in front of whose terminator a splitter cut, that terminator.
    """

    starts: NDArray[np.int8]
    ends: NDArray[np.int8]
    closing: dict[int, str]


class _Place(NamedTuple):
    """Where a chunk stands in its document, in characters, end exclusive."""

    start: int
    end: int
    row: int


def known_edges(chunks: Sequence[Chunk], reading_order: Sequence[int]) -> Edges:
    """Look at the neighbours of each chunk in its source.

    Args:
        chunks: n chunks.
        reading_order: positions in the order in which the caller passed them, shape (n,).
    """
    kinds = np.full((2, len(chunks)), NOTHING, dtype=np.int8)
    edges = Edges(kinds[0], kinds[1], {})
    by_source: dict[str | None, list[int]] = {}
    for row in reading_order:
        by_source.setdefault(chunks[row].source, []).append(row)
    for source, rows in by_source.items():
        placed = [_Place(*chunks[row].spans[0], row) for row in rows if _is_placed(chunks[row])]
        placed.sort()
        if placed and not _agree(chunks, placed):
            for place in placed:
                edges.starts[place.row] = DOUBT if place.start == 0 else NOTHING
            placed = []
        known = {place.row for place in placed}
        unplaced = [row for row in rows if row not in known]
        if source is not None:
            _doubt_neighbours(edges, chunks, [place.row for place in placed], placed)
            _doubt_neighbours(edges, chunks, unplaced, None)
        for document in (placed, *_by_overlap(chunks, unplaced)):
            for earlier, later in _touching(document):
                _note(edges, chunks, earlier, later)
    return edges


def _is_placed(chunk: Chunk) -> bool:
    spans = chunk.spans
    return chunk.source is not None and len(spans) == 1 and spans[0][1] - spans[0][0] == len(chunk.text)


def _agree(chunks: Sequence[Chunk], placed: list[_Place]) -> bool:
    """Whether the texts of chunks agree wherever their spans overlap."""
    return all(_shared(chunks, *pair) is not None for pair in _touching(placed))


def _shared(chunks: Sequence[Chunk], earlier: _Place, later: _Place) -> int | None:
    """Characters that two chunks share by their spans; ``None`` if their texts differ there."""
    shift, shared = later.start - earlier.start, min(earlier.end, later.end) - later.start
    same = chunks[earlier.row].text[shift : shift + shared] == chunks[later.row].text[:shared]
    return shared if same else None


def _doubt_neighbours(
    edges: Edges, chunks: Sequence[Chunk], rows: list[int], placed: list[_Place] | None
) -> None:
    """Note what two chunks that follow each other tell where the text between them is not known."""
    for number, (one, other) in enumerate(pairwise(rows)):
        if placed is not None and not 0 <= placed[number + 1].start - placed[number].end <= _GAP:
            continue
        before, after = chunks[one].text[-_NEAR:].rstrip(), chunks[other].text[:_NEAR].lstrip()
        if not before or not after:
            continue
        if ends_between(before, " " + after):
            if placed is not None:
                edges.ends[one] = edges.starts[other] = BOUNDARY
            continue
        goes_on = begins_lower(after) and not (
            ends_sentence(before.rsplit(None, 1)[-1]) or ends_between(before, "\n" + after)
        )
        edges.ends[one] = edges.starts[other] = CUT if goes_on else DOUBT


def _by_overlap(chunks: Sequence[Chunk], rows: list[int]) -> list[list[_Place]]:
    documents: list[list[_Place]] = []
    place: _Place | None = None
    for row in rows:
        text = chunks[row].text
        shift = None if place is None else _overlap_start(chunks[place.row].text, text)
        if place is None or shift is None:
            place = _Place(0, len(text), row)
            documents.append([place])
        else:
            place = _Place(place.start + shift, place.start + shift + len(text), row)
            documents[-1].append(place)
    return documents


def _overlap_start(before: str, after: str) -> int | None:
    """Where the second text begins in the first, if the first ends with its beginning."""
    head, start = after[:OVERLAP], -1
    for _ in range(_TRIES if len(head) == OVERLAP else 0):
        start = before.find(head, start + 1)
        if start < 0:
            return None
        if after.startswith(before[start:]):
            return start
    return None


def _touching(document: list[_Place]) -> Iterator[tuple[_Place, _Place]]:
    """Neighbours whose places touch or overlap, the earlier one first."""
    furthest: _Place | None = None
    for place in sorted(document):
        if furthest is not None and place.start <= furthest.end:
            yield furthest, place
        if furthest is None or place.end >= furthest.end:
            furthest = place


def _note(edges: Edges, chunks: Sequence[Chunk], earlier: _Place, later: _Place) -> None:
    """Note what two chunks tell about each other's edges where the text between them is known."""
    first, second = chunks[earlier.row].text, chunks[later.row].text
    shared = min(earlier.end, later.end) - later.start
    if later.start > earlier.start:
        edges.starts[later.row] = _meet(first[: later.start - earlier.start], second)
    if earlier.end < later.end:
        _note_end(edges, earlier.row, first, second[shared:])
    elif later.end < earlier.end:
        _note_end(edges, later.row, second, first[later.end - earlier.start :])


def _note_end(edges: Edges, row: int, text: str, following: str) -> None:
    terminator = closing_terminator(following)
    edges.ends[row] = _meet(text + terminator, following[len(terminator) :])
    if terminator and edges.ends[row] == BOUNDARY:
        edges.closing[row] = terminator


def _meet(before: str, after: str) -> int:
    before, after = before[-_NEAR:], after[:_NEAR]
    if not before.strip() or not after.strip():
        return NOTHING
    return BOUNDARY if ends_between(before, after) else CUT
