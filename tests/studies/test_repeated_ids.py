"""An id that is there twice: no question and no document of it is lost, or the line is named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets import load_dataset
from chunkfilter.evaluate.questions import Dataset


def lines(path: Path, *values: object) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def ask_beir(folder: Path, asked: list[str]) -> Path:
    lines(folder / "corpus.jsonl", {"_id": "d", "text": "They pump."})
    lines(folder / "queries.jsonl", *({"_id": "q", "text": text} for text in asked))
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text("q\td\t1\n", encoding="utf-8")
    return folder


def ask_scifact(folder: Path, asked: list[str]) -> Path:
    lines(folder / "corpus.jsonl", {"_id": "d", "title": "T", "sentences": ["They pump."]})
    evidence = [{"doc_id": "d", "sentences": [0]}]
    claim: dict[str, Any] = {"_id": "q", "cited_doc_ids": ["d"], "evidence": evidence}
    lines(folder / "claims.jsonl", *({**claim, "text": text} for text in asked))
    return folder


def ask_multihop(folder: Path, asked: list[str]) -> Path:
    lines(folder / "corpus.jsonl", {"doc_id": "d", "title": "T", "text": "They pump."})
    lines(
        folder / "questions.jsonl", *({"id": "q", "question": text, "gold_doc_ids": ["d"]} for text in asked)
    )
    return folder


def ask_hotpotqa(folder: Path, asked: list[str]) -> Path:
    record = {"_id": "q", "context": [["T", ["They pump."]]], "supporting_facts": [["T", 0]]}
    path = folder / "hotpot.json"
    path.write_text(json.dumps([{**record, "question": text} for text in asked]), encoding="utf-8")
    return path


def ask_musique(folder: Path, asked: list[str]) -> Path:
    paragraphs = [{"title": "T", "paragraph_text": "They pump.", "is_supporting": True}]
    path = folder / "musique.json"
    records = [{"id": "q", "question": text, "paragraphs": paragraphs} for text in asked]
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def ask_squad(folder: Path, asked: list[str]) -> Path:
    answers = [{"text": "pump", "answer_start": 5}]
    qas = [{"id": "q", "question": text, "answers": answers} for text in asked]
    paragraph = {"context": "They pump.", "qas": qas}
    path = folder / "squad.json"
    path.write_text(json.dumps({"data": [{"title": "T", "paragraphs": [paragraph]}]}), encoding="utf-8")
    return path


def ask_clapnq(folder: Path, asked: list[str]) -> Path:
    passages = [{"title": "T", "text": "They pump."}]
    output = [{"answer": "Pump.", "selected_sentences": ["They pump."]}]
    records = [{"id": "q", "input": text, "passages": passages, "output": output} for text in asked]
    return lines(folder / "clap.jsonl", *records)


def ask_ragbench(folder: Path, asked: list[str]) -> Path:
    record = {
        "id": "q",
        "documents": ["They pump."],
        "documents_sentences": [[["0a", "They pump."]]],
        "all_relevant_sentence_keys": ["0a"],
    }
    return lines(folder / "rag.jsonl", *({**record, "question": text} for text in asked))


ASKING = [ask_beir, ask_scifact, ask_multihop, ask_hotpotqa, ask_musique, ask_squad, ask_clapnq, ask_ragbench]


@pytest.mark.parametrize("ask", ASKING)
def test_another_question_under_an_id_is_named_with_its_place(
    tmp_path: Path, ask: Callable[[Path, list[str]], Path]
) -> None:
    path = ask(tmp_path, ["What pumps?", "Who pumps?"])
    with pytest.raises(DatasetError, match=r"(line 2|\[1\]): id 'q' is that of another"):
        load_dataset(path)


@pytest.mark.parametrize("ask", ASKING)
def test_records_of_one_question_are_told_apart(
    tmp_path: Path, ask: Callable[[Path, list[str]], Path]
) -> None:
    dataset = load_dataset(ask(tmp_path, ["What pumps?", "What pumps?"]))
    assert [question.id for question in dataset.questions] in (["q"], ["q", "q (2)"])  # BEIR has one truth
    assert next(iter(dataset.documents.values())).endswith("They pump.")


def of_titles(folder: Path, supporting: str, gold: list[str], texts: tuple[str, str]) -> Dataset:
    documents = [{"doc_id": f"d{place}", "title": "T", "text": text} for place, text in enumerate(texts)]
    lines(folder / "corpus.jsonl", *documents)
    facts = {"titles": [supporting], "sent_ids": [0]}
    question = {"id": "q", "question": "?", "gold_doc_ids": gold, "supporting_facts": facts}
    lines(folder / "questions.jsonl", question)
    return load_dataset(folder)


def test_of_two_documents_of_one_title_the_gold_one_is_meant(tmp_path: Path) -> None:
    (question,) = of_titles(tmp_path, "T", ["d1"], ("One.", "Two.")).questions
    assert [one.text for one in question.references] == ["Two."]
    dataset = of_titles(tmp_path, "T", ["T"], ("One.", "Two."))
    assert dataset.problems == (
        "question 'q' is left out: 2 documents are called 'T', and it does not say which",
    )


def test_a_second_document_of_an_id_is_named(tmp_path: Path) -> None:
    ask_multihop(tmp_path, ["?"])
    lines(tmp_path / "corpus.jsonl", *({"doc_id": "d", "title": "T", "text": text} for text in ("A.", "B.")))
    with pytest.raises(DatasetError, match="line 2: a second document is called 'd'"):
        load_dataset(tmp_path)


def test_facts_of_a_title_that_two_passages_have_are_not_guessed(tmp_path: Path) -> None:
    record = {
        "_id": "q",
        "question": "?",
        "context": [["T", ["One."]], ["T", ["Two."]], ["U", ["Three."]], ["U", ["Three."]]],
        "supporting_facts": [["U", 0]],
    }
    path = tmp_path / "hotpot.json"
    path.write_text(json.dumps([record]), encoding="utf-8")
    dataset = load_dataset(path)
    assert dataset.documents == {"T": "One.", "T (2)": "Two.", "U": "Three."}
    assert [one.text for one in dataset.questions[0].references] == ["Three."]
    path.write_text(json.dumps([{**record, "supporting_facts": [["T", 0]]}]), encoding="utf-8")
    with pytest.raises(DatasetError, match=r"list\[0\]: a supporting fact names 'T', which several passages"):
        load_dataset(path)


def test_questions_without_ids_are_told_apart(tmp_path: Path) -> None:
    path = ask_squad(tmp_path, ["What pumps?", "Who pumps?"])
    path.write_text(path.read_text(encoding="utf-8").replace('"id": "q", ', ""), encoding="utf-8")
    assert len({question.id for question in load_dataset(path).questions}) == 2


def test_references_of_questions_that_are_left_out_count_for_nothing(tmp_path: Path) -> None:
    lines(tmp_path / "documents.jsonl", {"id": "a", "text": "One."}, {"id": "b", "text": "One."})
    lines(
        tmp_path / "questions.jsonl", {"question": "?", "references": [{"text": "One."}, {"text": "Gone."}]}
    )
    (problem,) = load_dataset(tmp_path).problems
    assert "is left out" in problem
