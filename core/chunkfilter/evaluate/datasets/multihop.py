"""Questions over a corpus of short documents, several of which it takes to answer one.

``corpus.jsonl`` of ``{"doc_id", "title", "text"}`` and one file of questions, ``{"id", "question", "answer",
"gold_doc_ids"}``. With ``supporting_facts`` (HotpotQA: titles and numbers of sentences) the references are
those sentences, without them the documents, whole.

Sentences in these texts are set apart by two spaces, mostly: where one is missing, the numbers of later
sentences lie beyond what can be told apart, or, rarely, one off.
"""

import re
from pathlib import Path

from chunkfilter.chunk import Span
from chunkfilter.evaluate.datasets.beir import whole_document
from chunkfilter.evaluate.datasets.format import Format, Options, only_file
from chunkfilter.evaluate.datasets.places import Unusable, placed_dataset
from chunkfilter.evaluate.datasets.reading import Entry, first_object, json_lines
from chunkfilter.evaluate.questions import Dataset, Question, Reference

_CORPUS = "corpus.jsonl"
_SENTENCE = re.compile(r"\S.*?(?=\s{2}|\s*$)", re.DOTALL)


def _questions_file(path: Path) -> Path | None:
    return only_file(path, "*.jsonl", lambda file: {"question", "gold_doc_ids"} <= first_object(file).keys())


def _fits(path: Path) -> bool:
    return (
        path.is_dir()
        and {"doc_id", "text"} <= first_object(path / _CORPUS).keys()
        and _questions_file(path) is not None
    )


def _read(path: Path, options: Options) -> Dataset:
    documents: dict[str, str] = {}
    titles: dict[str, str] = {}
    for entry in json_lines(path / _CORPUS):
        name = entry.text("doc_id")
        documents[name] = entry.text("text")
        titles.setdefault(entry.text("title"), name)
    questions: list[Question] = []
    problems: list[str] = []
    for entry in json_lines(_questions_file(path) or path):
        try:
            questions.append(_question(entry, documents, titles))
        except Unusable as error:
            problems.append(f"question {entry.text('id')!r} is left out: {error}")
    return placed_dataset(path.resolve().name, documents, questions, problems=problems, limit=options.limit)


def _question(entry: Entry, documents: dict[str, str], titles: dict[str, str]) -> Question:
    facts = entry.values.get("supporting_facts")
    if isinstance(facts, dict):
        references = _facts(Entry(f"{entry.place}, supporting_facts", facts), documents, titles)
    else:
        missing = [name for name in entry.texts("gold_doc_ids") if name not in documents]
        if missing:
            raise Unusable(f"its document {missing[0]!r} is not in the corpus")
        references = [whole_document(name, documents[name]) for name in entry.texts("gold_doc_ids")]
    answers = (entry.text("answer"),) if entry.values.get("answer") is not None else ()
    return Question(entry.text("id"), entry.text("question"), tuple(references), answers=answers)


def _facts(entry: Entry, documents: dict[str, str], titles: dict[str, str]) -> list[Reference]:
    references = []
    for title, number in zip(entry.texts("titles"), entry.offsets("sent_ids"), strict=True):
        if title not in titles:
            raise Unusable(f"its document {title!r} is not in the corpus")
        text = documents[titles[title]]
        sentences: list[Span] = [match.span() for match in _SENTENCE.finditer(text)]
        if number >= len(sentences):
            raise Unusable(f"sentence {number} of {title!r} cannot be told apart")
        start, end = sentences[number]
        references.append(Reference(text[start:end], titles[title], start, end))
    return references


MULTIHOP = Format(
    f'a folder with {_CORPUS} of {{"doc_id", "title", "text"}} and questions with "gold_doc_ids"',
    _fits,
    _read,
)
