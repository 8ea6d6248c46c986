"""Pieces looked up by their bytes have the numbers that Python's own split and dictionary give them."""

import sys

import pytest
from chunkfilter.text.piece_cache import PieceCache
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkfilter.text import piece_cache

SPACES = "".join(character for character in map(chr, range(sys.maxunicode + 1)) if character.isspace())
PIECES = st.sampled_from(
    [
        "a",
        "A",
        "b.",
        "eightful",
        "ninefully",
        "sixteen-letters!",
        "seventeen-letters",
        "über",
        "naïveté",
        "水",
        "\ud800",
    ]
)
TEXTS = st.lists(
    st.one_of(
        st.lists(PIECES, max_size=8).map(" ".join),
        st.text(st.sampled_from("ab. \n\t\x1c\u00e4\u2019"), max_size=40),
        st.text(max_size=20),
    ),
    max_size=8,
)


class Numbers(dict[str, int]):
    def __missing__(self, piece: str) -> int:
        self[piece] = len(self)
        return self[piece]


@settings(max_examples=150)
@given(st.lists(TEXTS, max_size=4), st.sampled_from([1, 4, 1 << 16]))
def test_numbers_are_those_of_split_and_a_dictionary(batches: list[list[str]], slots: int) -> None:
    ours, theirs = Numbers(), Numbers()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(piece_cache, "_SLOTS", slots)
        cache = PieceCache(ours)
        for texts in batches:
            found = cache.pieces(texts)
            if found is None:
                assert any("\0" in text or any(ord(c) > 127 for c in text) for text in texts)
                continue
            rows = [text.split() for text in texts]
            assert found[1].tolist() == [len(row) for row in rows]
            assert found[0].tolist() == [theirs[piece] for row in rows for piece in row]


@pytest.mark.parametrize("space", SPACES)
def test_every_white_space_parts_pieces_or_is_left_to_python(space: str) -> None:
    found = PieceCache(Numbers()).pieces([f"one{space}two", "one"])
    assert (found is None) is (ord(space) > 127)
    assert found is None or found[0].tolist() == [0, 1, 0]


def test_a_piece_with_a_nul_is_left_to_python() -> None:
    assert PieceCache(Numbers()).pieces(["a", "a\0"]) is None
