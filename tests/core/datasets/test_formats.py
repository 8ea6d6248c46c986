"""Each format is known by its content and read into documents and questions that stand in them."""

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
def chroma_study(tmp_path) -> Path:
    write(tmp_path / "study" / "corpora" / "speech.md", SPEECH)
    write(tmp_path / "study" / "corpora" / "other.md", "Nothing about money.")
    references = json.dumps([{"content": FEE, "start_index": 15, "end_index": 35}]).replace('"', '""')
    write(
        tmp_path / "study" / "questions_df.csv",
        f'question,references,corpus_id\nWhat is the fee?,"{references}",speech\n',
    )
    return tmp_path / "study"


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


def test_the_chroma_study(chroma_study):
    dataset = load_dataset(chroma_study)
    assert dataset.name == "study"
    assert dict(dataset.documents) == {"other": "Nothing about money.", "speech": SPEECH}
    assert dict(dataset.groups) == {"other": "other", "speech": "speech"}
    (found,) = dataset.questions
    assert (found.id, found.text) == ("speech-1", "What is the fee?")
    assert [(part.source, part.start, part.end, part.text) for part in found.references] == [
        ("speech", 15, 35, FEE)
    ]
    assert dataset.problems == ()


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


def test_versions_of_eu_acts_are_a_document_each(tmp_path):
    provisions = [{"anchor": "art_1", "text": "Article 1"}, {"anchor": "art_2", "text": "Article 2"}]
    path = write_lines(
        tmp_path / "acts.jsonl",
        {"celex": "32001", "version": "2001-01-01", "provisions": provisions},
        {"celex": "32001", "version": "2002-01-01", "provisions": provisions[:1]},
    )
    assert dict(load_dataset(path).documents) == {
        "32001@2001-01-01": "Article 1\n\nArticle 2",
        "32001@2002-01-01": "Article 1",
    }


def test_the_eu_test_set_asks_for_the_version_that_has_its_wording(tmp_path):
    def act(version, text):
        provisions = [{"anchor": "art_1", "text": "Scope."}, {"anchor": "art_5", "text": text}]
        return {"celex": "32016r0679", "version": version, "provisions": provisions}

    erased = "Data shall be erased without any delay at all by the one who holds them"
    old, new = "Article 5 Data shall be kept for 10 years", f"**5** {erased}"
    write_lines(tmp_path / "documents.en.jsonl", act("2016", old), act("2018", new))
    base = {"user_input": "How long?", "origin": "generated", "section_ids": ["gdpr:art5"]}
    context = f"Article 5 {erased}"
    write_lines(
        tmp_path / "testset.jsonl",
        {**base, "id": "new", "reference_contexts": [context]},
        {**base, "id": "gone", "reference_contexts": ["Words that stand nowhere at all"]},
        {
            **base,
            "id": "retrieved",
            "origin": "seed",
            "reference_contexts": [context],
            "section_ids": ["a:b", "c:d"],
        },
    )
    dataset = load_dataset(tmp_path)
    (found,) = dataset.questions
    (part,) = found.references
    assert (found.id, part.source, part.text) == ("new", "32016r0679@2018", new)
    assert dataset.documents[part.source][part.start : part.end] == new
    assert [problem.split(" is left out")[0] for problem in dataset.problems] == [
        "question 'gone'",
        "question 'retrieved'",
    ]


def test_faqs_are_pages_of_answers_by_language(tmp_path):
    path = write(
        tmp_path / "faq.tsv",
        "question\tanswer\tlink\tname\tlang\n"
        "What is it?\tA virus.\thttp://a\tA\ten\n"
        "Who is at risk?\tEverybody.\thttp://a\tA\ten\n"
        "Was ist es?\tEin Virus.\t\tB\tde\n",
    )
    dataset = load_dataset(path)
    assert dict(dataset.documents) == {"en: http://a": "A virus.\n\nEverybody.", "de: B": "Ein Virus."}
    assert dict(dataset.groups) == {"en: http://a": "en", "de: B": "de"}
    for found in dataset.questions:
        (part,) = found.references
        assert dataset.documents[part.source][part.start : part.end] == part.text


def test_questions_alone_are_told_apart_by_content(chroma_study, squad, documents):
    files = (chroma_study / "questions_df.csv", squad, documents / "questions.jsonl")
    for path in files:
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
