"""``tune``: the boldest policy of a fixed sequence that passes on some documents, reported on others."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

from chunkfilter.errors import InputError
from chunkfilter.evaluate.compare import compare
from chunkfilter.evaluate.comparison import Comparison, Row
from chunkfilter.evaluate.halves import halves
from chunkfilter.evaluate.questions import Dataset
from chunkfilter.evaluate.statistics.binomial import enough_without_loss
from chunkfilter.evaluate.statistics.verdict import FEWEST_UNITS
from chunkfilter.signals.embedders import Embedder
from chunkfilter.splitters import split_documents

#: From safe to bold. The order is fixed beforehand, so testing one after another and stopping at the first
#: that fails needs no correction for having tested several (fixed-sequence procedure). What follows
#: ``coverage`` loses words; guards would take that back, so it goes without them and its name says so.
SEQUENCE = (
    "coverage",
    *(f"coverage@{share} guards=none" for share in (0.98, 0.95, 0.9, 0.85, 0.8)),
    *(f"similarity@{cosine} guards=none" for cosine in (0.95, 0.9, 0.85, 0.8)),
)


@dataclass(frozen=True, slots=True)
class Goal:
    """What a policy has to reach.

    Args:
        max_recall_loss: the largest loss that counts as none, from 0 to 1.
        target_size: share of the chunks that may stay, or ``None``: as small as the loss allows.

    Raises:
        InputError: a value out of bounds, or no number.
    """

    max_recall_loss: float = 0.01
    target_size: float | None = None

    def __post_init__(self) -> None:
        if not (_is_number(self.max_recall_loss) and 0 < self.max_recall_loss < 1):
            raise InputError(
                f"max_recall_loss: got {self.max_recall_loss!r:.80}; expected more than 0, less than 1"
            )
        size = self.target_size
        if size is not None and not (_is_number(size) and 0 < size <= 1):
            raise InputError(f"target_size: got {size!r:.80}; expected more than 0, at most 1")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


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
        questions: how many the policies were tuned on, and how many are reported on.
        needed: with fewer questions no policy can pass, however well it does.
    """

    policy: str | None
    failed: str | None
    reached: bool
    measure: str
    tried: tuple[Row, ...]
    report: Comparison | None
    sampled: bool
    questions: tuple[int, int] = (0, 0)
    needed: int = FEWEST_UNITS

    @property
    def too_small(self) -> str:
        """In a sentence, which half has too few questions to decide anything; empty if none has."""
        named = {
            "the half it is tuned on": self.questions[0],
            "the half it is reported on": self.questions[1],
        }
        few = [f"{half} has {count}" for half, count in named.items() if count < self.needed]
        if not few:
            return ""
        return (
            f"Too few questions to decide anything: {', '.join(few)}; "
            f"expected at least {self.needed} in each: no policy can pass with fewer at this margin"
        )


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
    options: dict[str, Any] = {"margin": goal.max_recall_loss, "tokens": ("word",), **settings}
    options["show_progress"] = show_progress
    chunks = split_documents(tuning.documents, chunker, embedder)
    most = math.inf if goal.target_size is None else goal.target_size * len(chunks)
    tried = _walked(
        lambda policy: compare(chunks, tuning.questions, [policy], embedder, **options).rows[0], most, sampled
    )
    passed = [row for row in tried if _passes(row, sampled)]
    chosen = passed[-1].policy if passed else None
    report = None
    if chosen is not None:
        others = split_documents(reporting.documents, chunker, embedder)
        report = compare(others, reporting.questions, ["none", chosen], embedder, **options)
    return Tuned(
        policy=chosen,
        failed=tried[-1].policy if len(passed) < len(tried) else None,
        reached=goal.target_size is None or (bool(passed) and passed[-1].kept <= most),
        measure="sentence_survival" if sampled else "recall at the middle budget",
        tried=tuple(tried),
        report=report,
        sampled=sampled,
        questions=(len(tuning.questions), len(reporting.questions)),
        needed=fewest_questions(goal.max_recall_loss, sampled),
    )


def fewest_questions(margin: float, sampled: bool) -> int:
    """With how many questions a policy that loses nothing can pass.

    Survival of sampled sentences is a share of losses, whose exact upper bound counts.

    Args:
        margin: the largest loss that counts as none, above 0 and below 1.
        sampled: whether the questions are sampled sentences.
    """
    if not sampled:
        return FEWEST_UNITS
    return max(FEWEST_UNITS, enough_without_loss(margin))


def _walked(measured: Callable[[str], Row], most: float, sampled: bool) -> list[Row]:
    """Rows from safe to bold, until one fails or keeps at most so many chunks."""
    tried: list[Row] = []
    for policy in SEQUENCE:
        tried.append(measured(policy))
        if not _passes(tried[-1], sampled) or tried[-1].kept <= most < math.inf:
            break
    return tried


def _passes(row: Row, sampled: bool) -> bool:
    verdict = row.differences["sentence_survival"].verdict if sampled else row.verdict
    return verdict == "non-inferior"
