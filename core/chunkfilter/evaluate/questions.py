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
        whole: it is a document, because the data set names no place in it: truth about documents, not about
            evidence.
    """

    text: str
    source: str | None = None
    start: int | None = None
    end: int | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the texts that answer it together.

    Args:
        id: its name in the data set.
        text: what is asked.
        references: one or more texts.
        relevance: the documents that answer it and how well, above 0, where the data set says so.
        answers: what a good answer says, where the data set has one.
    """

    id: str
    text: str
    references: tuple[Reference, ...]
    relevance: Mapping[str, float] = field(default_factory=dict, hash=False)
    answers: tuple[str, ...] = ()

    @property
    def graded(self) -> Mapping[str, float]:
        """The grades of the relevant documents; without any, the references' documents have grade 1."""
        return self.relevance or {one.source: 1.0 for one in self.references if one.source is not None}


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

    @property
    def has_evidence(self) -> bool:
        """Whether references are places in documents, at least one, rather than whole documents."""
        return any(not one.whole for question in self.questions for one in question.references)
