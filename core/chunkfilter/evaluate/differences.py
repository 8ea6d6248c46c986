"""Paired differences between arms, with intervals from one set of resamples for all of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from chunkfilter.evaluate.comparison import Difference
from chunkfilter.evaluate.measures import Measures
from chunkfilter.evaluate.statistics.binomial import at_most, upper_share
from chunkfilter.evaluate.statistics.bootstrap import (
    Interval,
    Reals,
    percentile_interval,
    resampled_means,
)
from chunkfilter.evaluate.statistics.sign_flip import sign_flip
from chunkfilter.evaluate.statistics.verdict import FEWEST_UNITS, verdict
from chunkfilter.evaluate.wording import counted
from chunkfilter.text.ragged import IntArray

#: Fewest documents that an interval is resampled over; with fewer it is resampled over questions and holds
#: for these documents only.
FEWEST_DOCUMENTS = 20

#: Differences this small come from rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What differences are taken over.

    Args:
        questions: rows of the measures, shape (q,).
        documents: the document of each of them, shape (q,), -1 if unknown.
        margin: largest loss that verdicts accept.
        seed: of the resamples.
    """

    questions: IntArray
    documents: IntArray
    margin: float
    seed: int

    @property
    def clusters(self) -> IntArray | None:
        """The documents numbered from 0, ``None`` where they are too few or not all known."""
        known, numbers = np.unique(self.documents, return_inverse=True)
        return numbers if len(known) >= FEWEST_DOCUMENTS and known[0] >= 0 else None

    @property
    def units(self) -> int:
        """Number of questions or documents that are resampled."""
        return len(self.questions) if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def description(self) -> str:
        """What intervals are resampled over and hold for, for people."""
        few = f"; fewer than {FEWEST_UNITS}, so no verdict" if self.units < FEWEST_UNITS else ""
        return self._over + few

    @property
    def _over(self) -> str:
        count = len(np.unique(self.documents))
        if self.clusters is not None:
            return f"bootstrap over {counted(count, 'document')} that questions ask about"
        over = f"bootstrap over {counted(len(self.questions), 'question')}"
        if (self.documents < 0).any():
            return f"{over}; their documents are not known"
        return f"{over}, conditional on the {counted(count, 'document')} they ask about"


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """One measure of two arms.

    Args:
        draws: the values of one arm, one array of shape (q,) a draw.
        other: the values of the arm it is compared with, shape (q,).
    """

    draws: tuple[Reals, ...]
    other: Reals

    @property
    def differences(self) -> Reals:
        """Shape (q, draws)."""
        exact = np.stack(self.draws, axis=1) - self.other[:, None]
        return np.where(np.abs(exact) < _ROUNDING, 0.0, exact)


def pairs_of(draws: Sequence[Measures], other: Measures, names: Sequence[str]) -> dict[str, Pair]:
    """The measures of two arms side by side."""
    return {name: Pair(tuple(draw[name] for draw in draws), other[name]) for name in names}


def resample(pairs: Sequence[Pair], sample: Sample) -> Reals:
    """Means of each pair's difference over resampled questions or documents, and over resampled draws.

    Returns:
        Shape (resamples, len(pairs)).
    """
    if not pairs:
        return np.empty((0, 0))
    columns = np.concatenate([pair.differences[sample.questions] for pair in pairs], axis=1)
    means = resampled_means(columns, sample.clusters, sample.seed)
    generator = np.random.default_rng((sample.seed, 1))
    parts, first = [], 0
    for pair in pairs:
        block = means[:, first : first + len(pair.draws)]
        first += len(pair.draws)
        if len(pair.draws) > 1:
            drawn = generator.integers(0, len(pair.draws), block.shape)
            block = np.take_along_axis(block, drawn, axis=1)
        parts.append(block.mean(axis=1))
    return np.stack(parts, axis=1)


def describe(pair: Pair, resampled: Reals, sample: Sample, rate_of_losses: bool = False) -> Difference:
    """The difference of one pair.

    Args:
        pair: the two arms.
        resampled: its column of :func:`resample`.
        sample: as there.
        rate_of_losses: the measure is 1 or 0 and can only fall; the exact bound of the share of losses then
            widens an interval that would say nothing can be lost because nothing was.
    """
    differences = pair.differences[sample.questions].mean(axis=1)
    interval = percentile_interval(resampled, sample.units)
    worse = int(np.count_nonzero(differences < 0))
    p_margin = float((1 + np.count_nonzero(resampled <= -sample.margin)) / (1 + len(resampled)))
    if rate_of_losses:
        interval = Interval(min(interval.low, -upper_share(worse, len(differences))), interval.high)
        p_margin = max(p_margin, at_most(worse, len(differences), sample.margin))
    better = int(np.count_nonzero(differences > 0))
    return Difference(
        mean=float(differences.mean()),
        low=interval.low,
        high=interval.high,
        verdict=verdict(interval, sample.margin, sample.units),
        better=better,
        worse=worse,
        equal=len(differences) - better - worse,
        smallest_margin=max(0.0, -interval.low),
        p_margin=p_margin,
        p_changed=sign_flip(differences) if len(pair.draws) == 1 else None,
    )


def macro(pairs: Sequence[Pair], samples: Sequence[Sample], resampled: Sequence[Reals]) -> list[Difference]:
    """The mean over corpora, each counting the same: the resampled means of each corpus, averaged.

    Args:
        pairs: the pairs.
        samples: one a corpus.
        resampled: :func:`resample` of each corpus.
    """
    whole = Sample(
        np.concatenate([sample.questions for sample in samples]),
        np.concatenate([sample.documents for sample in samples]),
        samples[0].margin,
        samples[0].seed,
    )
    averaged = np.mean(resampled, axis=0)
    found = []
    for column, pair in enumerate(pairs):
        mean = float(np.mean([pair.differences[sample.questions].mean() for sample in samples]))
        found.append(replace(describe(pair, averaged[:, column], whole), mean=mean, p_changed=None))
    return found
