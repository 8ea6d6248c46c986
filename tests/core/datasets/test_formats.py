"""Each common form is recognised by its content and read into documents and questions that stand in them."""

import json
from pathlib import Path

import pytest

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets import FORMATS, load_dataset, load_questions

SPEECH = "We met in May. The fee is 40 euros. Snow fell on the pass."
FEE = "The fee is 40 euros."
FEE_START = SPEECH.index(FEE)


def write(path: Path, content) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def write_lines(path: Path, *entries) -> Path:
    return write(path, "".join(json.dumps(entry) + "\n" for entry in entries))


def reference(source="speech", text=FEE, start=FEE_START):
    return {"source": source, "start": start, "end": start + len(text), "text": text}


def question(*references, **more):
    return {"id": "fee", "question": "What is the fee?", "references": list(references), **more}


@pytest.fixture
def squad(tmp_path) -> Path:
    first = {"context": "Nothing here.", "qas": []}
    answers = [{"text": "40 euros", "answer_start": 26}, {"text": "40", "answer_start": 26}]
    second = {"context": SPEECH, "qas": [{"id": "fee", "question": "What is the fee?", "answers": answers}]}
    return write(tmp_path / "dev.json", {"data": [{"title": "Talks", "paragraphs": [first, second]}]})


@pytest.fixture
def documents(tmp_path) -> Path:
    write_lines(tmp_path / "lines" / "corpus.jsonl", {"id": "speech", "text": SPEECH, "title": "A speech"})
    write_lines(tmp_path / "lines" / "questions.jsonl", question(reference()))
    return tmp_path / "lines"


def test_squad_is_one_document_an_article_and_the_sentence_of_the_first_answer(squad):
    dataset = load_dataset(squad)
    assert dict(dataset.documents) == {"Talks": f"Nothing here.\n\n{SPEECH}"}
    (found,) = dataset.questions
    (part,) = found.references
    assert (part.text, dataset.documents["Talks"][part.start : part.end]) == (FEE, FEE)


def test_a_folder_with_one_such_file_is_that_file(squad):
    (squad.parent / "SOURCE.txt").write_text("where it is from")
    assert load_dataset(squad.parent) == load_dataset(squad)


def test_json_lines_of_documents_with_questions_beside_them(documents):
    for path in (documents, documents / "corpus.jsonl"):
        dataset = load_dataset(path)
        assert dict(dataset.documents) == {"speech": SPEECH}
        assert [found.id for found in dataset.questions] == ["fee"]


def test_a_file_of_questions_can_be_named(documents, tmp_path):
    other = write_lines(tmp_path / "other.jsonl", question({"text": "Snow fell on the pass."}, id="snow"))
    (found,) = load_dataset(documents, questions=other).questions
    assert found.references[0].source == "speech"
    assert found.references[0].start == SPEECH.index("Snow")


def test_documents_without_questions_can_still_be_filtered(tmp_path):
    path = write_lines(tmp_path / "corpus.jsonl", {"_id": "a", "text": "One."}, {"doc_id": 2, "text": "Two."})
    dataset = load_dataset(path)
    assert dict(dataset.documents) == {"a": "One.", "2": "Two."}
    assert dataset.questions == ()


def test_a_folder_of_texts_with_questions_inside_or_beside_it(tmp_path):
    write(tmp_path / "texts" / "talks" / "speech.txt", SPEECH)
    write(tmp_path / "texts" / "page.md", "# A page\n")
    write(tmp_path / "texts" / "table.xlsx", "no text")
    write(tmp_path / "texts" / ".hidden" / "secret.txt", "not read")
    write_lines(tmp_path / "questions.jsonl", question(reference("talks/speech.txt")))
    beside = load_dataset(tmp_path / "texts")
    assert list(beside.documents) == ["page.md", "talks/speech.txt"]
    assert [found.id for found in beside.questions] == ["fee"]
    assert beside.problems == ("files of other kinds are not read: 1 .xlsx",)
    (tmp_path / "questions.jsonl").rename(tmp_path / "texts" / "questions.jsonl")
    assert load_dataset(tmp_path / "texts") == beside


def test_one_text_is_a_data_set_too(tmp_path):
    assert dict(load_dataset(write(tmp_path / "a.txt", "One.")).documents) == {"a.txt": "One."}


def test_line_ends_stay_as_they_are_so_that_offsets_hold(tmp_path):
    (tmp_path / "a.txt").write_bytes("\ufeffone\r\ntwo\r\n".encode())
    assert dict(load_dataset(tmp_path).documents) == {"a.txt": "one\r\ntwo\r\n"}


def test_questions_alone_are_recognised_by_content(squad, documents):
    for path in (squad, documents / "questions.jsonl"):
        (found,) = load_questions(path)
        assert found.text == "What is the fee?"
        assert found.references[0].text == FEE


def test_the_first_questions_can_be_asked_for(documents):
    write_lines(documents / "questions.jsonl", question(reference(), id="a"), question(reference(), id="b"))
    assert [found.id for found in load_dataset(documents, limit=1).questions] == ["a"]
    with pytest.raises(DatasetError, match="limit: got 0; expected at least 1"):
        load_dataset(documents, limit=0)


def test_guessed_offsets_can_be_left_out(tmp_path):
    guessed = {"text": "May", "answer_start": 10, "start_method": "heuristic"}
    known = {"text": "40 euros", "answer_start": 26, "start_method": "unique"}
    qas = [
        {"id": "both", "question": "?", "answers": [guessed, known]},
        {"id": "guessed", "question": "?", "answers": [guessed]},
    ]
    path = write(
        tmp_path / "a.json", {"data": [{"title": "T", "paragraphs": [{"context": SPEECH, "qas": qas}]}]}
    )
    assert [found.references[0].text for found in load_dataset(path).questions] == ["We met in May."] * 2
    exact = load_dataset(path, exact_offsets=True)
    assert [(found.id, found.references[0].text) for found in exact.questions] == [("both", FEE)]
    assert exact.problems == ("question 'guessed' is left out: the offsets of its answers are guesses",)


def test_every_format_says_what_it_expects(tmp_path):
    write(tmp_path / "data.xyz", "?")
    with pytest.raises(DatasetError) as raised:
        load_dataset(tmp_path)
    assert "it holds data.xyz" in str(raised.value)
    for kind in FORMATS:
        assert kind.form in str(raised.value)


def test_several_data_sets_in_a_folder_have_to_be_named(tmp_path):
    for name in ("one.jsonl", "two.jsonl"):
        write_lines(tmp_path / name, {"id": "a", "text": "One."})
    with pytest.raises(
        DatasetError, match=r"holds several data sets; expected one of one\.jsonl, two\.jsonl"
    ):
        load_dataset(tmp_path)


def test_the_demo_corpus_is_a_data_set():
    from chunkfilter.demo import questions_file

    with questions_file() as path:
        dataset = load_dataset(path.parent / "corpus")
    assert dataset.problems == ()
    assert len(dataset.questions) >= 40


def beir(folder: Path, judgements: str, name: str = "test") -> Path:
    write_lines(
        folder / "corpus.jsonl",
        {"_id": "d1", "title": "Pumps", "text": "They pump."},
        {"_id": "d2", "title": "", "text": "Valves open."},
    )
    write_lines(
        folder / "queries.jsonl", {"_id": "q1", "text": "What pumps?"}, {"_id": "q2", "text": "Else?"}
    )
    (folder / "qrels").mkdir(exist_ok=True)
    (folder / "qrels" / f"{name}.tsv").write_text(judgements, encoding="utf-8")
    return folder


HEAD = "query-id\tcorpus-id\tscore\n"


def test_a_beir_folder_has_grades_and_whole_documents(tmp_path):
    dataset = load_dataset(beir(tmp_path, HEAD + "q1\td1\t2\nq1\td2\t1\nq2\td2\t0\n"))
    (question,) = dataset.questions
    assert dataset.documents["d1"] == "Pumps\n\nThey pump."
    assert question.relevance == {"d1": 2.0, "d2": 1.0}
    assert all(one.whole for one in question.references)
    assert not dataset.has_evidence


def test_judgements_of_test_are_preferred_and_the_others_named(tmp_path):
    beir(tmp_path, HEAD + "q2\td2\t1\n", "train")
    dataset = load_dataset(beir(tmp_path, HEAD + "q1\td1\t1\nq1\tgone\t1\n"))
    assert [question.id for question in dataset.questions] == ["q1"]
    assert dataset.problems == (
        "the judgements of train.tsv are not used",
        "1 judgements name documents that are not in corpus.jsonl; they are left out",
    )


@pytest.mark.parametrize(
    ("judgements", "message"),
    [
        (HEAD + "q1\td1\n", r"test\.tsv: line 2: 2 fields; expected query-id, corpus-id, score"),
        (HEAD + "q1\td1\tgood\n", r"line 2: the score is 'good'; expected a number"),
        (HEAD + "q1\td1\tinf\n", r"line 2: the score is 'inf'; expected a number"),
        ("q1\td1\t1O\n", r"line 1: the score is '1O'; expected a number"),
        (HEAD + "q9\td1\t1\n", r"line 2: no query is called 'q9'"),
    ],
)
def test_a_wrong_judgement_is_named_by_its_line(tmp_path, judgements, message):
    with pytest.raises(DatasetError, match=message):
        load_dataset(beir(tmp_path, judgements))


def test_our_own_questions_may_have_grades_and_answers(tmp_path):
    write_lines(tmp_path / "documents.jsonl", {"id": "a", "text": "One."}, {"id": "b", "text": "Two."})
    asked = {"question": "?", "references": [{"text": "One."}], "relevance": {"a": 2, "b": 1}}
    write_lines(tmp_path / "questions.jsonl", {**asked, "answers": ["One it is."]})
    (question,) = load_dataset(tmp_path).questions
    assert (question.graded, question.answers) == ({"a": 2.0, "b": 1.0}, ("One it is.",))
    write_lines(tmp_path / "questions.jsonl", {**asked, "relevance": {"c": 1}})
    assert "its relevance names 'c', which is not in the corpus" in load_dataset(tmp_path).problems[0]
