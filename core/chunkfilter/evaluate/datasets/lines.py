"""Documents and questions as JSON lines.

Documents: ``{"id", "text"}`` with an optional ``group``, and ``questions.jsonl`` in the same folder, if any.
Questions: ``{"id", "question", "references": [{"source", "text", "start", "end"}]}``; ``id`` may be missing
(then it is the line's number), and so may ``source`` and the offsets (then the text is looked for). A
question may also have ``"relevance": {source: grade}``, grades above 0, and ``"answers": [text]``.
"""

import math
from pathlib import Path

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.format import Format, Options, QuestionFormat, only_file
from chunkfilter.evaluate.datasets.places import placed_dataset
from chunkfilter.evaluate.datasets.reading import Entry, first_object, json_lines
from chunkfilter.evaluate.questions import Dataset, Question, Reference

#: Under which key a document may have its name, the first that it has is taken.
_NAMES = ("source", "id", "doc_id", "_id")


def _only_file(path: Path) -> Path | None:
    return only_file(path, "*.jsonl", lambda file: isinstance(first_object(file).get("text"), str))


def _read(path: Path, options: Options) -> Dataset:
    file = _only_file(path) or path
    documents: dict[str, str] = {}
    groups: dict[str, str] = {}
    for entry in json_lines(file):
        name = next((str(entry.values[key]) for key in _NAMES if entry.values.get(key) is not None), None)
        if name is None:
            raise DatasetError(
                f"{entry.place}: the document has no name; expected one of {', '.join(_NAMES)}"
            )
        if name in documents:
            raise DatasetError(
                f"{entry.place}: a second document is called {name!r}; expected names that differ"
            )
        documents[name] = entry.text("text")
        if "group" in entry.values:
            groups[name] = entry.text("group")
    questions, problems = questions_of(file, options)
    return placed_dataset(
        file.stem, documents, questions, problems=problems, groups=groups, limit=options.limit
    )


def questions_of(documents: Path, options: Options) -> tuple[list[Question], list[str]]:
    """The questions that the caller named or that lie beside the documents, and what is wrong with them."""
    file = questions_file(documents, options)
    return read_questions(file) if file else ([], [])


def questions_file(documents: Path, options: Options) -> Path | None:
    """The file the caller named, else ``questions.jsonl`` in the folder, else the one next to the path."""
    inside = [documents / "questions.jsonl"] if documents.is_dir() else []
    beside = (path for path in (*inside, documents.parent / "questions.jsonl") if path.is_file())
    return options.questions or next(beside, None)


def read_questions(path: Path) -> tuple[list[Question], list[str]]:
    """The questions of a file; the second list, of what cannot be used, is empty.

    Raises:
        DatasetError: a line lacks a field, holds a wrong value, or has the id of another.
    """
    places: dict[str, str] = {}
    questions: list[Question] = []
    for number, entry in enumerate(json_lines(path), start=1):
        question = Question(
            str(entry.values.get("id", number)),
            entry.text("question"),
            tuple(_reference(reference) for reference in entry.objects("references")),
            relevance=_grades(entry),
            answers=tuple(entry.texts("answers")) if entry.values.get("answers") is not None else (),
        )
        first = places.setdefault(question.id, entry.place)
        if first != entry.place:
            raise DatasetError(
                f"{entry.place}: id {question.id!r} is that of {first}; expected one of its own"
            )
        questions.append(question)
    return questions, []


def _grades(entry: Entry) -> dict[str, float]:
    value = entry.values.get("relevance", {})
    if isinstance(value, dict) and all(
        isinstance(grade, int | float) and not isinstance(grade, bool) and 0 < grade < math.inf
        for grade in value.values()
    ):
        return {source: float(grade) for source, grade in value.items()}
    raise DatasetError(f"{entry.place}: 'relevance' is {value!r:.80}; expected grades above 0 by source")


def _reference(entry: Entry) -> Reference:
    source = entry.text("source") if entry.values.get("source") is not None else None
    if entry.values.get("start") is None and entry.values.get("end") is None:
        return Reference(entry.text("text"), source)
    start, end = entry.offset("start"), entry.offset("end")
    if end < start:
        raise DatasetError(f"{entry.place}: 'end' is {end}; expected at least 'start', which is {start}")
    return Reference(entry.text("text"), source, start, end)


def _holds_questions(path: Path) -> bool:
    first = first_object(path)
    return isinstance(first.get("question"), str) and "references" in first


DOCUMENT_LINES = Format('JSON lines of {"id", "text"}', lambda path: _only_file(path) is not None, _read)
QUESTION_LINES = QuestionFormat(
    'JSON lines of {"id", "question", "references"}', _holds_questions, read_questions
)
