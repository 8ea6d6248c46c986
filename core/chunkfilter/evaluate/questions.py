"""What is asked, and which text answers it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Reference:
    """A piece of text that answers a question.

    Args:
        text: the text itself.
        source: the document it stands in; ``None`` if unknown.
        start: its first character there; ``None`` if unknown.
        end: one past its last character.
    """

    text: str
    source: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the texts that answer it together.

    Args:
        id: its name in the data set.
        text: what is asked.
        references: one or more texts.
    """

    id: str
    text: str
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Documents and questions over them.

    Args:
        name: short name for tables.
        documents: source -> text, in reading order.
        questions: the questions whose references stand in the documents.
        problems: one sentence for each question or file that could not be used as it is.
        groups: source -> name of the corpus it belongs to, for rows per corpus; empty if there is one only.
        left_out: questions that were read but whose references do not stand in the documents.
    """

    name: str
    documents: Mapping[str, str]
    questions: tuple[Question, ...]
    problems: tuple[str, ...] = ()
    groups: Mapping[str, str] = field(default_factory=dict)
    left_out: int = 0
