"""Files in the form of SQuAD 1.1: SQuAD itself, XQuAD and their like.

One document an article, its paragraphs joined by a blank line. The reference of a question is the sentence
that holds its first answer, by the plainest rule that gives the published figures: not the sentence rule of
the filters, so that what is measured does not depend on what is measured with. Rebuilt files that lack
offsets say in ``start_method`` how each was found; ``heuristic`` ones are guesses.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from chunkfilter.chunk import Span
from chunkfilter.evaluate.datasets.format import (
    Format,
    NamedQuestions,
    Options,
    QuestionFormat,
    only_file,
)
from chunkfilter.evaluate.datasets.places import Unusable, placed_dataset
from chunkfilter.evaluate.datasets.reading import Entry, json_object
from chunkfilter.evaluate.questions import Dataset, Question, Reference

PARAGRAPH_BREAK = "\n\n"
_GUESSED = "heuristic"
#: Closes a sentence: a terminator and white space, or a terminator of a script that puts no space behind it.
#: "U.S. Army" is cut, and a closing quote keeps two sentences together; the published figures were made so.
#: Thai marks no sentence ends: there the paragraph is the sentence.
_END = re.compile(r"[.!?…؟۔]\s+|[。！？।॥]+[”’」』）]*\s*")


def squad_dataset(name: str, articles: Iterable[Entry], options: Options) -> Dataset:
    """A data set of articles in the form of SQuAD: ``title``, ``paragraphs`` of ``context`` and ``qas``."""
    documents: dict[str, str] = {}
    questions = NamedQuestions()
    problems: list[str] = []
    for number, article in enumerate(articles):
        title = str(article.values.get("title") or number)
        source = title if title not in documents else f"{title} ({number})"
        contexts: list[str] = []
        offset = 0
        for paragraph in article.objects("paragraphs"):
            context = paragraph.text("context")
            for entry in paragraph.objects("qas"):
                identifier = str(entry.values.get("id", f"{source}, {entry.text('question')}"))
                try:
                    found = _question(entry, identifier, context, offset, source, options.exact_offsets)
                    questions.add(found, entry.place)
                except Unusable as error:
                    problems.append(f"question {identifier!r} is left out: {error}")
            contexts.append(context)
            offset += len(context) + len(PARAGRAPH_BREAK)
        documents[source] = PARAGRAPH_BREAK.join(contexts)
    return placed_dataset(name, documents, questions.all, problems=problems, limit=options.limit)


def _question(entry: Entry, identifier: str, context: str, offset: int, source: str, exact: bool) -> Question:
    """The question with the sentence of its first usable answer."""
    answers = entry.objects("answers")
    if not answers:
        raise Unusable("it has no answer")
    usable = [answer for answer in answers if not exact or answer.values.get("start_method") != _GUESSED]
    if not usable:
        raise Unusable("the offsets of its answers are guesses")
    text, start = usable[0].text("text"), usable[0].offset("answer_start")
    if context[start : start + len(text)] != text:
        raise Unusable(f"its answer {text!r:.60} does not stand at {start} of its paragraph")
    first, last = enclosing_sentence(context, start, start + len(text))
    reference = Reference(context[first:last], source, offset + first, offset + last)
    return Question(identifier, entry.text("question"), (reference,))


def enclosing_sentence(text: str, start: int, end: int) -> Span:
    """The sentence that holds ``text[start:end]``, several where it crosses a border.

    Args:
        text: a paragraph.
        start: first character of the answer.
        end: one past its last.

    Returns:
        Start and end, end exclusive, without white space at the edges.
    """
    borders = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    first = max(border for border in borders if border <= start)
    last = min(border for border in borders if border >= end)
    sentence = text[first:last]
    return first + len(sentence) - len(sentence.lstrip()), first + len(sentence.rstrip())


def _has_paragraphs(file: Path) -> bool:
    with file.open("rb") as content:
        head = content.read(4096)
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and b'"paragraphs"' in head


def _only_file(path: Path) -> Path | None:
    return only_file(path, "*.json", _has_paragraphs)


def _read(path: Path, options: Options) -> Dataset:
    file = _only_file(path) or path
    return squad_dataset(file.stem, json_object(file).objects("data"), options)


def _read_questions(path: Path) -> tuple[list[Question], list[str]]:
    dataset = _read(path, Options())
    return list(dataset.questions), list(dataset.problems)


_FORM = 'JSON of the form {"data": [{"title", "paragraphs": [{"context", "qas"}]}]} (SQuAD, XQuAD)'
SQUAD = Format(_FORM, lambda path: _only_file(path) is not None, _read)
SQUAD_QUESTIONS = QuestionFormat(_FORM, _has_paragraphs, _read_questions)
