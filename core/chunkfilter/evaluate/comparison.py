"""What ``compare`` returns: rows of a table, each with its intervals."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chunkfilter.evaluate.row import Difference, Row, plain_differences, plain_rates
from chunkfilter.evaluate.statistics.verdict import Verdict

__all__ = ["MACRO", "Comparison", "CorpusRow", "Difference", "FamilyTest", "Row"]


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """One arm on the questions of one corpus, or the mean over the corpora, each counting the same.

    Args:
        corpus: its name, or ``MACRO``.
        policy: as in :class:`Row`.
        questions: number of questions.
        chunks: chunks of the corpus.
        kept: chunks kept.
        rates: mean of each measure.
        differences: to the reference, by measure.
    """

    corpus: str
    policy: str
    questions: int
    chunks: int
    kept: int
    rates: Mapping[str, float]
    differences: Mapping[str, Difference]

    def as_dict(self) -> dict[str, Any]:
        """The row as plain JSON types."""
        return {
            "corpus": self.corpus,
            "policy": self.policy,
            "questions": self.questions,
            "chunks": self.chunks,
            "kept": self.kept,
            **plain_rates(self.rates),
            "differences": plain_differences(self.differences),
        }


MACRO = "macro mean"


@dataclass(frozen=True, slots=True)
class FamilyTest:
    """One test of the declared family: the default policy on a primary measure.

    Args:
        policy: the policy.
        measure: the measure.
        p_value: of "the loss is at least the margin".
        adjusted: the same after Holm's correction over the family.
        verdict: as the interval says, but ``non-inferior`` only if the adjusted value is at most 0.025.
    """

    policy: str
    measure: str
    p_value: float
    adjusted: float
    verdict: Verdict

    def as_dict(self) -> dict[str, Any]:
        """The test as plain JSON types."""
        return {name: getattr(self, name) for name in FamilyTest.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Policies side by side on the same chunks and questions.

    Args:
        chunks: number of chunks.
        blank: chunks without visible text among them.
        questions: number of questions.
        rows: one a policy, in the order given, each followed by what was put beside it.
        reference: the row that differences compare with.
        corpora: rows per corpus and their macro mean; empty where there is one corpus.
        family: the tests that were declared before looking; everything else is exploratory.
        whole: questions with at least one reference sentence that stands whole in some chunk: what survival
            is about.
        k: chunks retrieved.
        margin: largest loss that verdicts accept.
        intervals: what the intervals were resampled over, and what they hold for.
        embedder: the model.
    """

    chunks: int
    blank: int
    questions: int
    rows: tuple[Row, ...]
    reference: Row
    corpora: tuple[CorpusRow, ...] = ()
    family: tuple[FamilyTest, ...] = ()
    whole: int = 0
    k: int = 5
    margin: float = 0.01
    intervals: str = ""
    embedder: str = ""

    def __str__(self) -> str:
        """The table that the command line prints."""
        from chunkfilter.evaluate.report import comparison_text  # the report is about this class

        return comparison_text(self)

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain JSON types; ``rows`` as the command line prints them."""
        return {
            "chunks": self.chunks,
            "blank": self.blank,
            "questions": self.questions,
            "rows": [row.as_dict() for row in self.rows],
            "reference": self.reference.as_dict(),
            "corpora": [row.as_dict() for row in self.corpora],
            "family": [test.as_dict() for test in self.family],
            "whole": self.whole,
            "k": self.k,
            "margin": self.margin,
            "intervals": self.intervals,
            "embedder": self.embedder,
        }
