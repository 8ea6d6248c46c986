"""Documents as JSON lines, ``{"id", "text"}``, with ``questions.jsonl`` in the same folder, if any."""

from pathlib import Path

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.format import Format, Options, only_file
from chunkfilter.evaluate.datasets.places import placed_dataset
from chunkfilter.evaluate.datasets.question_lines import beside, read_questions
from chunkfilter.evaluate.datasets.reading import Entry, first_object, json_lines
from chunkfilter.evaluate.questions import Dataset

#: Under which key a document may have its name, the first that it has is taken.
_NAMES = ("source", "id", "doc_id", "_id")


def _only_file(path: Path) -> Path | None:
    return only_file(path, "*.jsonl", lambda file: isinstance(first_object(file).get("text"), str))


def _read(path: Path, options: Options) -> Dataset:
    file = _only_file(path) or path
    documents: dict[str, str] = {}
    groups: dict[str, str] = {}
    for entry in json_lines(file):
        name = _name(entry)
        if name in documents:
            raise DatasetError(
                f"{entry.place}: a second document is called {name!r}; expected names that differ"
            )
        documents[name] = entry.text("text")
        if "group" in entry.values:
            groups[name] = entry.text("group")
    questions_file = options.questions or beside(file)
    questions, problems = read_questions(questions_file) if questions_file else ([], [])
    return placed_dataset(
        file.stem, documents, questions, problems=problems, groups=groups, limit=options.limit
    )


def _name(entry: Entry) -> str:
    for key in _NAMES:
        if entry.values.get(key) is not None:
            return str(entry.values[key])
    raise DatasetError(f"{entry.place}: the document has no name; expected one of {', '.join(_NAMES)}")


DOCUMENT_LINES = Format('JSON lines of {"id", "text"}', lambda path: _only_file(path) is not None, _read)
