"""A folder of texts, or one text: plain, Markdown, HTML, PDF."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from chunkfilter.errors import DatasetError, MissingExtraError
from chunkfilter.evaluate.datasets.format import Format, Options
from chunkfilter.evaluate.datasets.lines import questions_file, read_questions
from chunkfilter.evaluate.datasets.places import placed_dataset
from chunkfilter.evaluate.datasets.reading import read_text
from chunkfilter.evaluate.questions import Dataset

#: Elements whose content nobody reads.
_UNSEEN = ["head", "noscript", "script", "style", "svg", "template"]
#: Marks that a page may not hold: around an element on lines of its own, around one with blank lines on
#: either side, in place of a line break, before a text whose white space counts.
_LINE, _PARAGRAPH, _BREAK, _AS_IT_IS = "\x01", "\x02", "\x03", "\x04"
_MARKED = {
    "address, article, aside, caption, dd, details, dialog, div, dt, fieldset, figcaption, figure, footer, "
    "form, header, hr, li, main, nav, summary, tbody, tfoot, thead, tr": _LINE,
    "blockquote, dl, h1, h2, h3, h4, h5, h6, ol, p, pre, section, table, ul": _PARAGRAPH,
}
_MARKS = re.compile(f"[{_LINE}{_PARAGRAPH}{_BREAK}{_AS_IT_IS}]")
_GAP = re.compile(f"[ \n]*[{_LINE}{_PARAGRAPH}{_BREAK}][ {_LINE}{_PARAGRAPH}{_BREAK}]*")
_SPACES = re.compile(r"[ \t\r\n\f]+")


def html_text(html: str) -> str:
    """The text that a reader of a page sees: blocks on lines of their own, paragraphs set off.

    Raises:
        MissingExtraError: selectolax is not installed.
    """
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError as error:
        raise MissingExtraError("selectolax", "readers", "reading HTML") from error
    page = LexborHTMLParser(_MARKS.sub("", html))
    page.strip_tags(_UNSEEN)
    root = page.root
    if root is None:
        return ""
    in_pre: set[int] = set()
    for pre in page.css("pre"):
        if pre.mem_id not in in_pre:  # else it is inside another one
            in_pre.update(node.mem_id for node in pre.traverse(include_text=True))
    for node in [node for node in root.traverse(include_text=True) if node.is_text_node]:
        text = node.text() or ""
        node.replace_with(_AS_IT_IS + text if node.mem_id in in_pre else _SPACES.sub(" ", text))
    for tags, mark in _MARKED.items():
        for node in page.css(tags):
            node.insert_before(mark)
            node.insert_after(mark)
    for node in page.css("td, th"):
        node.insert_before(" ")
    for node in page.css("br"):
        node.replace_with(_BREAK)
    return _GAP.sub(_line_breaks, root.text()).strip(" \n").replace(_AS_IT_IS, "")


def _line_breaks(gap: re.Match[str]) -> str:
    return "\n" * max(2 * (_PARAGRAPH in gap[0]), _LINE in gap[0], gap[0].count(_BREAK))


def _read_html(path: Path) -> str:
    return html_text(read_text(path))


def _read_pdf(path: Path) -> str:
    try:
        import pypdf
        from pypdf.errors import PyPdfError
    except ImportError as error:
        raise MissingExtraError("pypdf", "readers", f"reading {path}") from error
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
    asked = questions_file(path, options)
    documents: dict[str, str] = {}
    others: Counter[str] = Counter()
    for file in _files(path):
        reader = READERS.get(file.suffix.lower())
        if reader is not None:
            documents[file.relative_to(folder).as_posix()] = reader(file)
        elif file != asked:
            others[file.suffix or file.name] += 1
    unread = ", ".join(f"{count} {suffix}" for suffix, count in sorted(others.items()))
    problems = [f"files of other kinds are not read: {unread}"] if unread else []
    questions, wrong = read_questions(asked) if asked else ([], [])
    return placed_dataset(
        path.resolve().name, documents, questions, problems=[*problems, *wrong], limit=options.limit
    )


TEXTS = Format(f"a folder of texts ({' '.join(READERS)}), or one text", _fits, _read)
