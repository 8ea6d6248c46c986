"""Documents and questions from files, told apart by their content: one file a format.

A new format gets a file of its own and a line in ``FORMATS`` (documents) or ``QUESTION_FORMATS``.
"""

import logging
import os
from pathlib import Path

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.beir import BEIR
from chunkfilter.evaluate.datasets.chroma_study import CHROMA_QUESTIONS, CHROMA_STUDY
from chunkfilter.evaluate.datasets.clapnq import CLAPNQ
from chunkfilter.evaluate.datasets.document_lines import DOCUMENT_LINES
from chunkfilter.evaluate.datasets.eurlex import EURLEX_ACTS, EURLEX_TESTSET
from chunkfilter.evaluate.datasets.faq import FAQ
from chunkfilter.evaluate.datasets.format import Format, Options, QuestionFormat
from chunkfilter.evaluate.datasets.hotpotqa import HOTPOTQA, MUSIQUE
from chunkfilter.evaluate.datasets.hub import PREFIX, read_hub
from chunkfilter.evaluate.datasets.multihop import MULTIHOP
from chunkfilter.evaluate.datasets.question_lines import QUESTION_LINES
from chunkfilter.evaluate.datasets.ragbench import RAGBENCH
from chunkfilter.evaluate.datasets.scifact import SCIFACT
from chunkfilter.evaluate.datasets.squad import SQUAD, SQUAD_QUESTIONS
from chunkfilter.evaluate.datasets.texts import TEXTS
from chunkfilter.evaluate.questions import Dataset, Question

__all__ = ["FORMATS", "QUESTION_FORMATS", "load_dataset", "load_questions"]

logger = logging.getLogger("chunkfilter")

#: Every format of data sets; the first that fits is taken, so the more particular ones come first.
FORMATS: dict[str, Format] = {
    "chroma-study": CHROMA_STUDY,
    "eurlex-testset": EURLEX_TESTSET,
    "eurlex-acts": EURLEX_ACTS,
    "faq": FAQ,
    "beir": BEIR,
    "scifact": SCIFACT,
    "multihop": MULTIHOP,
    "clapnq": CLAPNQ,
    "ragbench": RAGBENCH,
    "hotpotqa": HOTPOTQA,
    "musique": MUSIQUE,
    "documents": DOCUMENT_LINES,
    "squad": SQUAD,
    "texts": TEXTS,
}

#: Every format of questions in a file of their own.
QUESTION_FORMATS: dict[str, QuestionFormat] = {
    "lines": QUESTION_LINES,
    "chroma-study": CHROMA_QUESTIONS,
    "squad": SQUAD_QUESTIONS,
}


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
            :mod:`chunkfilter.evaluate.datasets.hub`), the only form that may use the network.
        questions: a file of questions, for documents without any or to replace those beside them.
        limit: take the first questions only, this many; all documents stay.
        exact_offsets: leave out answers whose place was guessed when the file was made (``start_method``).

    Returns:
        The documents, the questions whose references stand in them, and in ``problems`` one sentence for each
        question or kind of file that is left out. A data set without questions is none to measure on, but can
        be filtered.

    Raises:
        DatasetError: no such path, no known format, or a file that breaks its format; file, line and value
            are named.
        MissingExtraError: the format needs a package that is not installed.
    """
    if limit is not None and limit < 1:
        raise DatasetError(f"limit: got {limit}; expected at least 1")
    options = Options(limit, exact_offsets, _existing(questions) if questions is not None else None)
    if isinstance(path, str) and path.startswith(PREFIX):
        return read_hub(path, options)
    place = _existing(path)
    for kind in FORMATS.values():
        if kind.fits(place):
            if kind is TEXTS:
                _refuse_several(place)
            return kind.read(place, options)
    _refuse_several(place)
    raise _unknown(place, [kind.form for kind in FORMATS.values()])


def load_questions(path: str | os.PathLike[str]) -> tuple[Question, ...]:
    """Read questions with their references.

    Args:
        path: a file of one of ``QUESTION_FORMATS``: JSON lines, the Chroma study's CSV, SQuAD's JSON.

    Returns:
        The questions; one that cannot be used is left out and reported by the logger ``chunkfilter``.

    Raises:
        DatasetError: no such file, no known format, or a file that breaks its format.
    """
    place = _existing(path)
    for kind in QUESTION_FORMATS.values():
        if place.is_file() and kind.fits(place):
            found, problems = kind.read(place)
            for problem in problems:
                logger.warning("%s: %s", place, problem)
            return tuple(found)
    raise _unknown(place, [kind.form for kind in QUESTION_FORMATS.values()])


def _existing(path: str | os.PathLike[str]) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise DatasetError(f"path: got {path!r:.80}; expected the path of a file or folder")
    place = Path(path)
    if not place.exists():
        raise DatasetError(f"{place}: no such file or folder")
    return place


def _refuse_several(place: Path) -> None:
    """A folder with several data sets, none of them meant more than the others, is not a folder of texts."""
    if place.is_dir():
        kinds = [kind for kind in FORMATS.values() if kind is not TEXTS]
        files = sorted(file for file in place.iterdir() if file.is_file())
        several = [file.name for file in files if any(kind.fits(file) for kind in kinds)]
        if several:
            raise DatasetError(f"{place}: holds several data sets; expected one of {', '.join(several)}")


def _unknown(place: Path, forms: list[str]) -> DatasetError:
    content = sorted(file.name for file in place.iterdir())[:8] if place.is_dir() else []
    seen = f" (it holds {', '.join(content) or 'nothing'})" if place.is_dir() else ""
    expected = "".join(f"\n  - {form}" for form in forms)
    return DatasetError(f"{place}: not a known format{seen}; expected one of:{expected}")
