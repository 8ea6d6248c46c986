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
from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.beir import whole_document
from chunkfilter.evaluate.datasets.format import Format, Options, only_file
from chunkfilter.evaluate.datasets.parts import NamedQuestions
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
    titles: dict[str, set[str]] = {}
    for entry in json_lines(path / _CORPUS):
        name, text = entry.text("doc_id"), entry.text("text")
        if documents.setdefault(name, text) != text:
            raise DatasetError(f"{entry.place}: a second document is called {name!r}")
        titles.setdefault(entry.text("title"), set()).add(name)
    questions = NamedQuestions()
    problems: list[str] = []
    for entry in json_lines(_questions_file(path) or path):
        try:
            questions.add(_question(entry, documents, titles), entry.place)
        except Unusable as error:
            problems.append(f"question {entry.text('id')!r} is left out: {error}")
    return placed_dataset(
        path.resolve().name, documents, questions.all, problems=problems, limit=options.limit
    )


def _question(entry: Entry, documents: dict[str, str], titles: dict[str, set[str]]) -> Question:
    facts = entry.values.get("supporting_facts")
    asked = not isinstance(facts, dict) or entry.values.get("gold_doc_ids") is not None
    gold = entry.texts("gold_doc_ids") if asked else []
    if isinstance(facts, dict):
        place = f"{entry.place}, supporting_facts"
        references = _facts(Entry(place, facts), documents, titles, gold)
    else:
        missing = [name for name in gold if name not in documents]
        if missing:
            raise Unusable(f"its document {missing[0]!r} is not in the corpus")
        references = [whole_document(name, documents[name]) for name in gold]
    answers = (entry.text("answer"),) if entry.values.get("answer") is not None else ()
    return Question(entry.text("id"), entry.text("question"), tuple(references), answers=answers)


def _facts(
    entry: Entry, documents: dict[str, str], titles: dict[str, set[str]], gold: list[str]
) -> list[Reference]:
    named, numbers = entry.texts("titles"), entry.offsets("sent_ids")
    if len(named) != len(numbers):
        raise DatasetError(f"{entry.place}: {len(named)} titles, {len(numbers)} sent_ids; expected as many")
    references = []
    for title, number in zip(named, numbers, strict=True):
        source = _document_called(title, titles, gold)
        text = documents[source]
        sentences: list[Span] = [match.span() for match in _SENTENCE.finditer(text)]
        if number >= len(sentences):
            raise Unusable(f"sentence {number} of {title!r} cannot be told apart")
        start, end = sentences[number]
        references.append(Reference(text[start:end], source, start, end))
    return references


def _document_called(title: str, titles: dict[str, set[str]], gold: list[str]) -> str:
    """The document of a title; of several, the one among the question's gold documents."""
    called = titles.get(title, set())
    if not called:
        raise Unusable(f"its document {title!r} is not in the corpus")
    meant = called if len(called) == 1 else called.intersection(gold)
    if len(meant) != 1:
        raise Unusable(f"{len(called)} documents are called {title!r}, and it does not say which")
    (name,) = meant
    return name


MULTIHOP = Format(
    f'a folder with {_CORPUS} of {{"doc_id", "title", "text"}} and questions with "gold_doc_ids"',
    _fits,
    _read,
)
