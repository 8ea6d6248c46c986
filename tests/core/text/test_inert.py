"""Foreign text does nothing where it is shown, and is still seen."""

import csv
import io
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.text.inert import inert, inert_cell, inert_html, inert_line

HOSTILE = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, *range(0x202A, 0x202F), 0x2066]))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[1A\x1b[2K0 chunks\x07", r"\x1b[1A\x1b[2K0 chunks\x07"),
        ("\x9b31mred \u202egnihton\u202c", r"\x9b31mred \u202egnihton\u202c"),
        ("one\r\n\ttwo\x7f", "one\\x0d\n\ttwo\\x7f"),
        ("broken \ud800", r"broken \ud800"),
        ("grüße 你好 👩‍👧 عربي", "grüße 你好 👩‍👧 عربي"),
    ],
)
def test_a_terminal_shows_what_would_have_moved_its_cursor(text, shown):
    assert inert(text) == shown


def test_no_active_character_is_left():
    assert not set(inert(HOSTILE)) & (set(HOSTILE) - set("\n\t"))
    assert not set(inert_line(HOSTILE)) & set(HOSTILE)


@given(st.text())
def test_ordinary_text_is_not_touched(text):
    if text.isprintable():
        assert inert_line(text) == text


@given(st.text(alphabet="<>&\"'`/abscript =!-", max_size=40))
def test_a_page_gets_no_element_and_no_attribute_from_data(text):
    class Seen(HTMLParser):
        def __init__(self):
            super().__init__()
            self.tags, self.text = [], ""

        def handle_starttag(self, tag, attrs):
            self.tags.append((tag, dict(attrs)))

        def handle_data(self, data):
            self.text += data

    page = Seen()
    page.feed(f'<p title="{inert_html(text)}">{inert_html(text)}</p>')
    page.close()
    assert page.tags == [("p", {"title": text})]
    assert page.text == text


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd|' /C calc'!A0", "-2", "@SUM(A1:A9)", "\t=1", "\r=1", " =1", "＝1"]
)
def test_a_cell_that_would_run_gets_an_apostrophe(text):
    assert inert_cell(text) == f"'{text}"


@pytest.mark.parametrize("value", ["line one\n=2+2", 'a,"b";c', "", -3.5, 7, None])
def test_other_cells_stay_and_numbers_are_numbers(value):
    assert inert_cell(value) is value


@given(st.lists(st.text(alphabet='=+-@\t\r\n,";a', max_size=8), min_size=1, max_size=4))
def test_cells_come_back_from_a_csv_file(cells):
    file = io.StringIO(newline="")
    csv.writer(file).writerow([inert_cell(cell) for cell in cells])
    file.seek(0)
    (row,) = csv.reader(file)
    assert [field.removeprefix("'") for field in row] == cells
    assert not any(field[:1] in set("=+-@\t\r") for field in row if field)
