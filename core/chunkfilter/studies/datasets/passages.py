"""Records of a question with its passages, in which the sentences that answer it are marked.

CLAP NQ: JSON lines of ``{"id", "input", "passages": [{"title", "text", "sentences"}], "output": [{"answer",
"selected_sentences"}]}``. A document is a passage; a folder is read as all its files of that form.
Questions without selected sentences, the unanswerable ones, are left out, and their passages stay.

RAGBench: JSON lines of ``{"id", "question", "documents": [text], "documents_sentences": [[[key,
sentence]]], "all_relevant_sentence_keys": [key], "response"}``. References are the relevant sentences;
documents of equal text are one, named after the first record that has it.

Sources: Rosenthal et al., "CLAPnq: Cohesive Long-form Answers from Passages in Natural Questions" (2024);
Friel, Belyi and Sanyal, "RAGBench: Explainable Benchmark for Retrieval-Augmented Generation Systems"
(2024).
"""

from pathlib import Path

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.format import Format, NamedQuestions, Options, only_file
from chunkfilter.evaluate.datasets.places import Unusable, placed_dataset
from chunkfilter.evaluate.datasets.reading import Entry, first_object, json_lines
from chunkfilter.evaluate.questions import Dataset, Question, Reference
from chunkfilter.studies.datasets.parts import NamedTexts, found_in_turn

_KEYS = {"question", "documents", "documents_sentences", "all_relevant_sentence_keys"}


def _clapnq_files(path: Path) -> list[Path]:
    files = [path] if path.is_file() else sorted(path.glob("*.jsonl"))
    return [file for file in files if {"input", "passages", "output"} <= first_object(file).keys()]


def _read_clapnq(path: Path, options: Options) -> Dataset:
    documents = NamedTexts()
    questions = NamedQuestions()
    without = 0
    for file in _clapnq_files(path):
        for entry in json_lines(file):
            question = _clapnq_question(entry, documents)
            if question.references:
                questions.add(question, entry.place)
            else:
                without += 1
    return placed_dataset(
        path.resolve().stem,
        documents.texts,
        questions.all,
        problems=[f"{without} questions without selected sentences are left out"] if without else [],
        limit=options.limit,
    )


def _clapnq_question(entry: Entry, documents: NamedTexts) -> Question:
    names: dict[str, str] = {}
    for passage in entry.objects("passages"):
        title, text = passage.text("title"), passage.text("text")
        free = documents.texts.get(title, text) == text
        names[documents.add(title if free else f"{title} ({entry.text('id')})", text)] = text
    answers = entry.objects("output")
    selected = dict.fromkeys(
        sentence.strip()
        for answer in answers
        if isinstance(answer.values.get("selected_sentences"), list)
        for sentence in answer.texts("selected_sentences")
        if sentence.strip()
    )
    references = []
    for sentence in selected:
        home = next((name for name, text in names.items() if sentence in text), next(iter(names), None))
        references.append(Reference(sentence, home))
    written = [answer.values.get("answer") for answer in answers]
    answered = tuple(one for one in written if isinstance(one, str) and one)
    return Question(entry.text("id"), entry.text("input"), tuple(references), answers=answered)


def _only_file(path: Path) -> Path | None:
    return only_file(path, "*.jsonl", lambda file: first_object(file).keys() >= _KEYS)


def _read_ragbench(path: Path, options: Options) -> Dataset:
    file = _only_file(path) or path
    names: dict[str, str] = {}
    documents = NamedTexts()
    questions = NamedQuestions()
    problems: list[str] = []
    for number, entry in enumerate(json_lines(file), start=1):
        name = str(entry.values.get("id", number))
        try:
            questions.add(_ragbench_question(entry, name, names, documents), entry.place)
        except Unusable as error:
            problems.append(f"question {name!r} is left out: {error}")
    return placed_dataset(file.stem, documents.texts, questions.all, problems=problems, limit=options.limit)


def _ragbench_question(entry: Entry, record: str, names: dict[str, str], documents: NamedTexts) -> Question:
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


CLAPNQ = Format(
    'JSON lines of {"input", "passages", "output"} (CLAP NQ)',
    lambda path: bool(_clapnq_files(path)),
    _read_clapnq,
)
RAGBENCH = Format(
    'JSON lines of {"question", "documents", "documents_sentences", "all_relevant_sentence_keys"} (RAGBench)',
    lambda path: _only_file(path) is not None,
    _read_ragbench,
)
