"""EU acts as JSON lines, one version an act a line, and the questions of rag-eurlex-eval over them.

A document is a version, its provisions joined by a blank line. Sources of the forms: repositories
SFHAJJI/lex-articles (acts) and landomo/rag-eurlex-eval (questions, ``testset.jsonl``).
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.format import Format, NamedQuestions, Options, only_file
from chunkfilter.evaluate.datasets.lines import questions_of
from chunkfilter.evaluate.datasets.places import Unusable, placed_dataset
from chunkfilter.evaluate.datasets.reading import Entry, first_object, json_lines
from chunkfilter.evaluate.questions import Dataset, Question, Reference
from chunkfilter.evaluate.tokens import word_tokens

_BREAK = "\n\n"
_TESTSET = "testset.jsonl"
#: The acts that the test set's section names speak of.
_ACTS = {"gdpr": "32016r0679", "ai_act": "32024r1689"}
#: Share of the test set's wording that a provision must hold to be the one that is meant: the two
#: collections render the same article with other headings and list marks.
_SAME_PROVISION = 0.85


@dataclass(frozen=True, slots=True)
class _Provision:
    source: str
    start: int
    text: str


_Provisions = dict[tuple[str, str], list[_Provision]]


def _acts(path: Path) -> tuple[dict[str, str], _Provisions]:
    """Source -> text, and (act, anchor) -> the provision in each version, oldest first."""
    documents: dict[str, str] = {}
    provisions: _Provisions = {}
    for entry in json_lines(path):
        act, version = entry.text("celex"), entry.text("version")
        source = f"{act}@{version}"
        if source in documents:
            raise DatasetError(f"{entry.place}: a second line for {source}; expected one a version")
        texts: list[str] = []
        start = 0
        for provision in entry.objects("provisions"):
            text = provision.text("text")
            found = _Provision(source, start, text)
            provisions.setdefault((act, provision.text("anchor")), []).append(found)
            texts.append(text)
            start += len(text) + len(_BREAK)
        documents[source] = _BREAK.join(texts)
    return documents, provisions


def _read_acts(path: Path, options: Options) -> Dataset:
    file = _acts_file(path) or path
    documents, _ = _acts(file)
    questions, problems = questions_of(file, options)
    return placed_dataset(file.stem, documents, questions, problems=problems, limit=options.limit)


def _read_testset(path: Path, options: Options) -> Dataset:
    documents, provisions = _acts(_acts_file(path) or path)
    questions = NamedQuestions()
    problems: list[str] = []
    for entry in json_lines(path / _TESTSET):
        try:
            questions.add(_question(entry, provisions), entry.place)
        except Unusable as error:
            problems.append(f"question {entry.text('id')!r} is left out: {error}")
    return placed_dataset(
        path.resolve().name, documents, questions.all, problems=problems, limit=options.limit
    )


def _question(entry: Entry, provisions: _Provisions) -> Question:
    """A question about one article, which is its reference, in the version nearest to the test set's."""
    sections = entry.values.get("section_ids")
    if not isinstance(sections, list) or len(sections) != 1 or entry.values.get("origin") != "generated":
        raise Unusable("it names no single article: its contexts are what a retriever found, or none")
    act, _, article = str(sections[0]).partition(":")
    versions = provisions.get((_ACTS.get(act, act), article.replace("art", "art_", 1)), [])
    expected = Counter(word for text in entry.values["reference_contexts"] for word in word_tokens(text))
    shares = [(expected & Counter(word_tokens(found.text))).total() / expected.total() for found in versions]
    best = max(range(len(shares)), key=shares.__getitem__, default=None)
    if best is None or shares[best] < _SAME_PROVISION:
        raise Unusable(f"no version of the documents holds the wording of {sections[0]!r}")
    found = versions[best]
    reference = Reference(found.text, found.source, found.start, found.start + len(found.text))
    return Question(entry.text("id"), entry.text("user_input"), (reference,))


def _acts_file(path: Path) -> Path | None:
    return only_file(path, "*.jsonl", lambda file: {"celex", "provisions"} <= first_object(file).keys())


EURLEX_TESTSET = Format(
    f"a folder with {_TESTSET} and EU acts as JSON lines (rag-eurlex-eval)",
    lambda path: (path / _TESTSET).is_file() and _acts_file(path) is not None,
    _read_testset,
)
EURLEX_ACTS = Format(
    'JSON lines of {"celex", "version", "provisions"}', lambda path: _acts_file(path) is not None, _read_acts
)
