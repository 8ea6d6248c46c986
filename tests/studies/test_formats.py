"""BEIR folders, SciFact, HotpotQA, MuSiQue, CLAP NQ and RAGBench records."""

import json
from pathlib import Path

import pytest

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets import load_dataset
from chunkfilter.evaluate.questions import Dataset


def lines(path: Path, *values: object) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def stand_where_they_say(dataset: Dataset) -> bool:
    return all(
        dataset.documents[one.source][one.start : one.end] == one.text
        for question in dataset.questions
        for one in question.references
    )


def beir(folder: Path, judgements: str, name: str = "test") -> Path:
    lines(
        folder / "corpus.jsonl",
        {"_id": "d1", "title": "Pumps", "text": "They pump."},
        {"_id": "d2", "title": "", "text": "Valves open."},
    )
    lines(folder / "queries.jsonl", {"_id": "q1", "text": "What pumps?"}, {"_id": "q2", "text": "Else?"})
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
    assert stand_where_they_say(dataset)


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
    lines(tmp_path / "documents.jsonl", {"id": "a", "text": "One."}, {"id": "b", "text": "Two."})
    asked = {"question": "?", "references": [{"text": "One."}], "relevance": {"a": 2, "b": 1}}
    lines(tmp_path / "questions.jsonl", {**asked, "answers": ["One it is."]})
    (question,) = load_dataset(tmp_path).questions
    assert (question.graded, question.answers) == ({"a": 2.0, "b": 1.0}, ("One it is.",))
    lines(tmp_path / "questions.jsonl", {**asked, "relevance": {"c": 1}})
    assert "its relevance names 'c', which is not in the corpus" in load_dataset(tmp_path).problems[0]


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


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "documents", "questions", "evidence"),
    [
        ("scifact", 5183, 693, True),
        ("clapnq_dev", 597, 299, True),
        ("hotpotqa_500", 4941, 134, True),
        ("hotpotqa_train100/hotpotqa_train.json", 994, 100, True),
        ("hotpotqa_train100/musique_train.json", 1890, 100, False),
        ("musique_500", 5966, 498, False),
    ],
)
def test_the_studies_data_load(data: Path, name: str, documents: int, questions: int, evidence: bool) -> None:
    dataset = load_dataset(data / name)
    assert (len(dataset.documents), len(dataset.questions)) == (documents, questions)
    assert dataset.has_evidence is evidence
    assert stand_where_they_say(dataset)
