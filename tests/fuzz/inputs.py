"""What is thrown at the public entry points: odd, but of the kinds that callers pass."""

import datetime
import decimal
from typing import Any

import numpy as np
from hypothesis import strategies as st

import chunkfilter as cf

_ODD_TEXTS = [
    "",
    " \n\t",
    "\x00",
    "\ud800",
    "\udfff x",
    "\u200b",
    "\ufeff",
    "İ",
    "ß",
    "ﬁ",
    "e\u0301" * 70,
    "水" * 40,
    "ก" * 40,
    "👩‍🌾",
    "1,2,3.4.5%",
    "(1,240.00)",
    "-" * 50,
    "." * 50,
    "a." * 30,
    "No. 3. A.",
    "</script><b>",
    "=1+1",
    "\x1b[2J",
    "x" * 3000,
    "word " * 400,
]
_SENTENCES = [
    "The pump starts at six.",
    "The pump starts at seven.",
    "No one may enter the hall while the crane moves",
    "and valves open.",
    "pump starts at six",
]
TEXTS = st.one_of(
    st.text(st.characters(), max_size=60),
    st.sampled_from(_ODD_TEXTS),
    st.lists(st.sampled_from(_SENTENCES + _ODD_TEXTS), max_size=5).map(" ".join),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=5),
        st.binary(max_size=3),
        st.sampled_from(
            [
                datetime.date(2030, 1, 2),
                datetime.datetime(2030, 1, 2, tzinfo=datetime.UTC),
                datetime.datetime.max,
                decimal.Decimal(1),
                np.float32(1),
                np.array([1, 2]),
                np.array(3),
                "2030-01-02",
                "2030-13-45",
                object(),
            ]
        ),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
KEYS = st.sampled_from(["tenant", "acl", "date", "modified", "score", "source", "page", ""]) | st.text(
    max_size=4
)
METADATA = st.none() | st.dictionaries(KEYS, VALUES, max_size=4)
SPANS = st.one_of(
    st.just(()),
    st.tuples(st.integers(0, 50), st.integers(0, 50)).map(lambda span: ((min(span), max(span)),)),
    st.lists(st.integers(0, 99), min_size=4, max_size=4)
    .map(sorted)
    .map(lambda at: ((at[0], at[1]), (at[2], at[3]))),
)
CHUNKS = st.builds(
    cf.Chunk,
    TEXTS,
    id=st.none() | st.text(max_size=3),
    metadata=METADATA,
    source=st.none() | st.sampled_from(["a", "b"]),
    spans=SPANS,
)
ITEMS = st.lists(CHUNKS | TEXTS, max_size=8)

_RULES = st.sampled_from(
    [
        "none",
        "exact",
        "exact@paper",
        "minhash",
        "minhash@0.1",
        "minhash@1",
        "simhash",
        "simhash@0",
        "simhash@8",
        "similarity",
        "similarity@0",
        "similarity@1",
        "topics",
        "ner",
        "ner-exact",
        "ner-exact@paper",
        "ner-half@0",
        "ner-half@1",
        "coverage",
        "random@0",
        "random@1",
    ]
)
_OPTIONS = st.sampled_from(
    [
        "keep=longest",
        "keep=richest",
        "keep=newest:date",
        "keep=newest:page",
        "keep=best-score",
        "scope=tenant",
        "scope=source,acl",
        "guards=none",
        "guards=default",
        "blank=keep",
        "window=1",
        "window=7",
        "window=none",
        "max_removed=0.3",
    ]
)
POLICIES = st.builds(
    lambda rules, joins, options: " ".join(
        ["".join(part for pair in zip(rules, joins, strict=False) for part in pair) + rules[-1], *options]
    ),
    st.lists(_RULES, min_size=1, max_size=3),
    st.lists(st.sampled_from("+|"), max_size=2),
    st.lists(_OPTIONS, max_size=3, unique=True),
)
NUMBERS = st.one_of(st.floats(width=32), st.integers(-3, 3), st.just(1.0))


@st.composite
def signals(draw: st.DrawFn, count: int) -> dict[str, Any]:
    """Signals for ``count`` chunks, of a right or a wrong shape."""
    size = draw(st.sampled_from([count] * 8 + [count + 1]))
    row = st.lists(NUMBERS, min_size=3, max_size=3) | st.none()
    wild = st.lists(NUMBERS, max_size=4) | st.none() | VALUES
    given: dict[str, Any] = {}
    if draw(st.booleans()):
        given["vectors"] = draw(
            st.lists(draw(st.sampled_from([row, row, row, wild])), min_size=size, max_size=size)
        )
    if draw(st.booleans()):
        sets = st.frozensets(st.sampled_from(["Acme", ("Bern", "GPE"), 3, None]), max_size=3)
        given["entities"] = draw(st.lists(sets | st.none() | VALUES, min_size=size, max_size=size))
    if draw(st.booleans()):
        given["topics"] = draw(
            st.sampled_from(["kmeans", "lda", "nothing", 3]) | st.lists(VALUES, min_size=size, max_size=size)
        )
    if draw(st.booleans()):
        given["embedder"] = Lengths(draw(st.integers(-1, 40)))
    return given


class Lengths:
    """An embedder whose vectors tell lengths, and that reads a few characters."""

    def __init__(self, window: int) -> None:
        self._window = window

    def encode(self, texts: Any, /) -> Any:
        return [[len(text), text.count("e"), 1] for text in texts]

    def visible_ends(self, texts: Any, /) -> Any:
        return np.array([min(len(text), self._window) for text in texts])


#: Bytes put in the place of others; ``None`` stands for those that were there, twice.
_PUT = st.binary(max_size=6) | st.sampled_from(
    [b"", None, b"null", b"-1", b"[]", b"{}", b"9" * 30, b'"', b"\xff", b"\n", b"[" * 5000, b'{"a":' * 5000]
)
#: (place as a share of the file, length, what is put there).
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), _PUT), min_size=1, max_size=5)


def edited(content: bytes, edits: list[tuple[float, int, bytes | None]]) -> bytes:
    """A file with some bytes cut out, put in, changed or repeated."""
    made = bytearray(content)
    for place, length, put in edits:
        first = int(place * len(made))
        last = min(len(made), first + length)
        made[first:last] = bytes(made[first:last]) * 2 if put is None else put
    return bytes(made)


def overwritten(content: bytes, edits: list[tuple[float, int, bytes | None]]) -> bytes:
    """A file of the same length with some bytes changed."""
    made = bytearray(content)
    for place, value, _ in edits:
        made[int(place * (len(made) - 1))] ^= value + 1
    return bytes(made)
