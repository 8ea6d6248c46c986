"""Documents and questions from files, recognised by their content: one file a form.

A new form gets a file of its own and an entry in ``FORMATS`` (documents) or ``QUESTION_FORMATS``.
"""

import logging
import os
from pathlib import Path
from pkgutil import resolve_name

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.beir import BEIR
from chunkfilter.evaluate.datasets.format import Format, Options, QuestionFormat
from chunkfilter.evaluate.datasets.lines import DOCUMENT_LINES, QUESTION_LINES
from chunkfilter.evaluate.datasets.squad import SQUAD, SQUAD_QUESTIONS
from chunkfilter.evaluate.datasets.texts import TEXTS
from chunkfilter.evaluate.questions import Dataset, Question

__all__ = ["FORMATS", "QUESTION_FORMATS", "load_dataset", "load_questions"]

logger = logging.getLogger("chunkfilter")

#: The common forms of data sets; the first that fits is taken, so the more particular ones come first.
FORMATS: tuple[Format, ...] = (BEIR, DOCUMENT_LINES, SQUAD, TEXTS)

#: The forms of questions in a file of their own.
QUESTION_FORMATS: tuple[QuestionFormat, ...] = (QUESTION_LINES, SQUAD_QUESTIONS)

#: What single studies add, imported when something is loaded.
_FORMATS_OF_STUDIES = "chunkfilter.studies.datasets:FORMATS"
_QUESTIONS_OF_STUDIES = "chunkfilter.studies.datasets:QUESTION_FORMATS"
_HUB, _HUB_READER = "hub:", "chunkfilter.studies.datasets:read_hub"


def load_dataset(
    path: str | os.PathLike[str],
    *,
    questions: str | os.PathLike[str] | None = None,
    limit: int | None = None,
    exact_offsets: bool = False,
) -> Dataset:
    """Read documents and the questions over them.

    Args:
        path: a file or folder of one of ``FORMATS``, or ``hub:NAME:SPLIT`` (see
            :mod:`chunkfilter.studies.datasets.hub`), the only form that may use the network.
        questions: a file of questions, for documents without any or to replace those beside them.
        limit: take the first questions only, this many; all documents stay.
        exact_offsets: leave out answers whose place was guessed when the file was made (``start_method``).

    Returns:
        The documents, the questions whose references stand in them, and in ``problems`` one sentence for each
        question or kind of file that is left out. A data set without questions is none to measure on, but can
        be filtered.

    Raises:
        DatasetError: no such path, no known form, or a file that breaks its form; file, line and value
            are named.
        MissingExtraError: the form needs a package that is not installed.
    """
    if limit is not None and limit < 1:
        raise DatasetError(f"limit: got {limit}; expected at least 1")
    options = Options(limit, exact_offsets, _existing(questions) if questions is not None else None)
    if isinstance(path, str) and path.startswith(_HUB):
        dataset: Dataset = resolve_name(_HUB_READER)(path, options)
        return dataset
    place = _existing(path)
    forms = _forms()
    found = next((form for form in forms if form.fits(place)), None)
    if found is None or found is TEXTS:
        _refuse_several(place, forms)
    if found is None:
        raise _unknown(place, [form.form for form in forms])
    return found.read(place, options)


def load_questions(path: str | os.PathLike[str]) -> tuple[Question, ...]:
    """Read questions with their references.

    Args:
        path: a file of one of ``QUESTION_FORMATS``: JSON lines, SQuAD's JSON, the Chroma study's CSV.

    Returns:
        The questions; one that cannot be used is left out and reported by the logger ``chunkfilter``.

    Raises:
        DatasetError: no such file, no known form, or a file that breaks its form.
    """
    place = _existing(path)
    forms: list[QuestionFormat] = [*QUESTION_FORMATS, *resolve_name(_QUESTIONS_OF_STUDIES)]
    found = next((form for form in forms if place.is_file() and form.fits(place)), None)
    if found is None:
        raise _unknown(place, [form.form for form in forms])
    questions, problems = found.read(place)
    for problem in problems:
        logger.warning("%s: %s", place, problem)
    return tuple(questions)


def _forms() -> list[Format]:
    """Every form, the more particular ones first."""
    return [*resolve_name(_FORMATS_OF_STUDIES), *FORMATS]


def _existing(path: str | os.PathLike[str]) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise DatasetError(f"path: got {path!r:.80}; expected the path of a file or folder")
    place = Path(path)
    if not place.exists():
        raise DatasetError(f"{place}: no such file or folder")
    return place


def _refuse_several(place: Path, forms: list[Format]) -> None:
    """A folder with several data sets, none of them meant more than the others, is not a folder of texts."""
    if place.is_dir():
        files = sorted(file for file in place.iterdir() if file.is_file())
        several = [file.name for file in files if any(form.fits(file) for form in forms if form is not TEXTS)]
        if several:
            raise DatasetError(f"{place}: holds several data sets; expected one of {', '.join(several)}")


def _unknown(place: Path, forms: list[str]) -> DatasetError:
    content = sorted(file.name for file in place.iterdir())[:8] if place.is_dir() else []
    seen = f" (it holds {', '.join(content) or 'nothing'})" if place.is_dir() else ""
    expected = "".join(f"\n  - {form}" for form in forms)
    return DatasetError(f"{place}: not a known form{seen}; expected one of:{expected}")
