"""Tables of questions and answers, one row a pair: the COVID FAQs of deepset and their like.

A document is a page: its answers joined by a blank line. The questions are not in the text, so that finding
an answer takes more than finding its own question. Pages of one language are one corpus.
"""

from pathlib import Path

from chunkfilter.evaluate.datasets.format import Format, Options, only_file
from chunkfilter.evaluate.datasets.places import placed_dataset
from chunkfilter.evaluate.datasets.reading import first_line, table_rows
from chunkfilter.evaluate.questions import Dataset, Question, Reference

_BREAK = "\n\n"
_COLUMNS = ("question", "answer", "link", "name", "lang")
_DELIMITERS = {".tsv": "\t", ".csv": ","}


def _only_file(path: Path) -> Path | None:
    return only_file(path, "*.tsv", _has_columns)


def _has_columns(path: Path) -> bool:
    delimiter = _DELIMITERS.get(path.suffix.lower())
    return delimiter is not None and set(_COLUMNS) <= set(first_line(path).strip().split(delimiter))


def _read(path: Path, options: Options) -> Dataset:
    file = _only_file(path) or path
    pages: dict[str, str] = {}
    groups: dict[str, str] = {}
    questions: list[Question] = []
    rows = table_rows(file, _COLUMNS, _DELIMITERS[file.suffix.lower()])
    for number, row in enumerate(rows, start=1):
        language, answer = row.text("lang"), row.text("answer").strip()
        source = f"{language}: {row.text('link') or row.text('name')}"
        start = len(pages[source]) + len(_BREAK) if source in pages else 0
        pages[source] = f"{pages[source]}{_BREAK}{answer}" if source in pages else answer
        groups[source] = language
        reference = Reference(answer, source, start, start + len(answer))
        questions.append(Question(f"{language}-{number}", row.text("question"), (reference,)))
    return placed_dataset(file.stem, pages, questions, groups=groups, limit=options.limit)


FAQ = Format(
    f"CSV or TSV with the columns {', '.join(_COLUMNS)}", lambda path: _only_file(path) is not None, _read
)
