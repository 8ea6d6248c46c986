"""The project's own questions: JSON lines.

``{"id", "question", "references": [{"source", "text", "start", "end"}]}``; ``id`` may be missing (then it is
the line's number), and so may ``source`` and the offsets (then the text is looked for). A question may also
have ``"relevance": {source: grade}``, grades above 0, and ``"answers": [text]``.
"""

import math
from pathlib import Path

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.format import QuestionFormat
from chunkfilter.evaluate.datasets.reading import Entry, first_object, json_lines
from chunkfilter.evaluate.questions import Question, Reference


def read_questions(path: Path) -> tuple[list[Question], list[str]]:
    """The questions of a file.

    Raises:
        DatasetError: a line lacks a field, holds a wrong value, or has the id of another.
    """
    places: dict[str, str] = {}
    questions: list[Question] = []
    for number, entry in enumerate(json_lines(path), start=1):
        question = _question(entry, number)
        first = places.setdefault(question.id, entry.place)
        if first != entry.place:
            raise DatasetError(
                f"{entry.place}: id {question.id!r} is that of {first}; expected one of its own"
            )
        questions.append(question)
    return questions, []


def _question(entry: Entry, number: int) -> Question:
    identifier = entry.values.get("id", number)
    references = tuple(_reference(reference) for reference in entry.objects("references"))
    return Question(
        str(identifier),
        entry.text("question"),
        references,
        relevance=_grades(entry),
        answers=tuple(entry.texts("answers")) if entry.values.get("answers") is not None else (),
    )


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


def beside(documents: Path) -> Path | None:
    """``questions.jsonl`` in a folder of documents, else next to the folder or file; ``None`` without one."""
    inside = [documents / "questions.jsonl"] if documents.is_dir() else []
    return next((path for path in (*inside, documents.parent / "questions.jsonl") if path.is_file()), None)


def _fits(path: Path) -> bool:
    first = first_object(path)
    return isinstance(first.get("question"), str) and "references" in first


QUESTION_LINES = QuestionFormat('JSON lines of {"id", "question", "references"}', _fits, read_questions)
