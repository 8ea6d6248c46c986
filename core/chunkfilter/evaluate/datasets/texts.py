"""A folder of texts, or one text: plain, Markdown, HTML, PDF."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from chunkfilter.errors import DatasetError, MissingExtraError
from chunkfilter.evaluate.datasets.format import Format, Options
from chunkfilter.evaluate.datasets.html import html_text
from chunkfilter.evaluate.datasets.places import placed_dataset
from chunkfilter.evaluate.datasets.question_lines import beside, read_questions
from chunkfilter.evaluate.datasets.reading import read_text
from chunkfilter.evaluate.questions import Dataset


def _read_html(path: Path) -> str:
    return html_text(read_text(path))


def _read_pdf(path: Path) -> str:
    try:
        import pypdf
        from pypdf.errors import PyPdfError
    except ImportError as error:
        raise MissingExtraError("pypdf", "pdf", f"reading {path}") from error
    try:
        with path.open("rb") as file:
            return "\n\n".join(page.extract_text() for page in pypdf.PdfReader(file).pages)
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error
    except PyPdfError as error:
        raise DatasetError(f"{path}: not a readable PDF: {error}") from error


#: How a file becomes text, by the end of its name.
READERS: dict[str, Callable[[Path], str]] = {
    ".txt": read_text,
    ".md": read_text,
    ".markdown": read_text,
    ".html": _read_html,
    ".htm": _read_html,
    ".pdf": _read_pdf,
}
_FORM = f"a folder of texts ({' '.join(READERS)}), or one text"


def _files(path: Path) -> Iterator[Path]:
    """All files under a folder in the order of their names, hidden ones left out; a file itself."""
    if path.is_file():
        yield path
        return
    for file in sorted(path.rglob("*")):
        hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
        if file.is_file() and not hidden:
            yield file


def _fits(path: Path) -> bool:
    return any(file.suffix.lower() in READERS for file in _files(path))


def _read(path: Path, options: Options) -> Dataset:
    folder = path if path.is_dir() else path.parent
    questions_file = options.questions or beside(path)
    documents: dict[str, str] = {}
    others: Counter[str] = Counter()
    for file in _files(path):
        reader = READERS.get(file.suffix.lower())
        if reader is not None:
            documents[file.relative_to(folder).as_posix()] = reader(file)
        elif file != questions_file:
            others[file.suffix or file.name] += 1
    unread = ", ".join(f"{count} {suffix}" for suffix, count in sorted(others.items()))
    problems = [f"files of other kinds are not read: {unread}"] if unread else []
    questions, wrong = read_questions(questions_file) if questions_file else ([], [])
    return placed_dataset(
        path.resolve().name, documents, questions, problems=[*problems, *wrong], limit=options.limit
    )


TEXTS = Format(_FORM, _fits, _read)
