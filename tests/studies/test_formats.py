"""Data sets in the forms of single studies, ids that are there twice, and rows of the hub's library."""

import json
from pathlib import Path

import pytest

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets import load_dataset, load_questions
from chunkfilter.evaluate.questions import Dataset

SPEECH = "We met in May. The fee is 40 euros. Snow fell on the pass."
FEE = "The fee is 40 euros."


def lines(path: Path, *values: object) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(text, encoding="utf-8")
    return path


def stand_where_they_say(dataset: Dataset) -> bool:
    return all(
        dataset.documents[one.source][one.start : one.end] == one.text
        for question in dataset.questions
        for one in question.references
    )


def scifact(folder: Path, sentence: int) -> Path:
    lines(folder / "corpus.jsonl", {"_id": "7", "title": "T", "sentences": ["One is.", "Two is."]})
    evidence = [{"doc_id": "7", "label": "SUPPORT", "sentences": [sentence]}]
    lines(
        folder / "claims.jsonl",
        {"_id": "1", "text": "Two?", "cited_doc_ids": ["7"], "evidence": evidence},
        {"_id": "2", "text": "Three?", "cited_doc_ids": ["7"], "evidence": []},
    )
    return folder


def test_scifact_has_evidence_sentences(tmp_path):
    dataset = load_dataset(scifact(tmp_path, 1))
    assert [one.text for one in dataset.questions[0].references] == ["Two is."]
    assert dataset.questions[0].relevance == {"7": 1.0}
    assert dataset.problems == ("1 claims without evidence sentences are left out",)
    assert dataset.has_evidence
    assert stand_where_they_say(dataset)


def test_scifact_names_a_sentence_that_is_not_there(tmp_path):
    with pytest.raises(
        DatasetError, match=r"claims\.jsonl: line 1, evidence\[0\]: sentence 2 of '7'; it has 2"
    ):
        load_dataset(scifact(tmp_path, 2))


def multihop(folder: Path, **question: object) -> Path:
    lines(
        folder / "corpus.jsonl",
        {"doc_id": "a_1", "title": "A", "text": "First one. Still first.  Second one.  Third one."},
        {"doc_id": "b_2", "title": "B", "text": "Only."},
    )
    lines(folder / "questions.jsonl", {"id": "q", "question": "?", "answer": "yes", **question})
    return folder


def test_supporting_facts_are_sentences_set_apart_by_two_spaces(tmp_path):
    facts = {"titles": ["A", "B"], "sent_ids": [1, 0]}
    dataset = load_dataset(multihop(tmp_path, supporting_facts=facts, gold_doc_ids=["A", "B"]))
    (question,) = dataset.questions
    assert [one.text for one in question.references] == ["Second one.", "Only."]
    assert question.answers == ("yes",)
    assert stand_where_they_say(dataset)


def test_gold_documents_without_facts_are_whole(tmp_path):
    dataset = load_dataset(multihop(tmp_path, gold_doc_ids=["b_2"]))
    assert [(one.text, one.whole) for one in dataset.questions[0].references] == [("Only.", True)]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"supporting_facts": {"titles": ["A"], "sent_ids": [3]}, "gold_doc_ids": []}, "sentence 3 of 'A'"),
        ({"supporting_facts": {"titles": ["C"], "sent_ids": [0]}, "gold_doc_ids": []}, "its document 'C'"),
        ({"gold_doc_ids": ["c"]}, "its document 'c' is not in the corpus"),
    ],
)
def test_a_question_whose_gold_is_missing_is_reported(tmp_path, more, problem):
    dataset = load_dataset(multihop(tmp_path, **more))
    assert not dataset.questions
    assert problem in dataset.problems[0]


def test_hotpotqa_in_its_own_form(tmp_path):
    record = {
        "_id": "q",
        "question": "?",
        "answer": "A spirit.",
        "context": [["A", ["One is.", " Two is."]], ["B", ["Three is."]]],
        "supporting_facts": [["A", 1], ["A", 9]],
    }
    other = {**record, "_id": "r", "context": [["A", ["Another."]]], "supporting_facts": [["A", 0]]}
    path = tmp_path / "h.json"
    path.write_text(json.dumps([record, other]), encoding="utf-8")
    dataset = load_dataset(path)
    assert dataset.documents == {"A": "One is. Two is.", "B": "Three is.", "A (2)": "Another."}
    assert [one.text for one in dataset.questions[0].references] == ["Two is."]
    assert dataset.questions[1].references[0].source == "A (2)"
    path.write_text(json.dumps([{**record, "context": [["A", "x"]]}]), encoding="utf-8")
    with pytest.raises(DatasetError, match=r"list\[0\]: 'context' is .*; expected pairs of a title and list"):
        load_dataset(path)


def test_a_hotpotqa_sentence_that_is_no_text_is_named(tmp_path):
    record = {"_id": "q", "question": "?", "context": [["A", [None]]], "supporting_facts": [["A", 0]]}
    path = tmp_path / "h.json"
    path.write_text(json.dumps([record]), encoding="utf-8")
    with pytest.raises(DatasetError, match=r"the sentences of 'A' are \[None\]; expected texts"):
        load_dataset(path)


def test_musique_in_its_own_form(tmp_path):
    paragraphs = [
        {"title": "A", "paragraph_text": "One.", "is_supporting": True},
        {"title": "B", "paragraph_text": "Two.", "is_supporting": False},
    ]
    path = tmp_path / "m.json"
    path.write_text(json.dumps([{"id": "q", "question": "?", "answer": "1", "paragraphs": paragraphs}]))
    dataset = load_dataset(path)
    assert dataset.documents == {"A": "One.", "B": "Two."}
    assert dataset.questions[0].graded == {"A": 1.0}


def clap(identifier: str, text: str, selected: list[str]) -> dict:
    output = [{"answer": "Yes." if selected else "", "selected_sentences": selected}]
    return {"id": identifier, "input": "?", "passages": [{"title": "T", "text": text}], "output": output}


def test_clapnq_folders_hold_passages_of_all_files(tmp_path):
    lines(tmp_path / "answerable.jsonl", clap("1", "It is . So is it .", ["So is it ."]))
    lines(tmp_path / "unanswerable.jsonl", clap("2", "Not at all .", []))
    dataset = load_dataset(tmp_path)
    assert dataset.documents == {"T": "It is . So is it .", "T (2)": "Not at all ."}
    (question,) = dataset.questions
    assert (question.references[0].start, question.answers) == (8, ("Yes.",))
    assert dataset.problems == ("1 questions without selected sentences are left out",)


def ragbench(path: Path, keys: list[str], sentences: object = None) -> Path:
    listed = [[["0a", "It is."], ["0b", "It is."]], [["1a", "Not."]]]
    return lines(
        path,
        {
            "id": "r",
            "question": "?",
            "documents": ["It is. It is.", "Not."],
            "documents_sentences": listed if sentences is None else sentences,
            "all_relevant_sentence_keys": keys,
            "response": "Yes.",
        },
    )


def test_ragbench_sentences_are_found_in_turn(tmp_path):
    dataset = load_dataset(ragbench(tmp_path / "r.jsonl", ["0b", "1a"]))
    assert [(one.source, one.start) for one in dataset.questions[0].references] == [("r/0", 7), ("r/1", 0)]
    assert dataset.questions[0].answers == ("Yes.",)


def test_ragbench_records_of_one_id_lose_no_document(tmp_path):
    record = json.loads(ragbench(tmp_path / "r.jsonl", ["0a"]).read_text(encoding="utf-8"))
    other = {**record, "documents": ["He is.", "Not."], "documents_sentences": [[["0a", "He is."]], []]}
    dataset = load_dataset(lines(tmp_path / "two.jsonl", record, other))
    assert sorted(dataset.documents.values()) == ["He is.", "It is. It is.", "Not."]
    assert [one.text for question in dataset.questions for one in question.references] == ["It is.", "He is."]


def test_ragbench_mistakes_are_named(tmp_path):
    dataset = load_dataset(ragbench(tmp_path / "r.jsonl", ["7x"]))
    assert "its sentence '7x' stands in none of its documents" in dataset.problems[0]
    with pytest.raises(DatasetError, match=r"line 1: 'documents_sentences' .* for each of 2 documents"):
        load_dataset(ragbench(tmp_path / "r.jsonl", ["0a"], [[["0a", "It is."]]]))


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


def test_the_chroma_study(chroma_study):
    dataset = load_dataset(chroma_study)
    assert dataset.name == "study"
    assert load_questions(chroma_study / "questions_df.csv") == dataset.questions
    assert dict(dataset.documents) == {"other": "Nothing about money.", "speech": SPEECH}
    assert dict(dataset.groups) == {"other": "other", "speech": "speech"}
    (found,) = dataset.questions
    assert (found.id, found.text) == ("speech-1", "What is the fee?")
    assert [(part.source, part.start, part.end, part.text) for part in found.references] == [
        ("speech", 15, 35, FEE)
    ]
    assert dataset.problems == ()


def test_versions_of_eu_acts_are_a_document_each(tmp_path):
    provisions = [{"anchor": "art_1", "text": "Article 1"}, {"anchor": "art_2", "text": "Article 2"}]
    path = lines(
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
    lines(tmp_path / "documents.en.jsonl", act("2016", old), act("2018", new))
    base = {"user_input": "How long?", "origin": "generated", "section_ids": ["gdpr:art5"]}
    context = f"Article 5 {erased}"
    lines(
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


def test_a_table_lacks_a_column_or_a_field(tmp_path):
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "a.md").write_text("One.")
    table = tmp_path / "questions_df.csv"
    table.write_text("question,references\n?,[]\n")
    with pytest.raises(DatasetError, match="expected question, references, corpus_id"):
        load_dataset(tmp_path)
    table.write_text("question,references,corpus_id\nq,[],a\nq,[]\n")
    with pytest.raises(DatasetError, match="line 3: expected 3 fields a row"):
        load_dataset(tmp_path)
    table.write_text("question,references,corpus_id\nq,nonsense,a\n")
    with pytest.raises(DatasetError, match="line 2: 'references' is 'nonsense'; expected a JSON list"):
        load_dataset(tmp_path)


def test_an_empty_folder_of_documents_says_so(tmp_path):
    (tmp_path / "questions_df.csv").write_text("question,references,corpus_id\n")
    (tmp_path / "corpora").mkdir()
    with pytest.raises(DatasetError, match="no documents found"):
        load_dataset(tmp_path)
