"""Questions in tables: the Chroma study's CSV, and FAQs of one row a pair.

The Chroma study is a folder with ``questions_df.csv`` and ``corpora/*.md``. Source: Smith and Troynikov,
"Evaluating Chunking Strategies for Retrieval" (Chroma, 2024), repository
brandonstarxel/chunking_evaluation, folder general_evaluation_data.

FAQs are those of deepset about COVID and their like. A document is a page: its answers joined by a blank
line. The questions are not in the text, so that finding an answer takes more than finding its own question.
Pages of one language are one corpus.
"""

import json
from pathlib import Path

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.format import Format, Options, QuestionFormat, only_file
from chunkfilter.evaluate.datasets.places import placed_dataset
from chunkfilter.evaluate.datasets.reading import Entry, first_line, read_text
from chunkfilter.evaluate.questions import Dataset, Question, Reference
from chunkfilter.studies.datasets.parts import table_rows

_QUESTIONS = "questions_df.csv"
_CORPORA = "corpora"
_COLUMNS = ("question", "references", "corpus_id")
_BREAK = "\n\n"
_FAQ_COLUMNS = ("question", "answer", "link", "name", "lang")
_DELIMITERS = {".tsv": "\t", ".csv": ","}


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


def _faq_file(path: Path) -> Path | None:
    return only_file(path, "*.tsv", _has_columns)


def _has_columns(path: Path) -> bool:
    delimiter = _DELIMITERS.get(path.suffix.lower())
    return delimiter is not None and set(_FAQ_COLUMNS) <= set(first_line(path).strip().split(delimiter))


def _read_faq(path: Path, options: Options) -> Dataset:
    file = _faq_file(path) or path
    pages: dict[str, str] = {}
    groups: dict[str, str] = {}
    questions: list[Question] = []
    rows = table_rows(file, _FAQ_COLUMNS, _DELIMITERS[file.suffix.lower()])
    for number, row in enumerate(rows, start=1):
        language, answer = row.text("lang"), row.text("answer").strip()
        source = f"{language}: {row.text('link') or row.text('name')}"
        start = len(pages[source]) + len(_BREAK) if source in pages else 0
        pages[source] = f"{pages[source]}{_BREAK}{answer}" if source in pages else answer
        groups[source] = language
        reference = Reference(answer, source, start, start + len(answer))
        questions.append(Question(f"{language}-{number}", row.text("question"), (reference,)))
    return placed_dataset(file.stem, pages, questions, groups=groups, limit=options.limit)


CHROMA_STUDY = Format(f"a folder with {_QUESTIONS} and {_CORPORA}/*.md", _fits, _read)
CHROMA_QUESTIONS = QuestionFormat(
    f"CSV with the columns {', '.join(_COLUMNS)}",
    lambda path: set(_COLUMNS) <= set(first_line(path).strip().split(",")),
    read_questions,
)
FAQ = Format(
    f"CSV or TSV with the columns {', '.join(_FAQ_COLUMNS)}",
    lambda path: _faq_file(path) is not None,
    _read_faq,
)
