"""What a format of data sets is."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from chunkfilter.evaluate.questions import Dataset, Question


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may ask of a data set.

    Args:
        limit: take the first questions only, this many.
        exact_offsets: leave out answers whose place in the text was guessed when the file was made.
        questions: a file of questions, where they do not lie beside the documents.
    """

    limit: int | None = None
    exact_offsets: bool = False
    questions: Path | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """A way in which documents and questions are stored.

    Args:
        form: what a file or folder of it holds, for errors.
        fits: whether a path is of this format, by a look at its content.
        read: reads it.
    """

    form: str
    fits: Callable[[Path], bool]
    read: Callable[[Path, Options], Dataset]


@dataclass(frozen=True, slots=True)
class QuestionFormat:
    """A way in which questions are stored in one file; as :class:`Format`.

    ``read`` returns the questions and one sentence for each that cannot be used.
    """

    form: str
    fits: Callable[[Path], bool]
    read: Callable[[Path], tuple[list[Question], list[str]]]


def only_file(path: Path, pattern: str, fits: Callable[[Path], bool]) -> Path | None:
    """The file itself, or the only file of a folder that fits; ``None`` if none or several do.

    Args:
        path: a file or a folder.
        pattern: names that are looked at in a folder.
        fits: whether a file is of the format.
    """
    found = [file for file in ([path] if path.is_file() else sorted(path.glob(pattern))) if fits(file)]
    return found[0] if len(found) == 1 else None
