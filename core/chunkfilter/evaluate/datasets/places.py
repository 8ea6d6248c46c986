"""Where references stand in the documents; questions whose references do not stand there are reported."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from chunkfilter.chunk import Span
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

    A reference without a place gets the first place where its text stands, with any white space between its
    words. One whose text stands elsewhere in its source, but once only, is moved there. The moved ones, the
    questions that are left out, and how many references might belong to another document are named in
    ``problems``.

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
    as_read: list[Question] = []
    sentences = list(problems)
    asked = list(questions)[:limit]
    for question in asked:
        placed, wrong = _placed(question, documents)
        sentences += wrong
        if placed is not None:
            found.append(placed)
            as_read.append(question)
    sentences = [*_unsure(as_read, documents), *sentences]
    return Dataset(
        name, documents, tuple(found), tuple(sentences), groups or {}, left_out=len(asked) - len(found)
    )


def _unsure(questions: Iterable[Question], documents: Mapping[str, str]) -> list[str]:
    """How many references name no source although several documents hold them, in one sentence."""
    texts = [one.text for question in questions for one in question.references if one.source is None]
    shared = {text for text in set(texts) if len(list(islice(_holders(text, documents), 2))) > 1}
    count = sum(text in shared for text in texts)
    if not count:
        return []
    return [
        f"{count} references name no source and stand in several documents; each counts as the first one's, "
        "which makes source retention too high: give them a 'source'"
    ]


def _holders(wanted: str, documents: Mapping[str, str]) -> Iterator[str]:
    """The sources in which a text stands as it is."""
    return (source for source, text in documents.items() if wanted in text)


def _find(wanted: str, text: str, start: int = 0) -> tuple[int, int] | None:
    """Where a text stands in another, first as it is, else with any white space between its words."""
    at = text.find(wanted, start)
    if at >= 0:
        return at, at + len(wanted)
    words = wanted.split()
    if not words or words[0] not in text:
        return None
    match = re.compile(r"\s+".join(map(re.escape, words))).search(text, start)
    return match.span() if match else None


def _placed(question: Question, documents: Mapping[str, str]) -> tuple[Question | None, list[str]]:
    """The question with the places of its references, ``None`` if it is left out; and what was wrong."""
    references: list[Reference] = []
    wrong: list[str] = []
    moved: list[str] = []
    for number, reference in enumerate(question.references, start=1):
        try:
            there = _located(reference, documents)
        except Unusable as error:
            wrong.append(f"reference {number} {error}")
            continue
        if reference.start not in (None, there.start):
            moved.append(
                f"question {question.id!r}: reference {number} stands at {there.start} of {there.source!r}, "
                f"not at {reference.start}; it is used there"
            )
        references.append(there)
    if not question.references:
        wrong.append("it has no reference")
    wrong += [
        f"its relevance names {source!r}, which is not in the corpus"
        for source in question.relevance
        if source not in documents
    ]
    if wrong:
        return None, [*moved, f"question {question.id!r} is left out: {'; '.join(wrong)}"]
    return replace(question, references=tuple(references)), moved


def _located(reference: Reference, documents: Mapping[str, str]) -> Reference:
    """The reference with source and place; ``Unusable`` says why there is none."""
    if not reference.text.strip():
        raise Unusable("is empty")
    if reference.source is None:
        folded = (source for source, text in documents.items() if _find(reference.text, text))
        source = next(_holders(reference.text, documents), None) or next(folded, None)
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
    place = _find(reference.text, text)
    if place is None:
        raise Unusable(f"{reference.text!r:.60} does not stand in {source!r}")
    first, last = place
    if start is not None and _find(reference.text, text, first + 1):
        raise Unusable(
            f"{reference.text!r:.60} does not stand at {start} of {source!r}, but more than once elsewhere"
        )
    return replace(reference, text=text[first:last], source=source, start=first, end=last)


def joined(parts: Sequence[str], between: str) -> tuple[str, list[Span]]:
    """The parts with something between them, and the span of each.

    Args:
        parts: the parts in order.
        between: what comes between two of them.
    """
    spans: list[Span] = []
    start = 0
    for part in parts:
        spans.append((start, start + len(part)))
        start += len(part) + len(between)
    return between.join(parts), spans
