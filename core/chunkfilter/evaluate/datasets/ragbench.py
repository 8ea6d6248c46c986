"""Records in the form of RAGBench: a question with its documents, cut into sentences that have keys.

JSON lines of ``{"id", "question", "documents": [text], "documents_sentences": [[[key, sentence]]],
"all_relevant_sentence_keys": [key], "response"}``. References are the relevant sentences; documents with the
same text are one, named after the first record that has it.

Source of the form: Friel, Belyi and Sanyal, "RAGBench: Explainable Benchmark for Retrieval-Augmented
Generation Systems" (2024).
"""

from pathlib import Path

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.format import Format, Options, only_file
from chunkfilter.evaluate.datasets.parts import NamedQuestions, NamedTexts, found_in_turn
from chunkfilter.evaluate.datasets.places import Unusable, placed_dataset
from chunkfilter.evaluate.datasets.reading import Entry, first_object, json_lines
from chunkfilter.evaluate.questions import Dataset, Question, Reference

_KEYS = {"question", "documents", "documents_sentences", "all_relevant_sentence_keys"}


def _only_file(path: Path) -> Path | None:
    return only_file(path, "*.jsonl", lambda file: first_object(file).keys() >= _KEYS)


def _read(path: Path, options: Options) -> Dataset:
    file = _only_file(path) or path
    names: dict[str, str] = {}
    documents = NamedTexts()
    questions = NamedQuestions()
    problems: list[str] = []
    for number, entry in enumerate(json_lines(file), start=1):
        name = str(entry.values.get("id", number))
        try:
            questions.add(_question(entry, name, names, documents), entry.place)
        except Unusable as error:
            problems.append(f"question {name!r} is left out: {error}")
    return placed_dataset(file.stem, documents.texts, questions.all, problems=problems, limit=options.limit)


def _question(entry: Entry, record: str, names: dict[str, str], documents: NamedTexts) -> Question:
    """The question; its documents are added to the others, and to the names of texts."""
    texts = entry.texts("documents")
    for number, text in enumerate(texts):
        if text not in names:
            names[text] = documents.add(f"{record}/{number}", text)
    sentences: dict[str, Reference | None] = {}
    for text, listed in zip(texts, _keyed_sentences(entry, len(texts)), strict=True):
        places = found_in_turn([sentence for _, sentence in listed], text)
        for (key, _), place in zip(listed, places, strict=True):
            sentences[key] = Reference(text[slice(*place)], names[text], *place) if place else None
    references = []
    for key in entry.texts("all_relevant_sentence_keys"):
        reference = sentences.get(key)
        if reference is None:
            raise Unusable(f"its sentence {key!r} stands in none of its documents")
        references.append(reference)
    if not references:
        raise Unusable("no sentence is relevant")
    response = entry.values.get("response")
    answers = (response,) if isinstance(response, str) and response else ()
    return Question(record, entry.text("question"), tuple(references), answers=answers)


def _keyed_sentences(entry: Entry, count: int) -> list[list[tuple[str, str]]]:
    """For each document its sentences with their keys."""
    value = entry.values.get("documents_sentences")
    if (
        isinstance(value, list)
        and len(value) == count
        and all(isinstance(listed, list) for listed in value)
        and all(
            isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
            for listed in value
            for pair in listed
        )
    ):
        return [[(key, sentence) for key, sentence in listed] for listed in value]
    raise DatasetError(
        f"{entry.place}: 'documents_sentences' is {value!r:.80}; "
        f"expected, for each of {count} documents, a list of [key, sentence]"
    )


RAGBENCH = Format(
    'JSON lines of {"question", "documents", "documents_sentences", "all_relevant_sentence_keys"} (RAGBench)',
    lambda path: _only_file(path) is not None,
    _read,
)
