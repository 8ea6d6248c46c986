"""``tune``: the boldest policy of a fixed sequence that passes on some documents, reported on others."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chunkfilter.errors import DatasetError, InputError
from chunkfilter.evaluate.compare import compare
from chunkfilter.evaluate.comparison import Comparison, Row
from chunkfilter.evaluate.questions import Dataset, Question, Reference
from chunkfilter.signals.embedders import Embedder
from chunkfilter.splitters import split_documents
from chunkfilter.text.sentences import find_sentences
from chunkfilter.text.words import Vocabulary, word_spans

#: From safe to bold. The order is fixed beforehand, so testing one after another and stopping at the first
#: that fails needs no correction for having tested several (fixed-sequence procedure). What follows
#: ``coverage`` loses words; guards would take that back, so it goes without them and its name says so.
SEQUENCE = (
    "coverage",
    *(f"coverage@{share} guards=none" for share in (0.98, 0.95, 0.9, 0.85, 0.8)),
    *(f"similarity@{cosine} guards=none" for cosine in (0.95, 0.9, 0.85, 0.8)),
)
#: Sentences sampled as questions, of each half, where a data set has none.
SAMPLE = 300
#: Fewest words of a sampled sentence.
_SHORTEST = 6


@dataclass(frozen=True, slots=True)
class Goal:
    """What a policy has to reach.

    Args:
        max_recall_loss: the largest loss that counts as none, from 0 to 1.
        target_size: share of the chunks that may stay, or ``None``: as small as the loss allows.

    Raises:
        InputError: a value out of bounds.
    """

    max_recall_loss: float = 0.01
    target_size: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.max_recall_loss < 1:
            raise InputError(
                f"max_recall_loss: got {self.max_recall_loss!r}; expected more than 0, less than 1"
            )
        if self.target_size is not None and not 0 < self.target_size <= 1:
            raise InputError(f"target_size: got {self.target_size!r}; expected more than 0, at most 1")


@dataclass(frozen=True, slots=True)
class Tuned:
    """What was chosen, and how it does on documents that took no part in choosing it.

    Args:
        policy: the last policy that passed, ``None`` if the first one failed.
        failed: the policy at which the walk stopped, ``None`` if it stopped for another reason.
        reached: whether the target size was reached; true without one.
        measure: the measure that decided.
        tried: the rows of the walk, on the documents it was tuned on.
        report: ``none`` and the chosen policy on the other documents; ``None`` if none was chosen.
        sampled: whether the questions are sentences sampled from the documents.
    """

    policy: str | None
    failed: str | None
    reached: bool
    measure: str
    tried: tuple[Row, ...]
    report: Comparison | None
    sampled: bool


def tune(
    dataset: Dataset,
    chunker: str,
    goal: Goal,
    embedder: Embedder,
    *,
    seed: int = 0,
    show_progress: bool = False,
    **settings: Any,
) -> Tuned:
    """Walk from safe to bold policies on half of the documents; report the last good one on the other half.

    A policy passes if it is non-inferior, at a margin of ``goal.max_recall_loss``, in recall at the middle
    budget (with questions) or in sentence survival (with sampled sentences).

    Args:
        dataset: at least two documents.
        chunker: a splitter's spec.
        goal: what to reach.
        embedder: ranks the chunks.
        seed: of the halves and of the sample.
        show_progress: show a bar on stderr.
        settings: passed on to :func:`chunkfilter.compare`.

    Raises:
        DatasetError: fewer than two documents, or a half without questions.
        InputError: from :func:`chunkfilter.compare`.
    """
    tuning, reporting = halves(dataset, seed)
    sampled = not dataset.questions
    measure = "sentence_survival" if sampled else "recall at the middle budget"
    options = {
        "margin": goal.max_recall_loss,
        "tokens": ("word",),
        "show_progress": show_progress,
        **settings,
    }
    chunks = split_documents(tuning.documents, chunker, embedder)
    tried: list[Row] = []
    chosen: Row | None = None
    failed: str | None = None
    for policy in SEQUENCE:
        row = compare(chunks, tuning.questions, [policy], embedder, **options).rows[0]
        tried.append(row)
        if _verdict(row, sampled) != "non-inferior":
            failed = policy
            break
        chosen = row
        if goal.target_size is not None and row.kept <= goal.target_size * len(chunks):
            break
    report = None
    if chosen is not None:
        others = split_documents(reporting.documents, chunker, embedder)
        report = compare(others, reporting.questions, ["none", chosen.policy], embedder, **options)
    reached = goal.target_size is None or (
        chosen is not None and chosen.kept <= goal.target_size * len(chunks)
    )
    return Tuned(chosen.policy if chosen else None, failed, reached, measure, tuple(tried), report, sampled)


def _verdict(row: Row, sampled: bool) -> str:
    return row.differences["sentence_survival"].verdict if sampled else row.verdict


def halves(dataset: Dataset, seed: int) -> tuple[Dataset, Dataset]:
    """Two halves of about equal length that share no document; questions follow their references.

    A question with references in both halves belongs to neither. Without questions, sentences are sampled.

    Raises:
        DatasetError: fewer than two documents, or a half without questions.
    """
    if len(dataset.documents) < 2:
        raise DatasetError(
            f"{dataset.name}: {len(dataset.documents)} document; expected at least two, "
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
    texts = list(documents.values())
    vocabulary = Vocabulary()
    pieces = vocabulary.pieces(texts)
    words = vocabulary.words_of(pieces)
    found = find_sentences(pieces, vocabulary, words.offsets)
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
        name = list(documents)[owner]
        questions.append(Question(f"{name}:{start}", text, (Reference(text, name, start, end),)))
    return tuple(questions)
