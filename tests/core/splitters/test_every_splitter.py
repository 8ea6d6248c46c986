"""What holds for every splitter, whatever the text and the vectors are."""

import itertools
import zlib
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkfilter import Chunk, split, split_documents
from chunkfilter.splitters import GAP, SPLITTERS
from chunkfilter.studies import splitters as studies

#: At least one spec of every kind; of those with rules, one a rule.
SPECS = (
    "fixed:5:2",
    "recursive:20:7",
    "recursive-tokens:6:3",
    "cluster:100",
    "characters:1",
    "characters:12",  # from here on, a short sentence is one chunk
    "paragraphs:15",
    "sentences:2:1",
    "sentences:chunks=3:overlap=1",
    "sentences:2:sentences=marks",
    "sentences:2:sentences=en_core_web_sm",
    "breakpoint:percentile=60",
    "breakpoint:std=0.5:buffer=1",
    "breakpoint:iqr=0.5:sentences=marks",
    "breakpoint:gradient=50",
    "breakpoint:distance=0.3",
    "breakpoint:gradient-abs=0.1",
    "linkage:clusters=3:weight=0.5",
    "linkage:clusters=2:weight=0",
    "dbscan:eps=0.3:min-samples=2:weight=0.5",
    "dbscan:eps=0.1:weight=0",
)

#: Sizes as they are used.
CORPUS_SPECS = (
    "fixed:400:200",
    "recursive:400:200",
    "recursive-tokens:400:200",
    "cluster:400",
    "characters:500",
    "paragraphs:600",
    "sentences:10:1",
    "sentences:chunks=10:overlap=1",
    "breakpoint:percentile=90",
    "breakpoint:std=1.5:buffer=1:sentences=marks",
    "breakpoint:iqr=1.0:sentences=marks",
    "breakpoint:gradient=90:sentences=marks",
    "breakpoint:distance=0.3:sentences=marks",
    "breakpoint:gradient-abs=0.1:sentences=marks",
    "linkage:clusters=10:weight=0.5",
    "dbscan:eps=0.1:min-samples=2:weight=0.5",
    "sentences:1>paragraphs:500",
)

PIECES = st.sampled_from(
    (
        *("a", "a ", "ab", ".", "?", "!", " ", "\n", "\n\n", "\t", "\r\n", "\r\n\r\n", "\u2028", "\x1c"),
        *("\u3000", "e\u0301", "ß", "🙂", "👨‍👩‍👧", "漢字。", "「漢」", "ำ", "\u200b", "\ud800", "\x00"),
        *("1,240.5 ", "Mr. Smith", "One. ", "Two two! ", "(Three?) ", "Same line.\n", "e.g. this. "),
    )
)
TEXTS = st.one_of(st.lists(PIECES, max_size=60).map("".join), st.text(max_size=80))


class ByContent:
    """Vectors that follow from the texts alone; some texts have none."""

    def encode(self, texts: Sequence[str], /) -> np.ndarray:
        return np.array([self.vector(zlib.crc32(text.encode("utf-8", "replace"))) for text in texts])

    @staticmethod
    def vector(number: int) -> list[float]:
        if number % 11 == 0:
            return [np.nan] * 3
        return [np.cos(number % 7), np.sin(number % 7), (number % 5 - 2) / 2]


def checked(text: str, spec: str) -> list[Chunk]:
    chunks = split(text, spec, embedder=ByContent())
    for chunk in chunks:
        assert chunk.text == GAP.join(text[start:end] for start, end in chunk.spans)
        assert all(start < end for start, end in chunk.spans)
        assert all(one[1] <= two[0] for one, two in itertools.pairwise(chunk.spans))
    assert all(one.start <= two.start for one, two in itertools.pairwise(chunks))
    return chunks


def lost(text: str, chunks: list[Chunk]) -> str:
    kept = bytearray(len(text))
    for start, end in (span for chunk in chunks for span in chunk.spans):
        kept[start:end] = b"\1" * (end - start)
    return "".join(character for character, flag in zip(text, kept, strict=True) if not flag)


def test_every_kind_is_here():
    known = {*SPLITTERS, *studies.SPLITTERS} - {
        "propositions"
    }  # which cuts nothing, but says it in other words
    assert {spec.split(":")[0] for spec in SPECS} == known
    assert {spec.split(":")[0] for spec in CORPUS_SPECS} == known


@pytest.mark.parametrize("spec", SPECS)
@given(TEXTS)
@settings(max_examples=40)
def test_chunks_are_the_text_at_their_spans_and_only_white_space_is_lost(spec, text):
    assert not lost(text, checked(text, spec)).strip()


@pytest.mark.parametrize("spec", [spec for spec in SPECS if not spec.startswith("fixed")])
@pytest.mark.parametrize("text", ["", " ", "\n\n \t\r\n", "\u2028\u3000"])
def test_white_space_gives_no_chunks(spec, text):
    assert split(text, spec, embedder=ByContent()) == []


@pytest.mark.parametrize("spec", SPECS[SPECS.index("characters:12") :])
def test_one_short_sentence_is_one_chunk(spec):
    assert [chunk.text for chunk in split("  One.\n", spec, embedder=ByContent())] == ["One."]


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("spec", CORPUS_SPECS)
def test_nothing_of_the_chroma_corpora_is_lost(data, spec):
    for path in sorted((data / "chroma" / "corpora").glob("*.md")):
        text = path.read_text("utf-8")
        assert not lost(text, checked(text, spec)).strip()


@pytest.mark.parametrize(
    "spec", ["characters:500", "paragraphs:600", "sentences:10:1:sentences=marks", "sentences:10:1"]
)
@pytest.mark.parametrize("unit", ["x", "One more word. ", "line\n", "\n\n", "." * 5])
def test_long_texts_of_one_kind_are_cut_in_seconds(spec, unit):
    text = unit * (300_000 // len(unit))
    assert not lost(text, split(text, spec)).strip()


def test_documents_are_named_and_split_one_by_one():
    documents = {"b": "One. Two.", "a": "Three."}
    chunks = split_documents(documents, "breakpoint:distance=0", embedder=ByContent())
    assert [(chunk.source, chunk.text) for chunk in chunks] == [("b", "One."), ("b", "Two."), ("a", "Three.")]
    assert [chunk.source for name in ("b", None) for chunk in split("One.", "characters:9", source=name)] == [
        "b",
        None,
    ]
