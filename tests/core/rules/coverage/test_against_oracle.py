"""Filter and certificate against :mod:`.oracle`, which knows the documents that chunks were cut from."""

import contextlib
import re
from dataclasses import dataclass, replace
from itertools import pairwise

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

import chunkfilter as cf
from chunkfilter.errors import CertificateError

from .oracle import CUT, NOTHING, WHOLE, Piece, coverable, covers, is_copy

SENTENCES = [
    "The pump starts at six in the morning.",
    "Valves open.",
    "Is it dry?",
    "It must not exceed the limit of the tank!",
    "The hall is closed on all days of the year",
    "Salt.",
]
LISTS = ["Bring to the hall:\n- Helmets.\n- Gloves and boots.", "Leave at the gate:\n- Helmets.\n- Ropes"]


@dataclass(frozen=True)
class Cut:
    """Chunks with what is true of them."""

    chunks: list[cf.Chunk]
    pieces: list[Piece]


@st.composite
def documents(draw: st.DrawFn, most: int) -> str:
    parts = draw(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=most))
    text = ""
    for part in parts:
        broken = part.replace(" ", "\n", draw(st.integers(0, 1)))
        gaps = ["\n\n"] if text and text[-1] not in ".?!" else [" ", " ", "\n", "\n\n"]
        text += (draw(st.sampled_from(gaps)) if text else "") + broken
    return text


def is_boundary(text: str, place: int) -> bool:
    """Whether a sentence of a document ends at a place, or just before the white space around it."""
    before, after = text[:place].rstrip(), text[place:].lstrip()
    gap = text[len(before) : len(text) - len(after)]
    return bool(gap) and (before[-1] in ".?!" or gap.count("\n") > 1)


def between_words(text: str, place: int) -> int:
    """The last place not behind this one that is not inside a word ("g." would be an initial)."""
    place = min(place, len(text))
    while 0 < place < len(text) and text[place - 1].isalpha() and text[place].isalpha():
        place -= 1
    return place


@st.composite
def cut_documents(draw: st.DrawFn, source: str, scope: str) -> Cut:
    """Windows over a document, that touch or overlap, with spans; some lose the white space at their ends."""
    text = draw(documents(9))
    size = draw(st.integers(20, 120))
    step = draw(st.integers(max(8, size // 3), size))
    stripped = step == size and draw(st.booleans())
    bounds = [
        (between_words(text, start), between_words(text, start + size)) for start in range(0, len(text), step)
    ]
    bounds = bounds[: next(place for place, (_, end) in enumerate(bounds) if end == len(text)) + 1]
    if stripped:  # a splitter that cuts at white space and strips it
        places = sorted({0, len(text), *(_space_before(text, end) for _, end in bounds)})
        bounds = list(pairwise(places))
        trimmed = [text[start:end].strip() for start, end in bounds]
        starts = [text.index(part, start) for (start, _), part in zip(bounds, trimmed, strict=True)]
        bounds = [(start, start + len(part)) for start, part in zip(starts, trimmed, strict=True) if part]
    pieces, chunks = [], []
    for number, (start, end) in enumerate(bounds):
        before = text[bounds[number - 1][0] : start] if number else ""
        after = text[end : bounds[number + 1][1]] if number + 1 < len(bounds) else ""
        pieces.append(_piece(text, start, end, before, after, stripped=stripped))
        chunks.append(
            cf.Chunk(text[start:end], metadata={"scope": scope}, source=source, spans=((start, end),))
        )
    return Cut(chunks, pieces)


def _space_before(text: str, place: int) -> int:
    return max(text.rfind(space, 0, place) for space in " \n") if re.search(r"\s", text[:place]) else 0


def _piece(text: str, start: int, end: int, before: str, after: str, *, stripped: bool) -> Piece:
    """What the neighbours, as far as they are given, show of the edges of a part of a document."""
    own = text[start:end]
    if stripped:  # what the white space was is not known
        return Piece(own, _met(before, own, own), _met(own, after, after))
    first = NOTHING
    if before.strip() and own.strip():
        first = WHOLE if is_boundary(text, start) else CUT
    closing, last = re.match(r"[.?!](?=\s|$)", after), NOTHING
    rest = after[1:] if closing else after
    if rest.strip() and own.strip():
        last = WHOLE if is_boundary(text, end + bool(closing)) else CUT
    return Piece(own, first, last, closing[0] if closing and last == WHOLE else "")


def _met(before: str, after: str, text: str) -> str:
    """What two parts show that had some white space between them, one character of it or more."""
    gap = len(before + text) - len(before.rstrip()) - len(after.lstrip())
    if not before.strip() or not after.strip():
        return NOTHING
    if before.rstrip()[-1] in ".?!":
        return WHOLE
    return CUT if gap == 1 else NOTHING


@st.composite
def lone_texts(draw: st.DrawFn, scope: str) -> Cut:
    """Texts that no source is known of, some cut, some with a list."""
    kinds = st.sampled_from([*SENTENCES, *LISTS]).map(str) | documents(2)
    texts = [text for text in draw(st.lists(kinds, max_size=4)) if len(text) < 80]
    cuts = [draw(st.sampled_from([0, 0, 0, 4, 9])) for _ in texts]
    texts = [text[cut:] for text, cut in zip(texts, cuts, strict=True) if text[cut:].strip()]
    chunks = [cf.Chunk(text, metadata={"scope": scope}) for text in texts]
    return Cut(chunks, [Piece(text, alone=True) for text in texts])


@st.composite
def runs(draw: st.DrawFn) -> tuple[Cut, int, list[str], str]:
    """Chunks in any order, how many of them exist already, the scope of each, a policy."""
    scope = st.sampled_from("ab")
    documents = range(draw(st.integers(1, 3)))
    parts = [draw(cut_documents(f"document {number}", draw(scope))) for number in documents]
    parts.append(draw(lone_texts(draw(scope))))
    rows = [row for part in parts for row in zip(part.chunks, part.pieces, strict=True)]
    assume(len(rows) <= 26)
    rows = draw(st.permutations(rows)) if draw(st.booleans()) else rows
    existing = draw(st.sampled_from([0, 0, 1, 3]))
    scoped = draw(st.booleans())
    scopes = [(chunk.metadata or {})["scope"] if scoped else "" for chunk, _ in rows]
    window = draw(st.sampled_from(["", "", " window=none", " window=7"]))
    policy = draw(st.sampled_from(["coverage", "coverage keep=longest"])) + window
    cut = Cut([chunk for chunk, _ in rows], [piece for _, piece in rows])
    return cut, existing, scopes, policy + (" scope=scope" if scoped else "")


def window_of(policy: str) -> int | None:
    return 7 if "window=7" in policy else None


@settings(max_examples=300)
@given(runs())
def test_every_removal_is_right_and_nothing_kept_is_covered(
    run: tuple[Cut, int, list[str], str],
) -> None:
    cut, existing, scopes, policy = run
    old, new = cut.chunks[:existing], cut.chunks[existing:]
    result = cf.filter_chunks(new, policy, existing=old)
    window = window_of(policy)
    event(
        "removed by coverage" if any(line.rule == "coverage" for line in result.removed) else "none removed"
    )
    for line in result.removed:
        if line.rule == "blank":
            assert not new[line.index].text.strip()
            continue
        places = named(line, existing)
        removed = cut.pieces[existing + line.index]
        assert all(scopes[place] == scopes[existing + line.index] for place in places)
        kept = [cut.pieces[place] for place in places]
        assert set(line.kept_by) <= set(result.kept)
        if line.rule == "exact":
            assert len(kept) == 1
            assert is_copy(kept[0], removed)
        else:
            assert covers(kept, removed, window)
    staying = [*range(existing), *(existing + place for place in result.kept)]
    for place in staying[existing:]:
        others = [cut.pieces[other] for other in staying if other != place and scopes[other] == scopes[place]]
        assert not coverable(others, cut.pieces[place], window)
    result.verify(new, existing=old)


@settings(max_examples=100)
@given(runs())
def test_what_was_kept_is_kept_again(run: tuple[Cut, int, list[str], str]) -> None:
    cut, existing, _, policy = run
    old, new = cut.chunks[:existing], cut.chunks[existing:]
    kept = [new[place] for place in cf.filter_chunks(new, policy, existing=old).kept]
    assert cf.filter_chunks(kept, policy, existing=old).removed == ()


@settings(max_examples=100)
@given(runs(), st.data())
def test_the_certificate_accepts_a_forged_line_only_where_it_holds(
    run: tuple[Cut, int, list[str], str], data: st.DataObject
) -> None:
    cut, existing, scopes, policy = run
    old, new = cut.chunks[:existing], cut.chunks[existing:]
    result = cf.filter_chunks(new, policy, existing=old)
    lines = [line for line in result.removed if line.rule != "blank"]
    assume(lines)
    line = data.draw(st.sampled_from(lines))
    places = named(line, existing)
    staying = [*range(existing), *(existing + place for place in result.kept)]
    left_out = st.sampled_from(places).map(lambda gone: [place for place in places if place != gone])
    others = st.lists(st.sampled_from(staying), min_size=1, max_size=4, unique=True)
    more = st.sampled_from(staying).map(lambda other: list(dict.fromkeys([*places, other])))
    forged = data.draw(left_out | others | more)
    changed = replace(
        line,
        kept_by=tuple(sorted(place - existing for place in forged if place >= existing)),
        kept_by_existing=tuple(sorted(place for place in forged if place < existing)),
    )
    removed, kept = cut.pieces[existing + line.index], [cut.pieces[place] for place in forged]
    if line.rule == "exact":
        holds = len(kept) == 1 and is_copy(kept[0], removed)
    else:
        holds = covers(kept, removed, window_of(policy))
    holds = holds and all(scopes[place] == scopes[existing + line.index] for place in forged)
    event(f"holds: {holds}")
    lines_with = tuple(changed if one is line else one for one in result.removed)
    claim = replace(result, removed=lines_with)
    with contextlib.nullcontext() if holds else pytest.raises(CertificateError):
        claim.verify(new, existing=old)


@settings(max_examples=40)
@given(runs(), st.data())
def test_a_text_that_changed_since_is_named(
    run: tuple[Cut, int, list[str], str], data: st.DataObject
) -> None:
    cut, _, _, policy = run
    result = cf.filter_chunks(cut.chunks, policy)
    place = data.draw(st.integers(0, len(cut.chunks) - 1))
    chunk = cut.chunks[place]
    stale = [*cut.chunks]
    stale[place] = cf.Chunk(chunk.text + "!", metadata=chunk.metadata, source=chunk.source)
    with pytest.raises(CertificateError, match=f"chunk {place} .*not the one that was filtered"):
        result.verify(stale)


def named(line: cf.Removal, existing: int) -> list[int]:
    return [*line.kept_by_existing, *(existing + place for place in line.kept_by)]
