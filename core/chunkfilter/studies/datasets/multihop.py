"""Questions that take several short documents to answer: HotpotQA, MuSiQue, and corpora made of them.

HotpotQA: a JSON list of ``{"_id", "question", "answer", "context": [[title, [sentence]]],
"supporting_facts": [[title, number]]}``; a document is its sentences as they are, one after another, and
references are the supporting ones. MuSiQue: a JSON list of ``{"id", "question", "answer", "paragraphs":
[{"title", "paragraph_text", "is_supporting"}]}``; references are the supporting paragraphs, whole. Passages
of equal title and text are one document.

A corpus: ``corpus.jsonl`` of ``{"doc_id", "title", "text"}`` and one file of questions, ``{"id",
"question", "answer", "gold_doc_ids"}``. With ``supporting_facts`` (titles and numbers of sentences) the
references are those sentences, without them the documents, whole. Sentences in these texts are set apart by
two spaces, mostly: where one is missing, the numbers of later sentences lie beyond what can be told apart,
or, rarely, one off.

Sources: Yang et al., "HotpotQA" (2018); Trivedi et al., "MuSiQue" (2022).
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chunkfilter.chunk import Span
from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.format import Format, NamedQuestions, Options, only_file, whole_document
from chunkfilter.evaluate.datasets.places import Unusable, joined, placed_dataset
from chunkfilter.evaluate.datasets.reading import Entry, first_object, json_lines
from chunkfilter.evaluate.questions import Dataset, Question, Reference
from chunkfilter.studies.datasets.parts import NamedTexts, answers, json_list, offsets

_CORPUS = "corpus.jsonl"
_SENTENCE = re.compile(r"\S.*?(?=\s{2}|\s*$)", re.DOTALL)
_HEAD = 1 << 20

Reader = Callable[[Path, Options], Dataset]


def _reader(
    question: Callable[[Entry, NamedTexts], Question], file_of: Callable[[Path], Path | None]
) -> Reader:
    """Reads a JSON list of questions, each with its passages."""

    def read(path: Path, options: Options) -> Dataset:
        documents = NamedTexts()
        file = file_of(path) or path
        questions = NamedQuestions()
        for entry in json_list(file):
            questions.add(question(entry, documents), entry.place)
        return placed_dataset(file.stem, documents.texts, questions.all, limit=options.limit)

    return read


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
    return Question(entry.text("_id"), entry.text("question"), tuple(references), answers=answers(entry))


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


def _musique_question(entry: Entry, documents: NamedTexts) -> Question:
    references = []
    for paragraph in entry.objects("paragraphs"):
        text = paragraph.text("paragraph_text")
        name = documents.add(paragraph.text("title"), text)
        if paragraph.values.get("is_supporting") is True:
            references.append(whole_document(name, text))
    return Question(entry.text("id"), entry.text("question"), tuple(references), answers=answers(entry))


def _holds(*keys: bytes) -> Callable[[Path], bool]:
    def holds(file: Path) -> bool:
        with file.open("rb") as content:
            head = content.read(_HEAD)
        return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[") and all(key in head for key in keys)

    return holds


def _hotpot_file(path: Path) -> Path | None:
    return only_file(path, "*.json", _holds(b'"supporting_facts"', b'"context"'))


def _musique_file(path: Path) -> Path | None:
    return only_file(path, "*.json", _holds(b'"paragraph_text"', b'"is_supporting"'))


def _questions_file(path: Path) -> Path | None:
    return only_file(path, "*.jsonl", lambda file: {"question", "gold_doc_ids"} <= first_object(file).keys())


def _fits(path: Path) -> bool:
    return (
        path.is_dir()
        and {"doc_id", "text"} <= first_object(path / _CORPUS).keys()
        and _questions_file(path) is not None
    )


def _read(path: Path, options: Options) -> Dataset:
    documents: dict[str, str] = {}
    titles: dict[str, set[str]] = {}
    for entry in json_lines(path / _CORPUS):
        name, text = entry.text("doc_id"), entry.text("text")
        if documents.setdefault(name, text) != text:
            raise DatasetError(f"{entry.place}: a second document is called {name!r}")
        titles.setdefault(entry.text("title"), set()).add(name)
    questions = NamedQuestions()
    problems: list[str] = []
    for entry in json_lines(_questions_file(path) or path):
        try:
            questions.add(_question(entry, documents, titles), entry.place)
        except Unusable as error:
            problems.append(f"question {entry.text('id')!r} is left out: {error}")
    return placed_dataset(
        path.resolve().name, documents, questions.all, problems=problems, limit=options.limit
    )


def _question(entry: Entry, documents: dict[str, str], titles: dict[str, set[str]]) -> Question:
    facts = entry.values.get("supporting_facts")
    asked = not isinstance(facts, dict) or entry.values.get("gold_doc_ids") is not None
    gold = entry.texts("gold_doc_ids") if asked else []
    if isinstance(facts, dict):
        place = f"{entry.place}, supporting_facts"
        references = _facts(Entry(place, facts), documents, titles, gold)
    else:
        missing = [name for name in gold if name not in documents]
        if missing:
            raise Unusable(f"its document {missing[0]!r} is not in the corpus")
        references = [whole_document(name, documents[name]) for name in gold]
    return Question(entry.text("id"), entry.text("question"), tuple(references), answers=answers(entry))


def _facts(
    entry: Entry, documents: dict[str, str], titles: dict[str, set[str]], gold: list[str]
) -> list[Reference]:
    named, numbers = entry.texts("titles"), offsets(entry, "sent_ids")
    if len(named) != len(numbers):
        raise DatasetError(f"{entry.place}: {len(named)} titles, {len(numbers)} sent_ids; expected as many")
    references = []
    for title, number in zip(named, numbers, strict=True):
        source = _document_called(title, titles, gold)
        text = documents[source]
        sentences: list[Span] = [match.span() for match in _SENTENCE.finditer(text)]
        if number >= len(sentences):
            raise Unusable(f"sentence {number} of {title!r} cannot be told apart")
        start, end = sentences[number]
        references.append(Reference(text[start:end], source, start, end))
    return references


def _document_called(title: str, titles: dict[str, set[str]], gold: list[str]) -> str:
    """The document of a title; of several, the one among the question's gold documents."""
    called = titles.get(title, set())
    if not called:
        raise Unusable(f"its document {title!r} is not in the corpus")
    meant = called if len(called) == 1 else called.intersection(gold)
    if len(meant) != 1:
        raise Unusable(f"{len(called)} documents are called {title!r}, and it does not say which")
    (name,) = meant
    return name


HOTPOTQA = Format(
    'a JSON list of {"question", "context", "supporting_facts"} (HotpotQA)',
    lambda path: path.is_file() and _hotpot_file(path) is not None,
    _reader(_hotpot_question, _hotpot_file),
)
MUSIQUE = Format(
    'a JSON list of {"question", "paragraphs": [{"paragraph_text", "is_supporting"}]} (MuSiQue)',
    lambda path: path.is_file() and _musique_file(path) is not None,
    _reader(_musique_question, _musique_file),
)
MULTIHOP = Format(
    f'a folder with {_CORPUS} of {{"doc_id", "title", "text"}} and questions with "gold_doc_ids"',
    _fits,
    _read,
)
