"""Long documents made of short ones, so that splitters have something to cut.

Source: appendix C of Qu, Tu and Bao, "Is Semantic Chunking Worth the Computational Cost?" (2024), which
stitches documents of fewer than 20 sentences to about 100: many topics in one document, by construction.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from chunkfilter.errors import InputError
from chunkfilter.evaluate.arguments import refuse_no_count
from chunkfilter.evaluate.datasets.places import joined
from chunkfilter.evaluate.questions import Dataset, Question, Reference
from chunkfilter.text.sentences import sentences

#: What stands between two documents of a stitched one.
BREAK = "\n\n"

#: Where a document now is: the stitched one's name, and its first character there.
Places = Mapping[str, tuple[str, int]]


def stitched(dataset: Dataset, sentences: int = 100, seed: int = 0) -> Dataset:
    """The data set with its documents, in random order, joined to documents of about so many sentences.

    A document is begun anew where that comes nearer to ``sentences``; documents of several corpora are not
    mixed. Relevance is carried along: references keep their texts, their places move, and a stitched document
    has the best grade of those in it.

    Args:
        dataset: any data set.
        sentences: sentences of a stitched document, at least 1.
        seed: of the order.

    Raises:
        InputError: ``sentences`` is out of bounds, or a question names a document that there is not.
    """
    refuse_no_count("sentences", sentences)
    refuse_no_count("seed", seed, least=0)
    names = list(dataset.documents)
    counts = dict(zip(names, sentence_counts(list(dataset.documents.values())), strict=True))
    order = [names[place] for place in np.random.default_rng(seed).permutation(len(names))]
    documents: dict[str, str] = {}
    groups: dict[str, str] = {}
    places: dict[str, tuple[str, int]] = {}
    for corpus in dict.fromkeys(dataset.groups.get(name) for name in order):
        members = [name for name in order if dataset.groups.get(name) == corpus]
        for bunch in _bunches(members, counts, sentences):
            name = f"stitched-{len(documents) + 1}"
            documents[name], spans = joined([dataset.documents[member] for member in bunch], BREAK)
            places |= {member: (name, start) for member, (start, _) in zip(bunch, spans, strict=True)}
            if corpus is not None:
                groups[name] = corpus
    return replace(
        dataset,
        name=f"{dataset.name}, stitched to {sentences} sentences",
        documents=documents,
        questions=tuple(_moved(question, places) for question in dataset.questions),
        groups=groups,
    )


def sentence_counts(texts: list[str]) -> list[int]:
    """Number of sentences of each text."""
    counts: list[int] = [len(sentences(text).texts) for text in texts]
    return counts


def _bunches(names: list[str], counts: Mapping[str, int], wanted: int) -> list[list[str]]:
    """Names in order, in bunches whose counts come as near to the wanted sum as the next one allows."""
    bunches: list[list[str]] = []
    have = 0
    for name in names:
        if not bunches or abs(have - wanted) <= abs(have + counts[name] - wanted):
            bunches.append([])
            have = 0
        bunches[-1].append(name)
        have += counts[name]
    return bunches


def _moved(question: Question, places: Places) -> Question:
    relevance: dict[str, float] = {}
    for source, grade in question.relevance.items():
        home = _place(source, places)[0]
        relevance[home] = max(grade, relevance.get(home, 0.0))
    references = tuple(_moved_reference(one, places) for one in question.references)
    return replace(question, references=references, relevance=relevance)


def _moved_reference(reference: Reference, places: Places) -> Reference:
    if reference.source is None:
        return reference
    home, offset = _place(reference.source, places)
    if reference.start is None or reference.end is None:
        return replace(reference, source=home)
    return replace(reference, source=home, start=reference.start + offset, end=reference.end + offset)


def _place(source: str, places: Places) -> tuple[str, int]:
    if source not in places:
        raise InputError(f"source {source!r}: is none of the documents that are stitched")
    return places[source]
