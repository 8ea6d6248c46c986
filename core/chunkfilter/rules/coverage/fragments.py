"""Pieces of sentences that a chunk's edge cut off, and the chunks that contain them in one piece."""

from dataclasses import dataclass

import numpy as np

from chunkfilter.rules.coverage.table import Tokens
from chunkfilter.text.ragged import AnyIntArray, BoolArray, IntArray, offsets_of, ranges
from chunkfilter.text.slices import HashArray, equal_slices, group_equals, shingle_hashes, slice_hashes

#: A fragment is found by its rarest run of so many tokens; it has at least as many.
GRAM = 5
#: Places of a run that are looked at for one fragment, those of the most wanted chunks: enough for any real
#: text, and what bounds the work on texts that repeat few words.
MOST_PLACES = 1 << 10
#: More than a fragment has tokens.
_PLACES = 1 << 32
#: Tokens compared at once.
_TILE = 1 << 21


@dataclass(frozen=True, slots=True, eq=False)
class Fragments:
    """f pieces of text that must be contained in one piece, as slices of the flat tokens.

    Args:
        rows: shape (f,): the chunk of each.
        starts: shape (f,).
        ends: shape (f,).
    """

    rows: IntArray
    starts: IntArray
    ends: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Occurrences:
    """Where fragments occur.

    Args:
        groups: shape (f,): equal for equal fragments; -1 for one that is too short to be looked for.
        found: shape (p,): a group, and
        rows: shape (p,): a chunk that contains it,
        ends: shape (p,): up to this place in the flat tokens.
    """

    groups: IntArray
    found: IntArray
    rows: IntArray
    ends: IntArray


def find_fragments(fragments: Fragments, tokens: Tokens, givers: BoolArray) -> Occurrences:
    """Find the chunks that contain each fragment.

    Args:
        fragments: f fragments.
        tokens: of n chunks.
        givers: shape (n,): chunks that may contain them.
    """
    groups = np.full(len(fragments.rows), -1, dtype=np.int64)
    starts, ends = fragments.starts, fragments.ends
    long_enough = np.flatnonzero(ends - starts >= GRAM)
    if not len(long_enough):
        nothing = np.empty(0, dtype=np.int64)
        return Occurrences(groups, nothing, nothing, nothing)
    values, starts, ends = tokens.rows.values, starts[long_enough], ends[long_enough]

    def same(one: IntArray, other: IntArray) -> BoolArray:
        return equal_slices(values, starts, ends, one, other)

    offsets = offsets_of(ends - starts)
    hashes = slice_hashes(values[ranges(starts, ends - starts)], offsets[:-1], offsets[1:])
    order, numbers = group_equals(hashes, same)
    first_of_group = np.diff(numbers, prepend=-1) > 0
    groups[long_enough[order]] = np.cumsum(first_of_group) - 1
    firsts = order[first_of_group]
    found, places = _candidates(values, starts[firsts], ends[firsts], givers[tokens.row_of])
    return Occurrences(groups, *_contained(tokens, starts[firsts], ends[firsts], found, places))


def _candidates(
    values: AnyIntArray, starts: IntArray, ends: IntArray, giving: BoolArray
) -> tuple[IntArray, IntArray]:
    """Pairs of a fragment and a place where it may begin: where its rarest run of tokens stands."""
    hashes = shingle_hashes(values, GRAM)
    buckets = _buckets(hashes)
    counts = np.bincount(buckets)
    lengths = ends - starts - GRAM + 1
    places = ranges(starts, lengths)
    coded = counts[buckets[places]] * _PLACES + (places - np.repeat(starts, lengths))
    rarest = starts + np.minimum.reduceat(coded, offsets_of(lengths)[:-1]) % _PLACES
    wanted, groups = np.unique(hashes[rarest], return_inverse=True)
    asked = np.zeros(len(counts), dtype=np.bool_)
    asked[buckets[rarest]] = True
    there = np.flatnonzero(asked[buckets] & giving[: len(buckets)])
    number = np.minimum(np.searchsorted(wanted, hashes[there]), len(wanted) - 1)
    there, number = there[wanted[number] == hashes[there]], number[wanted[number] == hashes[there]]
    order = np.argsort(number, kind="stable")
    bounds = np.searchsorted(number[order], np.arange(len(wanted) + 1))
    sizes = np.minimum(np.diff(bounds), MOST_PLACES)[groups]
    found = np.repeat(np.arange(len(starts)), sizes)
    begins = there[order][ranges(bounds[groups], sizes)] - np.repeat(rarest - starts, sizes)
    return found, begins


def _buckets(hashes: HashArray) -> IntArray:
    """A number for each hash in about twice as many as there are hashes: rare ones are mostly alone."""
    bits = max(len(hashes).bit_length() + 1, 8)
    return (hashes >> np.uint64(64 - min(bits, 26))).astype(np.int64)


def _contained(
    tokens: Tokens, starts: IntArray, ends: IntArray, found: IntArray, begins: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """The candidates that hold the whole fragment inside one chunk: fragment, row, end."""
    values, offsets = tokens.rows.values, tokens.rows.offsets
    lengths = (ends - starts)[found]
    inside = (begins >= 0) & (begins + lengths <= len(values))
    found, begins, lengths = found[inside], begins[inside], lengths[inside]
    rows = tokens.row_of[begins].astype(np.int64)
    inside = begins + lengths <= offsets[rows + 1]
    found, begins, lengths, rows = found[inside], begins[inside], lengths[inside], rows[inside]
    equal = np.ones(len(found), dtype=np.bool_)
    tiles = np.flatnonzero(np.diff(np.cumsum(lengths) // _TILE)) + 1
    for tile in np.split(np.arange(len(found)), tiles):
        ours, theirs = ranges(starts[found[tile]], lengths[tile]), ranges(begins[tile], lengths[tile])
        equal[np.repeat(tile, lengths[tile])[values[ours] != values[theirs]]] = False
    return found[equal], rows[equal], (begins + lengths)[equal]
