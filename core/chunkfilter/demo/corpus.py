"""Reading the embedded documents and finding the questions about them.

The Tarn freezers, their maker and every figure are invented. Three dated editions of a handbook overlap as
real ones do; beside them stand data sheets, price lists, release notes, an FAQ, legal notices, and notes in
which nothing repeats.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path

_PACKAGE = "chunkfilter.demo"
_CORPUS = "corpus"
_QUESTIONS = "questions.jsonl"


def load_documents() -> dict[str, str]:
    """Read every document of the corpus.

    Returns:
        Name, relative to the corpus and with forward slashes (``handbook-v3/sensors.md``), to text; by name.
        These are the names that the questions call ``source``.
    """
    found = _walk(files(_PACKAGE).joinpath(_CORPUS), "")
    return {name: item.read_bytes().decode("utf-8") for name, item in sorted(found, key=lambda pair: pair[0])}


def questions_file() -> AbstractContextManager[Path]:
    """Give the questions as a file on disk, also where the package is installed as an archive.

    One JSON object a line: ``id``, ``kind``, ``question``, and ``references``, each with ``source``,
    ``start``, ``end`` (characters, end exclusive) and ``text``, the same as
    ``documents[source][start:end]``.

    Returns:
        A context manager; the path holds inside its ``with`` block.
    """
    return as_file(files(_PACKAGE).joinpath(_QUESTIONS))


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _walk(item, f"{prefix}{item.name}/")
        elif item.name.endswith(".md"):
            yield prefix + item.name, item
