"""The embedded corpus says what its questions say it says, and shows what it was written to show."""

import json
import re
import unicodedata
from collections import Counter
from difflib import ndiff
from pathlib import Path
from typing import Any

import pytest

import chunkfilter.demo
from chunkfilter.demo import load_documents, questions_file

KINDS = {"unchanged", "amended", "new", "near-copy", "faq", "prices", "prose", "boilerplate", "regret"}
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
LIMITS_90_AND_600W = (
    "This model is not approved for flammable contents, not even in closed containers or in small amounts."
)


@pytest.fixture(scope="module")
def documents() -> dict[str, str]:
    return load_documents()


@pytest.fixture(scope="module")
def questions() -> list[dict[str, Any]]:
    with questions_file() as path:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def body(text: str) -> str:
    """The page without its footer, which names the edition."""
    return text.rpartition("\n---\n")[0]


def changed_lines(old: str, new: str) -> tuple[list[str], list[str]]:
    lines = list(ndiff(old.splitlines(), new.splitlines()))
    return [line[2:] for line in lines if line[0] == "-"], [line[2:] for line in lines if line[0] == "+"]


def numbers_that_differ(old: str, new: str) -> int | None:
    """How many numbers two lines differ in; ``None`` if they differ in anything else."""
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return None
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return sum(int(before != after) for before, after in pairs)


def test_every_reference_is_the_text_at_its_span(
    documents: dict[str, str], questions: list[dict[str, Any]]
) -> None:
    for question in questions:
        assert question["references"], question["id"]
        for reference in question["references"]:
            text = documents[reference["source"]]
            assert text[reference["start"] : reference["end"]] == reference["text"], question["id"]


def test_a_reference_is_whole_sentences_rows_or_list_items(
    documents: dict[str, str], questions: list[dict[str, Any]]
) -> None:
    for question in questions:
        for reference in question["references"]:
            text = documents[reference["source"]]
            before, after = text[: reference["start"]], text[reference["end"] :]
            assert re.search(r"(^|\n|[.?!:;]\*{0,2} |\n- )$", before), reference["text"]
            assert reference["text"][-1] in ".?!|" or after[:1] == "\n", reference["text"]


def test_question_ids_and_wordings_are_unique(questions: list[dict[str, Any]]) -> None:
    assert len({question["id"] for question in questions}) == len(questions)
    assert len({question["question"] for question in questions}) == len(questions)


def test_there_are_enough_questions_of_every_kind(questions: list[dict[str, Any]]) -> None:
    kinds = Counter(question["kind"] for question in questions)
    assert set(kinds) == KINDS
    assert len(questions) >= 48
    assert sum(len(question["references"]) > 1 for question in questions) >= 5


def test_documents_are_found_by_name_in_order_and_all_of_them(documents: dict[str, str]) -> None:
    on_disk = Path(chunkfilter.demo.__file__).parent / "corpus"
    assert list(documents) == sorted(path.relative_to(on_disk).as_posix() for path in on_disk.rglob("*.md"))
    assert 60 <= len(documents) <= 75


def test_texts_are_plain_and_in_composed_form(documents: dict[str, str]) -> None:
    for name, text in documents.items():
        odd = {
            c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Co", "Cn", "Zl", "Zp")
        }
        assert not odd, name
        assert unicodedata.is_normalized("NFC", text), name
        assert re.search(r"[^\n]\n\Z", text), name


def test_the_handbook_has_three_editions_of_forty_to_sixty_pages_in_all(documents: dict[str, str]) -> None:
    pages = Counter(name.split("/")[0] for name in documents if name.startswith("handbook-"))
    assert set(pages) == {"handbook-v1", "handbook-v2", "handbook-v3"}
    assert 40 <= pages.total() <= 60
    assert pages["handbook-v1"] < pages["handbook-v2"] < pages["handbook-v3"]


def test_every_handbook_page_repeats_the_notice_and_names_its_edition(documents: dict[str, str]) -> None:
    notice = "Subject to change without notice."
    for name, text in documents.items():
        if name.startswith("handbook-v"):
            edition = name[len("handbook-v")]
            assert text.count(notice) == 1, name
            assert f"Edition {edition}, " in text, name


def test_some_pages_are_carried_over_word_for_word(documents: dict[str, str]) -> None:
    same = [
        name
        for name in documents
        if name.startswith("handbook-v3/")
        and body(documents[name]) == body(documents.get(name.replace("v3", "v2"), ""))
    ]
    assert len(same) >= 4


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("handbook-v1/storage.md", "handbook-v2/storage.md"),
        ("handbook-v1/alarms.md", "handbook-v2/alarms.md"),
        ("handbook-v2/installation.md", "handbook-v3/installation.md"),
        ("handbook-v2/power-failure.md", "handbook-v3/power-failure.md"),
    ],
)
def test_a_page_is_amended_in_exactly_one_number(documents: dict[str, str], old: str, new: str) -> None:
    [before], [after] = changed_lines(body(documents[old]), body(documents[new]))
    assert numbers_that_differ(before, after) == 1


def test_a_page_is_amended_in_exactly_one_negation(documents: dict[str, str]) -> None:
    [before], [after] = changed_lines(
        body(documents["handbook-v1/safety.md"]), body(documents["handbook-v2/safety.md"])
    )
    assert after == before.replace("may be cleaned", "may not be cleaned")
    assert before != after


def test_two_data_sheets_are_near_copies_with_rows_that_differ_in_one_number(
    documents: dict[str, str],
) -> None:
    before, after = changed_lines(documents["datasheets/tarn-600.md"], documents["datasheets/tarn-600w.md"])
    pairs = [(old, new) for old in before for new in after if numbers_that_differ(old, new) == 1]
    assert len(pairs) >= 5


def test_price_rows_differ_by_one_number_between_two_years(documents: dict[str, str]) -> None:
    before, after = changed_lines(documents["prices/2023.md"], documents["prices/2024.md"])
    pairs = [(old, new) for old in before for new in after if numbers_that_differ(old, new) == 1]
    assert len(pairs) >= 8


def test_the_faq_repeats_handbook_sentences_and_says_others_in_new_words(documents: dict[str, str]) -> None:
    handbook = " ".join(text for name, text in documents.items() if name.startswith("handbook-v3/"))
    answers = re.findall(r"\*\* (.+)", documents["faq.md"])
    sentences = [s for answer in answers for s in re.findall(r"[^.?!]+[.?!](?= |$)", answer)]
    repeated = [s for s in sentences if s.strip() in handbook]
    assert 8 <= len(repeated) < len(sentences) / 2


def test_the_notes_share_no_five_words_with_anything(documents: dict[str, str]) -> None:
    def runs(text: str) -> set[tuple[str, ...]]:
        words = re.findall(r"\w+", text.lower())
        return {tuple(words[i : i + 5]) for i in range(len(words) - 4)}

    for name, text in documents.items():
        if name.startswith("notes/"):
            elsewhere = set().union(*(runs(other) for key, other in documents.items() if key != name))
            assert len(runs(text) & elsewhere) <= 2, name


def test_one_sentence_stands_on_two_data_sheets_and_speaks_of_two_models(
    documents: dict[str, str], questions: list[dict[str, Any]]
) -> None:
    holders = [name for name, text in documents.items() if LIMITS_90_AND_600W in text]
    assert holders == ["datasheets/tarn-600w.md", "datasheets/tarn-90.md"]
    limits = {documents[name].partition("## Limits of use")[2] for name in holders}
    assert len(limits) == 1
    asked = {reference["source"] for q in questions if q["kind"] == "regret" for reference in q["references"]}
    assert asked == set(holders)
