"""What a form of data sets is, and what all readers of them share."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.questions import Dataset, Question, Reference


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
    """A form in which documents and questions are stored.

    Args:
        form: what a file or folder of it holds, for errors.
        fits: whether a path is of this form, by a look at its content.
        read: reads it.
    """

    form: str
    fits: Callable[[Path], bool]
    read: Callable[[Path, Options], Dataset]


@dataclass(frozen=True, slots=True)
class QuestionFormat:
    """A form in which questions are stored in one file; as :class:`Format`.

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
        fits: whether a file is of the form.
    """
    found = [file for file in ([path] if path.is_file() else sorted(path.glob(pattern))) if fits(file)]
    return found[0] if len(found) == 1 else None


def whole_document(source: str, text: str) -> Reference:
    """The reference of a truth that names a document and no place in it."""
    return Reference(text, source, 0, len(text), whole=True)


class NamedQuestions:
    """Questions in the order in which they are read, no two of one name."""

    def __init__(self) -> None:
        self.all: list[Question] = []
        self._first: dict[str, tuple[str, str]] = {}
        self._records: dict[str, int] = {}

    def add(self, question: Question, place: str) -> None:
        """Append a question; a second record of it, such as with another answer, gets a number as well.

        Args:
            question: the question.
            place: where it was read, for errors.

        Raises:
            DatasetError: its name is that of another question.
        """
        text, first = self._first.setdefault(question.id, (question.text, place))
        if text != question.text:
            raise DatasetError(
                f"{place}: id {question.id!r} is that of another question, at {first}; "
                "expected one of its own"
            )
        number = self._records[question.id] = self._records.get(question.id, 0) + 1
        self.all.append(question if number == 1 else replace(question, id=f"{question.id} ({number})"))
