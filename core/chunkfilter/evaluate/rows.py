"""From the table of scores to rows: differences, rows per corpus, and the declared family of tests."""

from collections.abc import Sequence

import numpy as np

from chunkfilter.evaluate.collection import Collection
from chunkfilter.evaluate.comparison import MACRO, CorpusRow, FamilyTest, Row
from chunkfilter.evaluate.metrics import LOSSES, deciding_measure, tested_measures
from chunkfilter.evaluate.sample import Corpora, Sample, macro_differences
from chunkfilter.evaluate.scores import Scores
from chunkfilter.evaluate.statistics import ONE_SIDED, Difference, Verdict, holm
from chunkfilter.evaluate.variants import BASELINE

#: The policy whose tests on the primary measures were declared before looking.
DECLARED_POLICY = "coverage"

_BYTES_A_NUMBER = 4

Differences = dict[str, Difference]


def make_rows(data: Collection, scores: Scores, sample: Sample) -> list[Row]:
    """A row a variant, the baseline's last.

    Args:
        data: what everything was measured on.
        scores: the table.
        sample: what differences are taken over.
    """
    names = tested_measures(data.settings)
    shown = range(len(scores.variants) - 1)  # without the last, no filter
    pairs = [
        pair
        for variant in shown
        for side in (scores.to_baseline, scores.to_unfiltered)
        for pair in side(variant, names)
    ]
    losses = [name in LOSSES for name in names] * (2 * len(shown))
    found = iter(sample.differences(pairs, losses))
    rows = []
    for variant in shown:
        to_baseline, to_unfiltered = ({name: next(found) for name in names} for _ in range(2))
        rows.append(_row(data, scores, variant, to_baseline, to_unfiltered))
    return rows


def _row(
    data: Collection, scores: Scores, number: int, to_baseline: Differences, to_unfiltered: Differences
) -> Row:
    variant = scores.variants[number]
    kept = float(np.mean([mask.sum() for mask in variant.draws]))
    recalls = scores.of(number, "recall").mean(axis=1)
    return Row(
        policy=variant.name,
        kind=variant.kind,
        kept=round(kept),
        kept_characters=round(float(np.mean([data.characters[mask].sum() for mask in variant.draws]))),
        reduction=100 * (1 - kept / len(data.chunks)),
        rates=scores.rates(number),
        differences=to_baseline,
        differences_to_no_filter=to_unfiltered,
        delta_measure=deciding_measure(data.settings),
        baseline=BASELINE,
        index_bytes=round(kept * data.vectors.shape[1] * _BYTES_A_NUMBER),
        tokens_to_embed=round(float(np.mean([data.token_counts[mask].sum() for mask in variant.draws]))),
        filter_seconds=variant.seconds,
        draws=len(variant.draws),
        seed_deviation=float(np.std(recalls, ddof=1)) if len(recalls) > 1 else None,
        warnings=variant.warnings,
    )


def family_tests(data: Collection, rows: Sequence[Row]) -> tuple[FamilyTest, ...]:
    """The declared family: the default policy, where it is among the rows, on the two primary measures."""
    primary = (deciding_measure(data.settings), "evidence_retention")
    tests = [
        (name, row.differences[name]) for row in rows if row.policy == DECLARED_POLICY for name in primary
    ]
    adjusted = holm([one.p_margin for _, one in tests])
    return tuple(
        FamilyTest(DECLARED_POLICY, name, one.p_margin, value, _verdict(one, value))
        for (name, one), value in zip(tests, adjusted, strict=True)
    )


def _verdict(difference: Difference, adjusted: float) -> Verdict:
    """The verdict that the whole family's error allows."""
    if difference.verdict == "non-inferior" and adjusted > 1 - ONE_SIDED:
        return "inconclusive"
    return difference.verdict


def corpus_rows(
    data: Collection, scores: Scores, corpora: Corpora, margin: float, seed: int
) -> tuple[CorpusRow, ...]:
    """For each variant a row per corpus with questions, and their macro mean; none for one corpus."""
    present = corpora.present
    if len(present) < 2:
        return ()
    names = tested_measures(data.settings)
    shown = range(len(scores.variants) - 2)  # without the baseline and no filter
    pairs = [pair for variant in shown for pair in scores.to_baseline(variant, names)]
    losses = [name in LOSSES for name in names] * len(shown)
    samples = [corpora.part(number, margin, seed) for number in present]
    resampled = [sample.resampled(pairs) for sample in samples]
    columns = [
        sample.differences(pairs, losses, means) for sample, means in zip(samples, resampled, strict=True)
    ]
    together = macro_differences(pairs, samples, resampled)
    rows: list[CorpusRow] = []
    for variant in shown:
        here = slice(variant * len(names), (variant + 1) * len(names))
        parts = [
            _corpus_row(scores, variant, corpora, number, sample, dict(zip(names, found[here], strict=True)))
            for number, sample, found in zip(present, samples, columns, strict=True)
        ]
        rows += [*parts, _macro_row(parts, dict(zip(names, together[here], strict=True)))]
    return tuple(rows)


def _corpus_row(
    scores: Scores, number: int, corpora: Corpora, corpus: int, sample: Sample, differences: Differences
) -> CorpusRow:
    here = corpora.of_chunks == corpus
    variant = scores.variants[number]
    return CorpusRow(
        corpus=corpora.names[corpus],
        policy=variant.name,
        questions=len(sample.questions),
        chunks=int(here.sum()),
        kept=round(float(np.mean([(mask & here).sum() for mask in variant.draws]))),
        rates=scores.rates(number, sample.questions),
        differences=differences,
    )


def _macro_row(parts: Sequence[CorpusRow], differences: Differences) -> CorpusRow:
    return CorpusRow(
        corpus=MACRO,
        policy=parts[0].policy,
        questions=sum(row.questions for row in parts),
        chunks=sum(row.chunks for row in parts),
        kept=sum(row.kept for row in parts),
        rates={name: float(np.mean([row.rates[name] for row in parts])) for name in parts[0].rates},
        differences=differences,
    )
