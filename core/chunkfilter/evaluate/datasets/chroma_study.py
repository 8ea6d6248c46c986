"""The folder of the Chroma study: ``questions_df.csv`` and ``corpora/*.md``.

Source: Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (Chroma, 2024), repository
brandonstarxel/chunking_evaluation, folder general_evaluation_data.
"""

import json
from pathlib import Path

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.format import Format, Options, QuestionFormat
from chunkfilter.evaluate.datasets.places import placed_dataset
from chunkfilter.evaluate.datasets.reading import Entry, first_line, read_text, table_rows
from chunkfilter.evaluate.questions import Dataset, Question, Reference

_QUESTIONS = "questions_df.csv"
_CORPORA = "corpora"
_COLUMNS = ("question", "references", "corpus_id")


def _fits(path: Path) -> bool:
    return (path / _QUESTIONS).is_file() and (path / _CORPORA).is_dir()


def _read(path: Path, options: Options) -> Dataset:
    documents = {file.stem: read_text(file) for file in sorted((path / _CORPORA).glob("*.md"))}
    questions, problems = read_questions(path / _QUESTIONS)
    return placed_dataset(
        path.resolve().name,
        documents,
        questions,
        problems=problems,
        groups={source: source for source in documents},
        limit=options.limit,
    )


def read_questions(path: Path) -> tuple[list[Question], list[str]]:
    """The questions of the table; the corpus of each is the source of its references."""
    rows = enumerate(table_rows(path, _COLUMNS), start=1)
    return [_question(row, number) for number, row in rows], []


def _question(row: Entry, number: int) -> Question:
    corpus, text = row.text("corpus_id"), row.text("references")
    try:
        listed = json.loads(text)
    except (ValueError, RecursionError):
        raise DatasetError(f"{row.place}: 'references' is {text!r:.80}; expected a JSON list") from None
    references = Entry(row.place, {"references": listed}).objects("references")
    return Question(
        f"{corpus}-{number}",
        row.text("question"),
        tuple(
            Reference(entry.text("content"), corpus, entry.offset("start_index"), entry.offset("end_index"))
            for entry in references
        ),
    )


CHROMA_STUDY = Format(f"a folder with {_QUESTIONS} and {_CORPORA}/*.md", _fits, _read)
CHROMA_QUESTIONS = QuestionFormat(
    f"CSV with the columns {', '.join(_COLUMNS)}",
    lambda path: set(_COLUMNS) <= set(first_line(path).strip().split(",")),
    read_questions,
)
