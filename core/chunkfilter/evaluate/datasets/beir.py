"""Folders in the form of BEIR: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/*.tsv``.

A document is its title, a blank line and its text. The truth names documents, with grades; a question's
references are its relevant documents, whole. Where there are judgements named ``test.tsv`` only those are
used, as is the custom, else all of them.

Source of the form: Thakur et al., "BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of Information
Retrieval Models" (2021).
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.format import Format, Options, whole_document
from chunkfilter.evaluate.datasets.places import placed_dataset
from chunkfilter.evaluate.datasets.reading import Entry, json_lines, read_text
from chunkfilter.evaluate.questions import Dataset, Question

_CORPUS, _QUERIES, _QRELS = "corpus.jsonl", "queries.jsonl", "qrels"
_PREFERRED = "test"
_COLUMNS = 3

Judgements = dict[str, dict[str, float]]


def _fits(path: Path) -> bool:
    return (path / _CORPUS).is_file() and (path / _QUERIES).is_file() and (path / _QRELS).is_dir()


def _read(path: Path, options: Options) -> Dataset:
    documents: dict[str, str] = {}
    for entry in json_lines(path / _CORPUS):
        title = entry.text("title").strip() if entry.values.get("title") is not None else ""
        text = f"{title}\n\n{entry.text('text')}" if title else entry.text("text")
        if documents.setdefault(_id(entry), text) is not text:
            raise DatasetError(f"{entry.place}: a second document is called {_id(entry)!r}")
    texts: dict[str, str] = {}
    for entry in json_lines(path / _QUERIES):  # one may be there twice, but not with two texts
        name, text = _id(entry), entry.text("text")
        if texts.setdefault(name, text) != text:
            raise DatasetError(
                f"{entry.place}: id {name!r} is that of another query; expected one of its own"
            )
    judged, problems = _judgements(path / _QRELS, texts, documents)
    questions = [
        Question(
            name,
            texts[name],
            tuple(whole_document(source, documents[source]) for source in grades),
            relevance=grades,
        )
        for name, grades in judged.items()
    ]
    return placed_dataset(path.resolve().name, documents, questions, problems=problems, limit=options.limit)


def _id(entry: Entry) -> str:
    value = entry.values.get("_id")
    if not isinstance(value, str | int):
        raise DatasetError(f"{entry.place}: '_id' is {value!r:.80}; expected a text or a number")
    return str(value)


def _judgements(
    folder: Path, queries: Mapping[str, str], documents: Mapping[str, str]
) -> tuple[Judgements, list[str]]:
    """The grades above 0 of each question, and what could not be used."""
    files = sorted(folder.glob("*.tsv"))
    if not files:
        raise DatasetError(f"{folder}: no judgements; expected files *.tsv")
    chosen = [file for file in files if file.stem == _PREFERRED] or files
    problems = [f"the judgements of {file.name} are not used" for file in files if file not in chosen]
    judged: Judgements = {}
    missing = 0
    for file in chosen:
        for place, query, document, grade in _rows(file):
            if query not in queries:
                raise DatasetError(f"{place}: no query is called {query!r}; expected one of {_QUERIES}")
            if grade > 0 and document in documents:
                judged.setdefault(query, {})[document] = grade
            missing += grade > 0 and document not in documents
    if missing:
        problems.append(f"{missing} judgements name documents that are not in {_CORPUS}; they are left out")
    return judged, problems


def _rows(file: Path) -> Iterator[tuple[str, str, str, float]]:
    """Place, query, document and grade of each line; the names of the columns may come first."""
    for number, line in enumerate(read_text(file).splitlines(), start=1):
        if not line.strip():
            continue
        place, fields = f"{file}: line {number}", line.split("\t")
        if len(fields) != _COLUMNS:
            raise DatasetError(f"{place}: {len(fields)} fields; expected query-id, corpus-id, score")
        query, document, written = fields
        if number == 1 and not any(character.isdigit() for character in written):
            continue
        try:
            grade = float(written)
        except ValueError:
            grade = math.nan
        if not math.isfinite(grade):
            raise DatasetError(f"{place}: the score is {written!r:.40}; expected a number")
        yield place, query.strip(), document.strip(), grade


BEIR = Format(f"a folder with {_CORPUS}, {_QUERIES} and {_QRELS}/*.tsv (BEIR)", _fits, _read)
