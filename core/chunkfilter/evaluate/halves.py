"""Two halves of a data set that share no document, with questions or with sentences that serve as such."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import regex

from chunkfilter.chunk import Span
from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.arguments import counted, refuse_no_count
from chunkfilter.evaluate.questions import Dataset, Question, Reference
from chunkfilter.evaluate.tokens import word_tokens
from chunkfilter.text.trim import trimmed

#: Sentences sampled as questions, of each half, where a data set has none: enough to pass at a margin of one
#: point with up to three of them lost.
SAMPLE = 1000
#: Fewest words of a sampled sentence.
_SHORTEST = 6
_BORDER = regex.compile(r"(?<=[.!?])\s+(?=[\p{Lu}\p{Lt}\p{Lo}\p{N}])|\n\s*\n|(?<=[。！？।])\s*")


def halves(dataset: Dataset, seed: int) -> tuple[Dataset, Dataset]:
    """Two halves of about equal length that share no document; questions follow their references.

    A question with references in both halves belongs to neither. Without questions, sentences are sampled.

    Raises:
        DatasetError: fewer than two documents, or a half without questions.
    """
    refuse_no_count("seed", seed, least=0)
    if len(dataset.documents) < 2:
        raise DatasetError(
            f"{dataset.name}: {counted(len(dataset.documents), 'document')}; expected at least two, "
            "one to tune on and another to report on"
        )
    names = list(dataset.documents)
    order = np.random.default_rng(seed).permutation(len(names))
    sizes = np.array([len(dataset.documents[names[place]]) for place in order])
    cut = int(np.argmin(np.abs(np.cumsum(sizes)[:-1] - sizes.sum() / 2))) + 1
    first, second = (
        _part(dataset, {names[place] for place in part}, seed) for part in (order[:cut], order[cut:])
    )
    for half in (first, second):
        if not half.questions:
            raise DatasetError(f"{dataset.name}: no questions about {', '.join(list(half.documents)[:3])}")
    return first, second


def _part(dataset: Dataset, names: set[str], seed: int) -> Dataset:
    documents = {name: text for name, text in dataset.documents.items() if name in names}
    questions = tuple(
        question
        for question in dataset.questions
        if all(reference.source in names for reference in question.references)
    )
    if not dataset.questions:
        questions = sampled_sentences(documents, SAMPLE, seed)
    return replace(dataset, documents=documents, questions=questions)


def sampled_sentences(documents: dict[str, str], count: int, seed: int) -> tuple[Question, ...]:
    """Sentences of at least six words, drawn without replacement, each its own question and reference."""
    found = [
        (name, start, end)
        for name, text in documents.items()
        for start, end in _spans(text)
        if len(word_tokens(text[start:end])) >= _SHORTEST
    ]
    drawn = np.sort(np.random.default_rng(seed).permutation(len(found))[:count])
    questions: list[Question] = []
    for name, start, end in (found[place] for place in drawn.tolist()):
        text = documents[name][start:end]
        questions.append(Question(f"{name}:{start}", text, (Reference(text, name, start, end),)))
    return tuple(questions)


def _spans(text: str) -> Iterator[Span]:
    """Where a text has sentences, as a reader would guess: characters, without white space at the edges."""
    start = 0
    for border in _BORDER.finditer(text):
        yield trimmed(text, start, border.start())
        start = border.end()
    yield trimmed(text, start, len(text))
