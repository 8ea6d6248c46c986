"""HotpotQA and MuSiQue in their own forms: JSON, a list of questions with the passages each came with.

HotpotQA: ``{"_id", "question", "answer", "context": [[title, [sentence]]], "supporting_facts": [[title,
number]]}``; a document is its sentences as they are, one after another, and references are the supporting
ones. MuSiQue: ``{"id", "question", "answer", "paragraphs": [{"title", "paragraph_text", "is_supporting"}]}``;
references are the supporting paragraphs, whole. Passages of the same title and text are one document.

Sources: Yang et al., "HotpotQA" (2018); Trivedi et al., "MuSiQue" (2022).
"""

from pathlib import Path
from typing import Any

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.beir import whole_document
from chunkfilter.evaluate.datasets.format import Format, Options, only_file
from chunkfilter.evaluate.datasets.parts import NamedQuestions, NamedTexts, joined
from chunkfilter.evaluate.datasets.places import placed_dataset
from chunkfilter.evaluate.datasets.reading import Entry, json_list
from chunkfilter.evaluate.questions import Dataset, Question, Reference

_HEAD = 1 << 20


def _read_hotpot(path: Path, options: Options) -> Dataset:
    documents = NamedTexts()
    file = _hotpot_file(path) or path
    questions = NamedQuestions()
    for entry in json_list(file):
        questions.add(_hotpot_question(entry, documents), entry.place)
    return placed_dataset(file.stem, documents.texts, questions.all, limit=options.limit)


def _hotpot_question(entry: Entry, documents: NamedTexts) -> Question:
    passages: dict[str, tuple[str, list[str]]] = {}
    ambiguous: set[str] = set()
    for title, sentences in _pairs(entry, "context", list):
        if not all(isinstance(sentence, str) for sentence in sentences):
            raise DatasetError(
                f"{entry.place}: the sentences of {title!r:.80} are {sentences!r:.80}; expected texts"
            )
        passage = (documents.add(title, "".join(sentences)), sentences)
        if passages.setdefault(title, passage) != passage:
            ambiguous.add(title)
    references = []
    for title, number in _pairs(entry, "supporting_facts", int):
        if title in ambiguous:
            raise DatasetError(
                f"{entry.place}: a supporting fact names {title!r:.80}, which several passages are called; "
                "expected one"
            )
        name, sentences = passages.get(title, ("", []))
        if not 0 <= number < len(sentences):
            continue  # the data set itself names a few sentences that its passages do not have
        _, spans = joined(sentences, "")
        start, end = spans[number]
        start += len(sentences[number]) - len(sentences[number].lstrip())
        references.append(Reference(documents.texts[name][start:end], name, start, end))
    answers = (entry.text("answer"),) if entry.values.get("answer") is not None else ()
    return Question(entry.text("_id"), entry.text("question"), tuple(references), answers=answers)


def _pairs(entry: Entry, key: str, kind: type) -> list[tuple[str, Any]]:
    value = entry.values.get(key)
    if isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], kind)
        for pair in value
    ):
        return [(title, of_title) for title, of_title in value]
    raise DatasetError(
        f"{entry.place}: {key!r} is {value!r:.80}; expected pairs of a title and {kind.__name__}"
    )


def _read_musique(path: Path, options: Options) -> Dataset:
    documents = NamedTexts()
    file = _musique_file(path) or path
    questions = NamedQuestions()
    for entry in json_list(file):
        questions.add(_musique_question(entry, documents), entry.place)
    return placed_dataset(file.stem, documents.texts, questions.all, limit=options.limit)


def _musique_question(entry: Entry, documents: NamedTexts) -> Question:
    references = []
    for paragraph in entry.objects("paragraphs"):
        text = paragraph.text("paragraph_text")
        name = documents.add(paragraph.text("title"), text)
        if paragraph.values.get("is_supporting") is True:
            references.append(whole_document(name, text))
    answers = (entry.text("answer"),) if entry.values.get("answer") is not None else ()
    return Question(entry.text("id"), entry.text("question"), tuple(references), answers=answers)


def _holds(*keys: bytes) -> "Any":
    def holds(file: Path) -> bool:
        with file.open("rb") as content:
            head = content.read(_HEAD)
        return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[") and all(key in head for key in keys)

    return holds


def _hotpot_file(path: Path) -> Path | None:
    return only_file(path, "*.json", _holds(b'"supporting_facts"', b'"context"'))


def _musique_file(path: Path) -> Path | None:
    return only_file(path, "*.json", _holds(b'"paragraph_text"', b'"is_supporting"'))


HOTPOTQA = Format(
    'a JSON list of {"question", "context", "supporting_facts"} (HotpotQA)',
    lambda path: path.is_file() and _hotpot_file(path) is not None,
    _read_hotpot,
)
MUSIQUE = Format(
    'a JSON list of {"question", "paragraphs": [{"paragraph_text", "is_supporting"}]} (MuSiQue)',
    lambda path: path.is_file() and _musique_file(path) is not None,
    _read_musique,
)
