"""The analysis of redundancy on made-up texts whose classes are known."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkfilter as cf
from chunkfilter.cli.main import main
from chunkfilter.demo import load_documents
from chunkfilter.errors import InputError
from chunkfilter.evaluate.analyse import CLASSES, analyse

FOOTER = "All rights are reserved by the maker of these pages and its heirs."
ORDER = "The pump of the old mill stops at noon."
FIRST, SECOND = "Ada bakes bread in the narrow lane.", "Ida sells fish at the wide harbour."
TALE = "One day the tall grey heron left the pond and flew over the quiet hills toward the silver sea."


def test_each_class_is_found() -> None:
    start, end = TALE.index("heron"), TALE.index(" toward")
    chunks = [
        cf.Chunk(ORDER, source="a"),
        cf.Chunk(" \n", source="a"),
        cf.Chunk(FOOTER, source="a"),
        cf.Chunk(ORDER.replace(" ", "  "), source="a"),
        cf.Chunk(f"{FIRST} {SECOND} {FIRST}", source="a"),
        cf.Chunk(FOOTER, source="b"),
        cf.Chunk(ORDER, source="b"),
        cf.Chunk(SECOND, source="b"),
        cf.Chunk(FOOTER, source="c"),
        cf.Chunk(TALE, source="d", spans=((0, len(TALE)),)),
        cf.Chunk(TALE[start:end], source="d", spans=((start, end),)),
        cf.Chunk("Rome lies far away from here.", source="e"),
        cf.Chunk("Nobody built Rome within a day.", source="e"),
    ]

    def rome(texts: list[str]) -> list[set[str]]:
        return [{"rome"} if "Rome" in text else set() for text in texts]

    found = analyse(chunks, entities=rome)
    assert found.classes == (
        "distinct", "blank", "distinct", "copy within", "distinct", "boilerplate", "copy across", "passages",
        "boilerplate", "distinct", "overlap", "distinct", "entities",
    )  # fmt: skip
    assert analyse(chunks, entities=rome([chunk.text for chunk in chunks])) == found
    assert set(found.chunks) == set(CLASSES)
    assert sum(found.chunks.values()) == len(chunks)
    assert found.overlapping == pytest.approx((end - start) / sum(len(chunk.text) for chunk in chunks))


def test_a_short_text_in_many_sources_is_boilerplate_and_in_two_a_copy() -> None:
    pages = [cf.Chunk("Page 1", source=source) for source in "abc"]
    others = [
        cf.Chunk(text, source=source) for text, source in zip((ORDER, FIRST, SECOND), "abc", strict=True)
    ]
    assert analyse([*pages, *others]).classes[:3] == ("distinct", "boilerplate", "boilerplate")
    assert analyse([*pages, *others], many=4).classes[:3] == ("distinct", "copy across", "copy across")


def test_a_document_that_stands_in_many_files_is_a_copy_and_no_boilerplate() -> None:
    chunks = [cf.Chunk(text, source=source) for source in "abcd" for text in (ORDER, FIRST)]
    assert set(analyse(chunks).classes[2:]) == {"copy across"}
    assert analyse([*chunks, cf.Chunk(SECOND, source="d")]).chunks["boilerplate"] == 0


def test_a_copy_of_a_copy_elsewhere_is_a_copy_within_its_source() -> None:
    chunks = [cf.Chunk(ORDER, source="a"), cf.Chunk(ORDER, source="b"), cf.Chunk(ORDER, source="b")]
    assert analyse(chunks).classes == ("distinct", "copy across", "copy within")


COPIES = ("boilerplate", "copy within", "copy across")


def test_a_copy_whose_original_stands_inside_a_longer_chunk_is_a_copy() -> None:
    texts = [f"{FIRST} {SECOND}", f"{FIRST} {SECOND}", f"{ORDER} {FIRST} {SECOND} {ORDER}"]
    chunks = [cf.Chunk(text, source="a") for text in texts]
    assert cf.filter_chunks(chunks, "coverage").kept == (2,)
    assert analyse(chunks).classes == ("passages", "copy within", "distinct")


def test_copies_of_the_demo_corpus_are_what_exact_removes() -> None:
    chunks = cf.split_documents(load_documents(), "recursive:400:200")
    exact = [removal.index for removal in cf.filter_chunks(chunks, "exact").removed]
    found = analyse(chunks, many=99)
    assert found.chunks["copy within"] + found.chunks["copy across"] == len(exact) > 0
    assert {analyse(chunks).classes[index] for index in exact} <= set(COPIES)


def test_words_that_stand_earlier_are_counted_though_no_chunk_goes() -> None:
    found = analyse(["one two three four five six", "zero one two three four five", "ten"])
    assert found.chunks == {name: 3 if name == "distinct" else 0 for name in CLASSES if name != "entities"}
    assert found.repeated == pytest.approx(5 / 13)
    assert found.overlapping == 0.0


def test_nothing_is_nothing() -> None:
    found = analyse([])
    assert (found.classes, found.repeated, found.overlapping) == ((), 0.0, 0.0)


def test_one_source_is_not_many() -> None:
    with pytest.raises(InputError, match="many: got 1"):
        analyse(["a"], many=1)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([ORDER, FOOTER, FIRST, f"{FIRST} {SECOND}", "", "x"]), st.sampled_from("abc")
        )
    )
)
def test_every_chunk_has_one_class_and_what_goes_verbatim_is_what_coverage_removes(
    pairs: list[tuple[str, str]],
) -> None:
    chunks = [cf.Chunk(text, source=source) for text, source in pairs]
    found = analyse(chunks)
    kept = cf.filter_chunks(chunks, "coverage").kept
    assert [position for position, name in enumerate(found.classes) if name == "distinct"] == list(kept)
    assert sum(found.characters.values()) == sum(map(len, (chunk.text for chunk in chunks)))
    unseen = analyse(chunks, many=99).chunks
    removed = cf.filter_chunks(chunks, "exact").removed_by_rule
    assert unseen["copy within"] + unseen["copy across"] == removed.get("exact", 0)


def test_the_command_prints_the_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "chunks.jsonl"
    lines = [{"text": ORDER, "source": "a"}, {"text": ORDER, "source": "b"}, {"text": " ", "source": "b"}]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert main(["analyse", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "copy across" in shown
    assert "not looked at" in shown
    assert main(["analyse", str(path), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["classes"]["copy across"]["share"] == pytest.approx(1 / 3)
    assert main(["analyse", str(path), "--existing", str(path)]) == 2
