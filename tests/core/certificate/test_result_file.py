"""A saved result is read back as it was, or refused with the line that is wrong."""

import dataclasses
import json
from pathlib import Path

import pytest

import chunkfilter as cf
from chunkfilter.errors import CertificateError, ResultFileError

TEXTS = ["one fish", "two fish", "one  fish", "", "two fish"]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "result.jsonl"
    cf.filter_chunks(TEXTS, "exact", existing=["stored"]).save(path)
    return path


def test_a_saved_result_is_read_back_as_it_was(saved: Path) -> None:
    result = cf.FilterResult.load(saved)
    assert result == cf.filter_chunks(TEXTS, "exact", existing=["stored"])
    result.verify(TEXTS, existing=["stored"])


def test_the_file_is_plain_json_lines_with_a_digest_of_every_text(saved: Path) -> None:
    lines = [json.loads(line) for line in saved.read_text().splitlines()]
    assert lines[0]["policy"] == "exact"
    assert sum("sha256" in line for line in lines) == 6
    assert "fish" not in saved.read_text()


@pytest.mark.parametrize("cut", range(1, 8))
def test_a_truncated_file_is_refused(saved: Path, cut: int) -> None:
    lines = saved.read_text().splitlines(keepends=True)
    saved.write_text("".join(lines[:-cut]))
    with pytest.raises(ResultFileError, match=r"truncated|line"):
        cf.FilterResult.load(saved)


def test_an_altered_line_is_refused(saved: Path) -> None:
    saved.write_text(saved.read_text().replace('"kept_by":[0]', '"kept_by":[1]'))
    with pytest.raises(ResultFileError, match="altered"):
        cf.FilterResult.load(saved)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "header"),
        (b"{}\n", "header"),
        (b"\xff\xfe", "not a text file"),
        (b"hello\n", "line 1: expected a JSON object"),
        (b'{"format":"chunkfilter-result","version":99}\n', "format version 99"),
    ],
)
def test_a_foreign_or_newer_file_is_refused_by_name(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "foreign.jsonl"
    path.write_bytes(content)
    with pytest.raises(ResultFileError, match=said) as caught:
        cf.FilterResult.load(path)
    assert str(path) in str(caught.value)


def test_a_failed_save_leaves_the_earlier_file(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved.read_bytes()

    def interrupted(_descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cf.filter_chunks(["x"], "exact").save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def _forged(result: cf.FilterResult) -> dict[str, list[cf.Removal]]:
    removal = result.removed[0]
    return {
        "the keeper is another kept chunk": [dataclasses.replace(removal, kept_by=(1,)), *result.removed[1:]],
        "the keeper was not kept": [dataclasses.replace(removal, kept_by=(4,)), *result.removed[1:]],
        "there is no representative": [dataclasses.replace(removal, kept_by=()), *result.removed[1:]],
        "the stored keeper does not exist": [
            dataclasses.replace(removal, kept_by_existing=(3,)),
            *result.removed[1:],
        ],
        "the rule is not in the policy": [dataclasses.replace(removal, rule="minhash"), *result.removed[1:]],
        "the text is not blank": [
            dataclasses.replace(removal, rule="blank", kept_by=()),
            *result.removed[1:],
        ],
        "a line is missing": list(result.removed[1:]),
        "a line is there twice": [removal, *result.removed],
    }


@pytest.mark.parametrize("lie", _forged(cf.filter_chunks(TEXTS, "exact")))
def test_verify_rejects_every_kind_of_forged_line(lie: str) -> None:
    result = cf.filter_chunks(TEXTS, "exact")
    forged = dataclasses.replace(result, removed=tuple(_forged(result)[lie]))
    with pytest.raises(CertificateError):
        forged.verify(TEXTS)


def test_verify_rejects_texts_that_changed_and_names_the_chunk() -> None:
    result = cf.filter_chunks(TEXTS, "exact")
    with pytest.raises(CertificateError, match=r"chunk 1 .*not the one"):
        result.verify([TEXTS[0], "two fishes", *TEXTS[2:]])
    with pytest.raises(CertificateError, match="4 were given, the result is about 5"):
        result.verify(TEXTS[:-1])


def test_verify_rejects_a_keeper_of_another_scope() -> None:
    chunks = [cf.Chunk("same", metadata={"t": "a"}), cf.Chunk("same", metadata={"t": "a"})]
    result = cf.filter_chunks(chunks, "exact scope=t")
    moved = [chunks[0], cf.Chunk("same", metadata={"t": "b"})]
    with pytest.raises(CertificateError, match="another scope"):
        result.verify(moved)
