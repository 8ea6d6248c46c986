"""A spec that cannot be read says what was received and what is known."""

import subprocess
import sys

import pytest

from chunkfilter.errors import InputError, MissingExtraError, MissingSignalError, SplitterError
from chunkfilter.splitters import SPLITTERS, split, split_documents
from chunkfilter.splitters.recursive import placing_splitter, recursive_spans
from chunkfilter.splitters.spec import SplitterKind
from chunkfilter.studies import splitters as studies


@pytest.mark.parametrize("spec", ["words:5", "", "Recursive:400:0", "recursive 400:0"])
def test_an_unknown_splitter_lists_the_known_ones(spec):
    with pytest.raises(SplitterError) as caught:
        split("text", spec)
    assert all(kind.form in str(caught.value) for kind in [*SPLITTERS.values(), *studies.SPLITTERS.values()])
    assert repr(spec) in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("fixed:0:0", "size is '0'; expected a whole number from 1 to 1000000"),
        ("fixed:400:400", "overlap is '400'; expected a whole number from 0 to 399"),
        ("recursive:1:0", "size is '1'; expected a whole number from 2 to 1000000"),
        ("recursive:-5:0", "size is '-5'; expected a whole number"),
        ("recursive:4e2:0", "size is '4e2'; expected a whole number"),
        ("recursive:٤:0", "size is '٤'; expected a whole number"),
        ("recursive:400:0,5", "overlap is '0,5'; expected a whole number from 0"),
        ("recursive:400:", "overlap is ''; expected a whole number from 0"),
        ("recursive-tokens:4:0", "size is '4'; expected a whole number from 5 to 1000000"),
        ("cluster:49", "size is '49'; expected a whole number from 50 to 10000"),
        ("recursive:400", "the field 'overlap' is missing; expected recursive:SIZE:OVERLAP"),
        ("cluster:400:0", "got the field '0'; expected cluster:SIZE"),
        (f"recursive:{'9' * 5000}:0", "expected a whole number from 2 to 1000000"),
        ("characters:0", "size is '0'; expected a whole number from 1 to 1000000"),
        ("paragraphs:6.5", "size is '6.5'; expected a whole number"),
        ("sentences", "got none of size, chunks; expected one of them"),
        ("sentences:2:2", "overlap is '2'; expected a whole number from 0 to 1"),
        ("sentences:2:chunks=3", "got size and chunks of size, chunks; expected one of them"),
        ("sentences:2:size=3", "the field 'size' is given twice"),
        ("sentences:chunks=3:1", "got the field '1'; expected sentences:SIZE"),
        ("sentences:2:sentences=nltk", "sentences is 'nltk'; expected one of sentencizer, marks, en_core"),
        ("breakpoint", "got none of percentile, std"),
        ("breakpoint:90", "got the field '90'; expected breakpoint:"),
        ("breakpoint:percentile=101", "percentile is '101'; expected a number from 0 to 100"),
        ("breakpoint:std=nan", "std is 'nan'; expected a number from 0 to 100"),
        ("breakpoint:distance=-0.1", "distance is '-0.1'; expected a number from 0 to 2"),
        ("breakpoint:std=1:iqr=1", "got std and iqr of percentile"),
        ("breakpoint:std=1:buffer=1.5", "buffer is '1.5'; expected a whole number from 0 to 10"),
        ("linkage:weight=0.5", "the field 'clusters' is missing; expected linkage:clusters=COUNT"),
        ("linkage:clusters=3:weight=1.1", "weight is '1.1'; expected a number from 0 to 1"),
        ("dbscan:eps=0.3:samples=2", "unknown field 'samples'; expected dbscan:eps=EPS"),
        ("dbscan:eps=0", "eps is '0'; expected a number from 1e-06 to 1"),
    ],
)
def test_a_wrong_field_names_its_value_and_bounds(spec, message):
    with pytest.raises(SplitterError, match=r"^splitter ") as caught:
        split("text", spec)
    assert message in str(caught.value)


def test_a_line_in_the_table_adds_a_splitter_whose_chunks_may_be_gathered_from_several_places(monkeypatch):
    def read_ends(spec, embedder):
        width = spec.size(1, 9)
        return lambda text: [((0, width), (len(text) - width, len(text)))]

    monkeypatch.setitem(SPLITTERS, "ends", SplitterKind("ends:SIZE", read_ends))
    (chunk,) = split("first, middle, last", "ends:5")
    assert chunk.text == "first\n last"
    assert chunk.spans == ((0, 5), (14, 19))
    with pytest.raises(SplitterError, match="size is '0'; expected a whole number from 1 to 9"):
        split("text", "ends:0")


def test_what_is_no_text_is_refused():
    with pytest.raises(SplitterError, match="got 400"):
        split("text", 400)
    with pytest.raises(InputError, match="source 'a': got bytes; expected a str"):
        split_documents({"a": b"text"}, "recursive:400:0")


def test_cluster_without_an_embedder_says_what_to_give():
    with pytest.raises(MissingSignalError, match=r"'cluster:200' needs the vectors .* encode\(texts\)"):
        split("text", "cluster:200")


def test_a_missing_library_gives_the_pip_line_before_any_text_is_read(monkeypatch):
    placing_splitter.cache_clear()
    monkeypatch.setitem(sys.modules, "langchain_text_splitters", None)
    with pytest.raises(MissingExtraError, match=r'pip install "chunkfilter\[splitters\]"'):
        split_documents({}, "recursive:400:0")


def test_a_piece_that_the_library_does_not_merge_is_never_misplaced():
    with pytest.raises(RuntimeError, match="not followed"):
        recursive_spans("ab", 1, 0, len)  # a size the specs refuse: the library leaves such pieces alone


def test_the_splitters_load_no_optional_library_and_studies_only_by_name():
    heavy = [
        "tiktoken",
        "langchain_text_splitters",
        "langchain_core",
        "llama_index",
        "torch",
        "spacy",
        "sklearn",
    ]
    code = (
        "import sys, chunkfilter as cf; cf.split('A. B.', 'characters:9');"
        f"print([name for name in [*{heavy}, 'chunkfilter.studies'] if name in sys.modules]);"
        "cf.split('A. B.', 'breakpoint:std=1:sentences=marks', embedder=lambda texts: [[1.0]] * len(texts));"
        "print('chunkfilter.studies' in sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.split("\n")[:2] == ["[]", "True"]
