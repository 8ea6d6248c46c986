"""What is asked, and which text answers it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from numbers import Integral, Real
from typing import Any

from chunkfilter.errors import InputError
from chunkfilter.evaluate.arguments import several


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

    Raises:
        InputError: the text is no ``str``, or an offset no whole number.
    """

    text: str
    source: str | None = None
    start: int | None = None
    end: int | None = None
    whole: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise InputError(f"reference: text is {self.text!r:.80}; expected a str")
        offsets: tuple[tuple[str, Any], ...] = (("start", self.start), ("end", self.end))
        for name, offset in offsets:
            if offset is not None and not isinstance(offset, Integral):
                raise InputError(
                    f"reference {self.text!r:.40}: {name} is {offset!r:.80}; expected a whole number"
                )


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the texts that answer it together.

    Args:
        id: its name in the data set.
        text: what is asked.
        references: one or more texts.
        relevance: the documents that answer it and how well, above 0, where the data set says so.
        answers: what a good answer says, where the data set has one.

    Raises:
        InputError: a value of another type, or a grade that is not finite.
    """

    id: str
    text: str
    references: tuple[Reference, ...]
    relevance: Mapping[str, float] = field(default_factory=dict, hash=False)
    answers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        what = f"question {self.id!r:.80}"
        if not isinstance(self.text, str):
            raise InputError(f"{what}: text is {self.text!r:.80}; expected a str")
        for name, kind in (("references", Reference), ("answers", str)):
            given = several(f"{what}: {name}", getattr(self, name), f"{kind.__name__}s")
            wrong = [one for one in given if not isinstance(one, kind)]
            if wrong:
                raise InputError(f"{what}: {name} hold {wrong[0]!r:.80}; expected {kind.__name__}s")
            object.__setattr__(self, name, given)
        if not (isinstance(self.relevance, Mapping) and all(map(_is_grade, self.relevance.values()))):
            raise InputError(f"{what}: relevance is {self.relevance!r:.80}; expected finite grades by source")

    @property
    def graded(self) -> Mapping[str, float]:
        """The grades of the relevant documents; without any, the references' documents have grade 1."""
        return self.relevance or {one.source: 1.0 for one in self.references if one.source is not None}


def _is_grade(value: Any) -> bool:
    return type(value) is not bool and isinstance(value, Real) and isfinite(value)


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
