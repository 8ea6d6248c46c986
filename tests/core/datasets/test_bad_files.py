"""Files that break their format: the error names file, line, value and what was expected."""

import json
from pathlib import Path

import pytest

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets import load_dataset, load_questions

DOCUMENT = '{"id": "a", "text": "One two three. One two."}\n'


def folder(tmp_path: Path, questions: str = "", documents: str = DOCUMENT) -> Path:
    (tmp_path / "documents.jsonl").write_text(documents, encoding="utf-8")
    if questions:
        (tmp_path / "questions.jsonl").write_text(questions, encoding="utf-8")
    return tmp_path


def asked(reference: dict, **more) -> str:
    return json.dumps({"id": "q", "question": "?", "references": [reference], **more}) + "\n"


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        ("not json\n", r"questions\.jsonl: line 1: not JSON .* 'not json'; expected an object"),
        ("\n[1, 2]\n", r"questions\.jsonl: line 2: got \[1, 2\]; expected a JSON object"),
        ('{"question": "?"}\n', r"line 1: 'references' is None; expected a list of objects"),
        ('{"question": 7, "references": []}\n', r"line 1: 'question' is 7; expected a text"),
        (asked({"source": "a"}), r"line 1, references\[0\]: 'text' is None; expected a text"),
        (asked({"text": "x", "source": 5}), r"references\[0\]: 'source' is 5; expected a text"),
        (asked({"text": "x", "start": -1, "end": 2}), r"'start' is -1; expected a whole number from 0"),
        (asked({"text": "x", "start": 1}), r"'end' is None; expected a whole number from 0"),
        (asked({"text": "x", "start": 5, "end": 2}), r"'end' is 2; expected at least 'start', which is 5"),
        (asked({"text": "One"}, relevance={"a": 0}), r"'relevance' is \{'a': 0\}; expected grades above 0"),
        (asked({"text": "One"}, answers="x"), r"'answers' is 'x'; expected a list of texts"),
        (asked({"text": "One"}) * 2, r"line 2: id 'q' is that of .*line 1"),
    ],
)
def test_a_wrong_question_is_named_by_its_line(tmp_path, questions, message):
    with pytest.raises(DatasetError, match=message):
        load_dataset(folder(tmp_path, questions))


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (DOCUMENT + '{"id": "b"}\n', r"documents\.jsonl: line 2: 'text' is None; expected a text"),
        (DOCUMENT + '{"text": "b"}\n', r"line 2: the document has no name; expected one of source, id"),
        (DOCUMENT * 2, r"line 2: a second document is called 'a'"),
    ],
)
def test_a_wrong_document_is_named_by_its_line(tmp_path, documents, message):
    with pytest.raises(DatasetError, match=message):
        load_dataset(folder(tmp_path, documents=documents))


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ({"text": "four"}, "reference 1 'four' stands in no document"),
        ({"text": "four", "source": "a"}, "reference 1 'four' does not stand in 'a'"),
        ({"text": "One", "source": "b"}, "reference 1 names the source 'b', which is not in the corpus"),
        ({"text": "  ", "source": "a"}, "reference 1 is empty"),
        (
            {"text": "One two", "source": "a", "start": 3, "end": 10},
            "reference 1 'One two' does not stand at 3 of 'a', but more than once elsewhere",
        ),
    ],
)
def test_a_question_whose_reference_is_not_in_the_corpus_is_reported(tmp_path, reference, problem):
    dataset = load_dataset(folder(tmp_path, asked(reference)))
    assert (dataset.questions, dataset.left_out) == ((), 1)
    assert dataset.problems == (f"question 'q' is left out: {problem}",)


def test_a_question_without_references_is_reported(tmp_path):
    dataset = load_dataset(folder(tmp_path, '{"id": "q", "question": "?", "references": []}\n'))
    assert dataset.problems == ("question 'q' is left out: it has no reference",)


def test_a_reference_that_stands_elsewhere_is_moved_and_reported(tmp_path):
    dataset = load_dataset(folder(tmp_path, asked({"text": "three", "source": "a", "start": 0, "end": 5})))
    (part,) = dataset.questions[0].references
    assert (part.start, part.end) == (8, 13)
    assert dataset.problems == ("question 'q': reference 1 stands at 8 of 'a', not at 0; it is used there",)


def test_white_space_between_the_words_of_a_reference_does_not_matter(tmp_path):
    dataset = load_dataset(folder(tmp_path, asked({"text": " two\n  three "})))
    (part,) = dataset.questions[0].references
    assert (part.text, part.source, part.start, part.end) == ("two three", "a", 4, 13)
    assert (dataset.problems, dataset.left_out) == ((), 0)


def test_references_that_may_belong_to_several_documents_are_counted(tmp_path):
    two = DOCUMENT + DOCUMENT.replace('"a"', '"b"')
    dataset = load_dataset(folder(tmp_path, asked({"text": "two"}), documents=two))
    assert dataset.problems[0].startswith("1 references name no source and stand in several documents")
    named = load_dataset(folder(tmp_path, asked({"text": "two", "source": "b"}), documents=two))
    assert named.problems == ()


def test_a_text_that_is_not_utf8_is_named_by_its_line(tmp_path):
    (tmp_path / "a.txt").write_bytes("eins\nzwei drei\nf\xfcnf".encode("latin-1"))
    with pytest.raises(DatasetError, match=r"a\.txt: line 3: byte 0xfc is not UTF-8"):
        load_dataset(tmp_path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([{"title": "T", "paragraphs": 3}], r"data\[0\]: 'paragraphs' is 3; expected a list of objects"),
        (
            [{"title": "T", "paragraphs": [{"context": None}]}],
            r"paragraphs\[0\]: 'context' is None; expected a text",
        ),
    ],
)
def test_a_wrong_squad_file_is_named_by_its_place(tmp_path, data, message):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"data": data}))
    with pytest.raises(DatasetError, match=message):
        load_dataset(path)


def test_a_squad_answer_that_does_not_stand_in_its_paragraph_is_reported(tmp_path):
    qas = [
        {"id": "moved", "question": "?", "answers": [{"text": "two", "answer_start": 0}]},
        {"id": "none", "question": "?", "answers": []},
    ]
    path = tmp_path / "a.json"
    path.write_text(
        json.dumps({"data": [{"title": "T", "paragraphs": [{"context": "One two.", "qas": qas}]}]})
    )
    assert load_dataset(path).problems == (
        "question 'moved' is left out: its answer 'two' does not stand at 0 of its paragraph",
        "question 'none' is left out: it has no answer",
    )


def test_a_path_that_is_not_there_says_so(tmp_path):
    for load in (load_dataset, load_questions):
        with pytest.raises(DatasetError, match="no such file or folder"):
            load(tmp_path / "missing")
