"""What is known of the edges of a chunk, from its spans and its neighbours."""

import pytest

import chunkfilter as cf
from chunkfilter.text.edges import BOUNDARY, CUT, DOUBT, NOTHING, known_edges
from chunkfilter.text.reading import read

TEXT = "The pump starts at six. It stops at nine in the evening. Valves open."
NAMES = {NOTHING: "nothing", BOUNDARY: "boundary", DOUBT: "doubt", CUT: "cut"}


def edges(chunks: list[cf.Chunk]) -> list[tuple[str, str]]:
    found = known_edges(chunks, range(len(chunks)))
    return [(NAMES[one], NAMES[other]) for one, other in zip(found.starts, found.ends, strict=True)]


def cut(*bounds: tuple[int, int], text: str = TEXT, source: str | None = "a") -> list[cf.Chunk]:
    return [cf.Chunk(text[start:end], source=source, spans=((start, end),)) for start, end in bounds]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ([(0, 23), (23, 69)], [("nothing", "boundary"), ("boundary", "nothing")]),  # touch
        ([(0, 24), (24, 69)], [("nothing", "boundary"), ("boundary", "nothing")]),
        ([(0, 15), (15, 69)], [("nothing", "cut"), ("cut", "nothing")]),
        ([(0, 30), (9, 69)], [("nothing", "cut"), ("cut", "nothing")]),  # overlap
        ([(0, 56), (24, 69)], [("nothing", "boundary"), ("boundary", "nothing")]),
        ([(0, 69), (9, 30)], [("nothing", "nothing"), ("cut", "cut")]),  # one inside the other
        ([(0, 23), (24, 69)], [("nothing", "boundary"), ("boundary", "nothing")]),  # white space stripped
        ([(0, 36), (37, 69)], [("nothing", "cut"), ("cut", "nothing")]),
        ([(0, 23), (57, 69)], [("nothing", "nothing"), ("nothing", "nothing")]),  # text between is missing
    ],
)
def test_spans_tell_what_stands_before_and_after(
    bounds: list[tuple[int, int]], expected: list[tuple[str, str]]
) -> None:
    assert edges(cut(*bounds)) == expected
    turned = edges(cut(*bounds[::-1]))
    assert turned == expected[::-1]


def test_stripped_white_space_before_a_capital_leaves_a_doubt() -> None:
    text = "A pump called the Old Lady"
    assert edges(cut((0, 17), (18, 26), text=text)) == [("nothing", "doubt"), ("doubt", "nothing")]


def test_a_stripped_list_item_is_no_piece() -> None:
    text = "Bring these things:\n- pens\n(b) paper"
    chunks = cut((0, 19), (20, 26), (27, 36), text=text)
    assert all("cut" not in pair for pair in edges(chunks)[2:])


def test_offsets_counted_from_a_page_are_not_believed() -> None:
    pages = ["The pump is cooled by water and", "restart it only when it is dry.", "Third page of it."]
    chunks = [cf.Chunk(page, source="a.pdf", spans=((0, len(page)),)) for page in pages]
    starts = [start for start, _ in edges(chunks)]
    assert "boundary" not in starts
    assert starts[1] == "cut"  # the page before goes on in it
    readings = list(read(chunks, range(3)))
    assert not readings[1].start_whole


def test_spans_of_another_length_than_the_text_are_not_believed() -> None:
    chunks = [cf.Chunk(TEXT[:23], source="a", spans=((0, 20),)), *cut((20, 69))]
    assert edges(chunks)[0][1] != "cut"


def test_chunks_of_different_sources_are_no_neighbours() -> None:
    chunks = [*cut((0, 15)), *cut((15, 69), source="b")]
    assert edges(chunks) == [("nothing", "nothing")] * 2
    assert edges([cf.Chunk(chunk.text) for chunk in chunks]) == [("nothing", "nothing")] * 2


def test_texts_that_begin_with_the_end_of_the_one_before_are_placed_by_it() -> None:
    long = (
        "Boilers warm up at five in the morning of each working day and fans turn on at six and doors open. "
    )
    text = long + "The guards arrive at eight and leave at nine."
    first, second = cf.Chunk(text[:110]), cf.Chunk(text[20:])
    assert edges([first, second]) == [("nothing", "cut"), ("cut", "nothing")]
    assert edges([cf.Chunk(text[:60]), cf.Chunk(text[20:])]) == [("nothing", "nothing")] * 2  # too little


def test_neighbours_of_a_source_without_places_are_cut_where_the_sentence_goes_on() -> None:
    one, other = "The pump starts", "at six. Then it stops."
    assert edges([cf.Chunk(one, source="a"), cf.Chunk(other, source="a")]) == [
        ("nothing", "cut"),
        ("cut", "nothing"),
    ]
    whole = [cf.Chunk("It starts.", source="a"), cf.Chunk("It stops.", source="a")]
    assert edges(whole) == [("nothing", "nothing")] * 2  # nothing shows where the second one stood


def test_a_terminator_that_opens_the_next_chunk_closes_this_one() -> None:
    chunks = cut((0, 22), (22, 69))
    found = known_edges(chunks, range(2))
    assert found.closing == {0: "."}
    first, second = read(chunks, range(2))
    assert first.texts == ("The pump starts at six.",)
    assert first.closed
    assert second.headless
    assert second.texts[0] == "."


def test_the_order_of_reading_is_that_of_the_caller() -> None:
    chunks = [cf.Chunk("at six. Then it stops.", source="a"), cf.Chunk("The pump starts", source="a")]
    assert known_edges(chunks, [1, 0]).starts.tolist() == [CUT, NOTHING]
    assert known_edges(chunks, [0, 1]).starts.tolist() != [CUT, NOTHING]
