"""``tune``: the boldest policy of a fixed sequence that passes on some documents, reported on others."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from chunkfilter.errors import InputError
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.evaluate.compare import DEFAULT_EMBEDDER, compare
from chunkfilter.evaluate.comparison import Comparison, Row
from chunkfilter.evaluate.halves import halves
from chunkfilter.evaluate.questions import Dataset
from chunkfilter.evaluate.statistics import FEWEST_UNITS, Difference, enough_without_loss
from chunkfilter.splitters import split_documents

#: From safe to bold. The order is fixed beforehand, so testing one after another and stopping at the first
#: that fails needs no correction for having tested several (fixed-sequence procedure). What follows
#: ``coverage`` loses words; guards would take that back, so it goes without them and its name says so.
SEQUENCE = (
    "coverage",
    *(f"similarity@{cosine} guards=none" for cosine in (0.95, 0.9, 0.85, 0.8)),
)


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

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        plain = {name: getattr(self, name) for name in Tuned.__dataclass_fields__}
        return {
            **plain,
            "questions": list(self.questions),
            "too_small": self.too_small or None,
            "tried": [row.as_dict() for row in self.tried],
            "report": self.report.as_dict() if self.report else None,
        }


def tune(
    dataset: Dataset,
    chunker: str,
    *,
    max_recall_loss: float = 0.01,
    target_size: float | None = None,
    embedder: Any = None,
    seed: int = 0,
    show_progress: bool = False,
) -> Tuned:
    """Walk from safe to bold policies on half of the documents; report the last good one on the other half.

    A policy passes if it is non-inferior in recall at the middle budget (with questions) or in evidence
    retention (with sampled sentences).

    Args:
        dataset: at least two documents, with or without questions.
        chunker: a splitter's spec.
        max_recall_loss: the largest loss that counts as none, above 0 and below 1.
        target_size: share of the chunks that may be kept, above 0 and at most 1: the walk stops once it is
            reached. ``None``: as small as the loss allows.
        embedder: ranks the chunks; as in :func:`chunkfilter.compare`.
        seed: of the halves and of the sample.
        show_progress: show a bar on stderr.

    Raises:
        DatasetError: fewer than two documents, or a half without questions.
        InputError: a value out of bounds, or from :func:`chunkfilter.compare`.
    """
    _refuse_goal(max_recall_loss, target_size)
    tuning, reporting = halves(dataset, seed)
    sampled = not dataset.questions
    encoder = cached_embedder(DEFAULT_EMBEDDER if embedder is None else embedder, show_progress=show_progress)
    options: dict[str, Any] = {
        "embedder": encoder,
        "margin": max_recall_loss,
        "tokens": ("word",),
        "show_progress": show_progress,
    }
    chunks = split_documents(tuning.documents, chunker, encoder)
    most = math.inf if target_size is None else target_size * len(chunks)
    tried: list[Row] = []
    for policy in SEQUENCE:
        tried += compare(chunks, tuning.questions, [policy], **options).rows
        if not _passes(tried[-1], sampled) or tried[-1].kept <= most < math.inf:
            break
    passed = [row for row in tried if _passes(row, sampled)]
    chosen, report = passed[-1].policy if passed else None, None
    if chosen is not None:
        others = split_documents(reporting.documents, chunker, encoder)
        report = compare(others, reporting.questions, ["none", chosen], **options)
    return Tuned(
        policy=chosen,
        failed=tried[-1].policy if len(passed) < len(tried) else None,
        reached=target_size is None or (bool(passed) and passed[-1].kept <= most),
        measure="evidence_retention" if sampled else "recall at the middle budget",
        tried=tuple(tried),
        report=report,
        sampled=sampled,
        questions=(len(tuning.questions), len(reporting.questions)),
        needed=fewest_questions(max_recall_loss, sampled),
    )


def fewest_questions(margin: float, sampled: bool) -> int:
    """With how many questions a policy that loses nothing can pass.

    Retention of sampled sentences is a share of losses, whose exact upper bound counts.

    Args:
        margin: the largest loss that counts as none, above 0 and below 1.
        sampled: whether the questions are sampled sentences.
    """
    return max(FEWEST_UNITS, enough_without_loss(margin)) if sampled else FEWEST_UNITS


def deciding_difference(row: Row, sampled: bool) -> Difference:
    """The difference of a row that decides whether it passes."""
    return row.differences["evidence_retention" if sampled else row.delta_measure]


def _passes(row: Row, sampled: bool) -> bool:
    return deciding_difference(row, sampled).verdict == "non-inferior"


def _refuse_goal(max_recall_loss: float, target_size: float | None) -> None:
    if not (_is_number(max_recall_loss) and 0 < max_recall_loss < 1):
        raise InputError(f"max_recall_loss: got {max_recall_loss!r:.80}; expected more than 0, less than 1")
    if target_size is not None and not (_is_number(target_size) and 0 < target_size <= 1):
        raise InputError(f"target_size: got {target_size!r:.80}; expected more than 0, at most 1")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
