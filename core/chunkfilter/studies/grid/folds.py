"""Two folds of a data set that share no document: what is chosen on one is reported on the other."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.questions import Dataset, Question

#: A group of documents tied together by questions that has a larger share of all questions is torn.
_LARGEST_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Folds:
    """Two halves of a data set.

    Args:
        first: documents, and the questions all of whose documents are among them.
        second: the others, likewise.
        left_out: questions with documents in both.
    """

    first: Dataset
    second: Dataset
    left_out: int

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions of both, the first fold's before the second's."""
        return (*self.first.questions, *self.second.questions)


def make_folds(dataset: Dataset, seed: int) -> Folds:
    """Part the documents at random, those that one question needs kept together.

    Where that leaves nearly all questions in one half, because they tie most documents together, documents
    are parted one by one, and questions with documents in both halves are left out.

    Args:
        dataset: documents and questions.
        seed: of the order in which documents are dealt out.

    Raises:
        DatasetError: a half would have no question.
    """
    needs = [frozenset(question.graded) & dataset.documents.keys() for question in dataset.questions]
    tied = _tied(dataset.documents, needs)
    asked: dict[int, int] = {}
    for need in needs:
        for name in list(need)[:1]:
            asked[tied[name]] = asked.get(tied[name], 0) + 1
    if max(asked.values(), default=0) > _LARGEST_SHARE * len(needs):
        tied = {name: number for number, name in enumerate(dataset.documents)}
        asked = {}
        for need in needs:
            for name in need:
                asked[tied[name]] = asked.get(tied[name], 0) + 1
    in_first = _dealt(tied, asked, seed)
    first, second = (
        _part(dataset, {name for name in dataset.documents if (name in in_first) is side}, needs)
        for side in (True, False)
    )
    for half in (first, second):
        if not half.questions:
            raise DatasetError(
                f"{dataset.name}: {len(needs)} questions ({sum(map(bool, needs))} name a document) over "
                f"{len(dataset.documents)} documents cannot be parted into two halves that share no "
                "document; expected more documents, and questions that name theirs"
            )
    return Folds(first, second, len(dataset.questions) - len(first.questions) - len(second.questions))


def _tied(documents: Iterable[str], needs: Iterable[frozenset[str]]) -> dict[str, int]:
    """A number for each document, equal for those that some question needs together."""
    places = {name: place for place, name in enumerate(documents)}
    pairs = [(places[one], places[two]) for need in needs for one, two in pairwise(sorted(need))]
    ones, twos = zip(*pairs, strict=True) if pairs else ((), ())
    graph = coo_array((np.ones(len(pairs)), (ones, twos)), shape=(len(places), len(places)))
    return dict(zip(places, connected_components(graph, directed=False)[1].tolist(), strict=True))


def _dealt(tied: Mapping[str, int], asked: Mapping[int, int], seed: int) -> set[str]:
    """The documents of the first half: groups in random order go to the half with fewer questions."""
    members: dict[int, list[str]] = {}
    for name, number in tied.items():
        members.setdefault(number, []).append(name)
    numbers = list(members)
    loads = [[0, 0], [0, 0]]
    chosen: set[str] = set()
    for place in np.random.default_rng(seed).permutation(len(numbers)).tolist():
        number = numbers[place]
        kind = 0 if asked.get(number) else 1  # documents nobody asks about are shared out by their number
        side = 0 if loads[kind][0] <= loads[kind][1] else 1
        loads[kind][side] += asked.get(number, 0) or len(members[number])
        if side == 0:
            chosen.update(members[number])
    return chosen


def _part(dataset: Dataset, names: set[str], needs: Iterable[frozenset[str]]) -> Dataset:
    return replace(
        dataset,
        documents={name: text for name, text in dataset.documents.items() if name in names},
        questions=tuple(
            question
            for question, need in zip(dataset.questions, needs, strict=True)
            if need and need <= names
        ),
    )
