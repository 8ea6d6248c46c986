"""What is known of the edges of a chunk, from its spans and its neighbours."""

import pytest

import chunkfilter as cf
from chunkfilter.text.edges import BOUNDARY, CUT, NOTHING, known_edges
from chunkfilter.text.reading import read

TEXT = "The pump starts at six. It stops at nine in the evening. Valves open."
NAMES = {NOTHING: "nothing", BOUNDARY: "boundary", CUT: "cut"}


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


def test_one_character_of_stripped_white_space_ends_no_sentence() -> None:
    text = "A pump called the Old Lady"
    assert edges(cut((0, 17), (18, 26), text=text)) == [("nothing", "cut"), ("cut", "nothing")]
    wide = "A pump called the\n\nOld Lady"  # what was stripped may have been a blank line
    assert edges(cut((0, 17), (19, 27), text=wide)) == [("nothing", "nothing")] * 2


def test_a_stripped_list_item_is_no_piece() -> None:
    text = "Bring these things:\n- pens\n(b) paper"
    chunks = cut((0, 19), (20, 26), (27, 36), text=text)
    assert all("cut" not in pair for pair in edges(chunks)[2:])


def test_offsets_counted_from_a_page_are_not_believed() -> None:
    pages = ["The pump is cooled by water and", "restart it only when it is dry.", "Third page of it."]
    chunks = [cf.Chunk(page, source="a.pdf", spans=((0, len(page)),)) for page in pages]
    assert edges(chunks) == [("nothing", "nothing")] * 3
    assert not any(reading.start_given for reading in read(chunks, range(3)))


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


def test_chunks_without_places_tell_nothing_of_each_other() -> None:
    chunks = [cf.Chunk("The pump starts", source="a"), cf.Chunk("at six. Then it stops.", source="a")]
    assert edges(chunks) == [("nothing", "nothing")] * 2


def test_only_a_chunk_without_source_gives_what_no_neighbour_shows_to_be_whole() -> None:
    alone, named = cf.Chunk("It starts."), cf.Chunk("It starts.", source="a")
    readings = list(read([alone, named], range(2)))
    assert [(one.start_given, one.end_given) for one in readings] == [(True, True), (False, False)]


def test_a_terminator_that_opens_the_next_chunk_closes_this_one() -> None:
    chunks = cut((0, 22), (22, 69))
    found = known_edges(chunks, range(2))
    assert found.closing == {0: "."}
    first, second = read(chunks, range(2))
    assert first.texts == ("The pump starts at six",)
    assert first.given() == ("The pump starts at six.",)
    assert first.end_given
    assert second.headless
    assert second.texts[0] == "."


def test_a_question_mark_that_opens_the_next_chunk_belongs_to_the_question() -> None:
    text = "Is the pump dry? It is."
    first, _ = read(cut((0, 15), (15, 23), text=text), range(2))
    assert first.texts == ("Is the pump dry?",)


def test_the_order_in_which_chunks_are_passed_places_those_that_overlap() -> None:
    long = (
        "Boilers warm up at five in the morning of each working day and fans turn on at six and doors open. "
    )
    text = long + "The guards arrive at eight and leave at nine."
    chunks = [cf.Chunk(text[20:]), cf.Chunk(text[:110])]
    assert known_edges(chunks, [1, 0]).starts.tolist() == [CUT, NOTHING]
    assert known_edges(chunks, [0, 1]).starts.tolist() == [NOTHING, NOTHING]
