"""Where references stand in the documents; questions whose references do not stand there are reported."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.questions import Dataset, Question, Reference


class Unusable(Exception):  # noqa: N818  # never leaves the readers: its text becomes a problem of the data set
    """Why a question or a reference cannot be used."""


def placed_dataset(
    name: str,
    documents: Mapping[str, str],
    questions: Iterable[Question],
    *,
    problems: Iterable[str] = (),
    groups: Mapping[str, str] | None = None,
    limit: int | None = None,
) -> Dataset:
    """A data set of the questions whose references all stand in the documents.

    A reference without a place gets the first place where its text stands. One whose text stands elsewhere in
    its source, but once only, is moved there. Both the moved ones and the questions that are left out are
    named in ``problems``.

    Args:
        name: short name for tables.
        documents: source -> text.
        questions: as they were read.
        problems: what reading already found wrong.
        groups: source -> corpus.
        limit: take the first questions only, this many.

    Raises:
        DatasetError: there is no document.
    """
    if not documents:
        raise DatasetError(f"{name}: no documents found")
    found: list[Question] = []
    sentences = list(problems)
    for question in list(questions)[:limit]:
        references, wrong, moved = _placed(question, documents)
        sentences += moved
        if wrong:
            sentences.append(f"question {question.id!r} is left out: {'; '.join(wrong)}")
        else:
            found.append(replace(question, references=tuple(references)))
    return Dataset(name, documents, tuple(found), tuple(sentences), groups or {})


def _placed(question: Question, documents: Mapping[str, str]) -> tuple[list[Reference], list[str], list[str]]:
    """The references with places, what is wrong with them, and which were moved."""
    references: list[Reference] = []
    wrong: list[str] = []
    moved: list[str] = []
    for number, reference in enumerate(question.references, start=1):
        try:
            there = _located(reference, documents)
        except Unusable as error:
            wrong.append(f"reference {number} {error}")
            continue
        if reference.start is not None and reference.start != there.start:
            moved.append(
                f"question {question.id!r}: reference {number} stands at {there.start} of {there.source!r}, "
                f"not at {reference.start}; it is used there"
            )
        references.append(there)
    if not question.references:
        wrong.append("it has no reference")
    return references, wrong, moved


def _located(reference: Reference, documents: Mapping[str, str]) -> Reference:
    """The reference with source and place; ``Unusable`` says why there is none."""
    if not reference.text.strip():
        raise Unusable("is empty")
    if reference.source is None:
        holders = (source for source, text in documents.items() if reference.text in text)
        source = next(holders, None)
        if source is None:
            raise Unusable(f"{reference.text!r:.60} stands in no document")
    else:
        source = reference.source
        if source not in documents:
            raise Unusable(f"names the source {source!r}, which is not in the corpus")
    text = documents[source]
    start, end = reference.start, reference.end
    if start is not None and text[start:end] == reference.text:
        return reference
    first = text.find(reference.text)
    if first < 0:
        raise Unusable(f"{reference.text!r:.60} does not stand in {source!r}")
    if start is not None and text.find(reference.text, first + 1) >= 0:
        raise Unusable(
            f"{reference.text!r:.60} does not stand at {start} of {source!r}, but more than once elsewhere"
        )
    return Reference(reference.text, source, first, first + len(reference.text))
