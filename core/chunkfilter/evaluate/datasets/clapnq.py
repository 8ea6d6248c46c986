"""CLAP NQ: questions with a passage and the sentences of it that a long answer was written from.

JSON lines of ``{"id", "input", "passages": [{"title", "text", "sentences"}], "output": [{"answer",
"selected_sentences"}]}``. A document is a passage; a folder is read as all its files of that form. Questions
without selected sentences, the unanswerable ones, are left out, and their passages stay.

Source: Rosenthal et al., "CLAPnq: Cohesive Long-form Answers from Passages in Natural Questions" (2024).
"""

from pathlib import Path

from chunkfilter.evaluate.datasets.format import Format, Options
from chunkfilter.evaluate.datasets.parts import NamedQuestions, NamedTexts
from chunkfilter.evaluate.datasets.places import placed_dataset
from chunkfilter.evaluate.datasets.reading import Entry, first_object, json_lines
from chunkfilter.evaluate.questions import Dataset, Question, Reference


def _files(path: Path) -> list[Path]:
    files = [path] if path.is_file() else sorted(path.glob("*.jsonl"))
    return [file for file in files if {"input", "passages", "output"} <= first_object(file).keys()]


def _read(path: Path, options: Options) -> Dataset:
    documents = NamedTexts()
    questions = NamedQuestions()
    without = 0
    for file in _files(path):
        for entry in json_lines(file):
            question = _question(entry, documents)
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


def _question(entry: Entry, documents: NamedTexts) -> Question:
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
    told = tuple(one for one in written if isinstance(one, str) and one)
    return Question(entry.text("id"), entry.text("input"), tuple(references), answers=told)


CLAPNQ = Format(
    'JSON lines of {"input", "passages", "output"} (CLAP NQ)', lambda path: bool(_files(path)), _read
)
