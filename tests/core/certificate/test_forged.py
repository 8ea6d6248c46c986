"""A result that was tampered with, or is about other texts, does not pass its certificate."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import chunkfilter as cf
from chunkfilter.errors import CertificateError, ResultFileError

TEXTS = [
    "Boilers warm up at five. Fans turn on at six. Doors unlock at seven.",
    "Fans turn on at six. Doors unlock at seven. Guards arrive at eight.",
    "Doors unlock at seven. Guards arrive at eight. Trucks leave at nine.",
    "Nobody works on Sundays or on public holidays. Guards arrive at ten.",
    "Boilers warm up at five.\nFans turn on at six.  Doors unlock at seven.",
]


@pytest.fixture
def result() -> cf.FilterResult:
    found = cf.filter_chunks(TEXTS, "coverage")
    assert (found.kept, [removal.index for removal in found.removed]) == ((0, 2, 3), [1, 4])
    found.verify(TEXTS)
    return found


def forged(result: cf.FilterResult, place: int, **changes: object) -> cf.FilterResult:
    removed = list(result.removed)
    removed[place] = replace(removed[place], **changes)  # type: ignore[arg-type]
    return replace(result, removed=tuple(removed))


@pytest.mark.parametrize(
    ("place", "changes", "said"),
    [
        (
            0,
            {"kept_by": (0, 3)},
            r"chunk 1 .*'coverage' does not hold with its representatives \[0, 3\]",
        ),
        (0, {"kept_by": (0,)}, "'coverage' does not hold"),
        (0, {"kept_by": ()}, "'coverage' does not hold"),
        (0, {"kept_by": (0, 2, 2)}, "a representative is named twice"),
        (0, {"kept_by": (0, 1)}, "its representative 1 was not kept"),
        (0, {"kept_by": (0, 2, 9)}, "its representative 9 was not kept"),
        (0, {"kept_by_existing": (0,)}, "there is no existing chunk 0"),
        (0, {"score": 0.5}, "its score is 0.5; expected 1.0"),
        (0, {"score": None}, "its score is None; expected 1.0"),
        (0, {"rule": "exact", "kept_by": (0,)}, "'exact' does not hold"),
        (0, {"rule": "minhash@0.8"}, "rule 'minhash@0.8' is not in the policy"),
        (0, {"rule": "blank", "kept_by": (), "score": None}, "rule 'blank', but"),
        (1, {"kept_by": (2,)}, "'exact' does not hold"),
        (1, {"index": 3}, "are not a partition of the positions"),
    ],
)
def test_a_changed_line_is_named(
    result: cf.FilterResult, place: int, changes: dict[str, object], said: str
) -> None:
    with pytest.raises(CertificateError, match=said):
        forged(result, place, **changes).verify(TEXTS)


def test_a_kept_chunk_that_was_moved_to_the_removed_is_found_out(result: cf.FilterResult) -> None:
    moved = replace(
        result, kept=(0, 2), removed=(*result.removed, cf.Removal(3, (0, 2), (), "coverage", 1.0))
    )
    with pytest.raises(CertificateError, match="removal of chunk 3"):
        moved.verify(TEXTS)


def test_a_line_left_out_or_doubled_is_found_out(result: cf.FilterResult) -> None:
    for lines in (result.removed[1:], (*result.removed, result.removed[0])):
        with pytest.raises(CertificateError, match="are not a partition"):
            replace(result, removed=lines).verify(TEXTS)


@pytest.mark.parametrize("place", range(len(TEXTS)))
def test_a_text_that_changed_since_is_named(result: cf.FilterResult, place: int) -> None:
    changed = [text.replace("at", "AT", 1) if number == place else text for number, text in enumerate(TEXTS)]
    with pytest.raises(CertificateError, match=f"chunk {place} .*not the one that was filtered"):
        result.verify(changed)


def test_missing_and_additional_texts_are_found_out(result: cf.FilterResult) -> None:
    for texts in (TEXTS[:-1], [*TEXTS, "more"]):
        with pytest.raises(CertificateError, match="the result is about 5"):
            result.verify(texts)
    with pytest.raises(CertificateError, match="existing chunks: 1 were given"):
        result.verify(TEXTS, existing=["old"])


def test_a_representative_of_another_scope_is_found_out() -> None:
    chunks = [
        cf.Chunk(text, metadata={"tenant": tenant}) for text, tenant in zip(TEXTS, "aabba", strict=True)
    ]
    result = cf.filter_chunks(chunks, "coverage scope=tenant")
    assert result.kept == (0, 1, 2, 3)
    moved = replace(
        result, kept=(0, 2, 3), removed=(cf.Removal(1, (0, 2), (), "coverage", 1.0), *result.removed)
    )
    with pytest.raises(CertificateError, match="another scope"):
        moved.verify(chunks)


def test_a_representative_whose_copy_lies_beyond_the_window_is_found_out() -> None:
    fact = "The access code of the west gate is alpha seven."
    texts = ["Every order is subject to the general terms. " * 30 + fact, fact]
    without = cf.filter_chunks(texts, "coverage window=none")
    assert without.kept == (0,)
    claimed = replace(without, policy=cf.Policy.parse("coverage"))
    with pytest.raises(CertificateError, match=r"removal of chunk 1 "):
        claimed.verify(texts)


@pytest.mark.parametrize("cut", [2, 40, 400])
def test_a_truncated_file_is_refused(result: cf.FilterResult, tmp_path: Path, cut: int) -> None:
    path = tmp_path / "result.jsonl"
    result.save(path)
    assert cf.FilterResult.load(path) == result
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    with pytest.raises(ResultFileError):
        cf.FilterResult.load(path)


EDITS: list[tuple[str, Callable[[str], str]]] = [
    ("representative", lambda line: line.replace('"kept_by":[0,2]', '"kept_by":[0,3]')),
    ("score", lambda line: line.replace('"score":1.0', '"score":0.9')),
    ("rule", lambda line: line.replace('"rule":"coverage"', '"rule":"exact"')),
]


@pytest.mark.parametrize(("what", "edit"), EDITS)
def test_an_edited_file_is_refused(
    result: cf.FilterResult, tmp_path: Path, what: str, edit: Callable[[str], str]
) -> None:
    path = tmp_path / "result.jsonl"
    result.save(path)
    text = path.read_text(encoding="utf-8")
    assert edit(text) != text, what
    path.write_text(edit(text), encoding="utf-8")
    with pytest.raises(ResultFileError):
        cf.FilterResult.load(path)
