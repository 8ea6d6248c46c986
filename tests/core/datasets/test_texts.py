"""Texts out of HTML and PDF, sentences out of paragraphs."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from chunkfilter.errors import DatasetError, MissingExtraError
from chunkfilter.evaluate.datasets import load_dataset
from chunkfilter.evaluate.datasets.squad import enclosing_sentence
from chunkfilter.evaluate.datasets.texts import html_text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One  <b>two</b>\nthree</p><p>four</p>", "One two three\n\nfour"),
        ("<head><title>no</title><style>p{}</style></head><body>yes", "yes"),
        ("<head><title>no</title><body>yes", "yes"),
        ("a<script>if (1 < 2) { '<p>' }</script>b", "ab"),
        ("fish &amp; chips &lt;b&gt; &#8364;5", "fish & chips <b> €5"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ("<ul><li>one</li><li> two</li></ul>", "one\ntwo"),
        ("<table><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr></table>", "a 1\nb 2"),
        ("<pre>x = 1\n    y = 2</pre>", "x = 1\n    y = 2"),
        ("<!-- hidden -->seen", "seen"),
        ("<div><div>one</div></div><div>two</div>", "one\ntwo"),
        ("<p>x</p> <pre>    indented\n</pre>after", "x\n\n    indented\n\nafter"),
        ("plain text", "plain text"),
    ],
)
def test_a_page_is_what_its_reader_sees(html, text):
    assert html_text(html) == text


@given(st.text(alphabet="<>/ab!-&;\"' \n", max_size=60))
def test_no_page_is_too_broken_to_read(html):
    assert isinstance(html_text(html), str)


def write_pdf(path, *pages: str) -> None:
    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for text in pages:
        page = writer.add_blank_page(width=300, height=100)
        content = DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf 10 50 Td ({text}) Tj ET".encode())
        page[NameObject("/Contents")] = writer._add_object(content)
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
    with path.open("wb") as file:
        writer.write(file)


def test_a_pdf_is_its_pages(tmp_path):
    write_pdf(tmp_path / "a.pdf", "The fee is 40 euros.", "Snow fell.")
    assert dict(load_dataset(tmp_path).documents) == {"a.pdf": "The fee is 40 euros.\n\nSnow fell."}


def test_a_broken_pdf_is_named(tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4 and then nothing")
    with pytest.raises(DatasetError, match=r"a\.pdf: not a readable PDF"):
        load_dataset(tmp_path)


@pytest.mark.parametrize(
    ("text", "answer", "sentence"),
    [
        ("One two. Three four! Five?", "four", "Three four!"),
        ("It costs 1.5 euros. Yes.", "1.5", "It costs 1.5 euros."),
        ("One two. Three four.", "two. Three", "One two. Three four."),
        ("No terminator at all", "at", "No terminator at all"),
        ("黑豹队丢了308分。他们排第六！好。", "第六", "他们排第六！"),
        ("पहला वाक्य है। दूसरा वाक्य है।", "दूसरा", "दूसरा वाक्य है।"),
        ("Ist es so? „Ja.“ Gut.", "so", "Ist es so?"),
    ],
)
def test_the_sentence_around_an_answer(text, answer, sentence):
    start = text.index(answer)
    first, last = enclosing_sentence(text, start, start + len(answer))
    assert text[first:last] == sentence


@given(st.text(alphabet="ab .!?。", min_size=1, max_size=40), st.data())
def test_the_sentence_holds_the_answer(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    first, last = enclosing_sentence(text, start, end)
    assert text[start:end].strip() in text[first:last]


@pytest.mark.parametrize(("module", "name"), [("selectolax.lexbor", "a.html"), ("pypdf", "a.pdf")])
def test_a_missing_reader_gives_the_pip_line(tmp_path, monkeypatch, module, name):
    (tmp_path / name).write_text("One.")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r'pip install "chunkfilter\[readers\]"'):
        load_dataset(tmp_path)
