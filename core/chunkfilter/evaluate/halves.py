"""Two halves of a data set that share no document, with questions or with sentences that serve as such."""

from dataclasses import replace

import numpy as np

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.arguments import counted, refuse_no_count
from chunkfilter.evaluate.questions import Dataset, Question, Reference
from chunkfilter.evaluate.words import found_sentences
from chunkfilter.text.words import word_spans

#: Sentences sampled as questions, of each half, where a data set has none: enough to pass at a margin of one
#: point with up to three of them lost.
SAMPLE = 1000
#: Fewest words of a sampled sentence.
_SHORTEST = 6


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
    names, texts = list(documents), list(documents.values())
    words, found = found_sentences(texts)
    long = np.flatnonzero(found.ends - found.starts >= _SHORTEST)
    drawn = np.sort(np.random.default_rng(seed).permutation(long)[:count])
    owners = np.searchsorted(words.offsets, found.starts[drawn], side="right") - 1
    questions: list[Question] = []
    spans: dict[int, list[tuple[int, int]]] = {}
    for sentence, owner in zip(drawn.tolist(), owners.tolist(), strict=True):
        if owner not in spans:
            spans[owner] = word_spans(texts[owner])
        places = spans[owner]
        offset = int(words.offsets[owner])
        start = places[int(found.starts[sentence]) - offset][0]
        end = places[int(found.ends[sentence]) - offset - 1][1]
        text = texts[owner][start:end]
        name = names[owner]
        questions.append(Question(f"{name}:{start}", text, (Reference(text, name, start, end),)))
    return tuple(questions)
