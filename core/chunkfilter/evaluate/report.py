"""A comparison as an aligned table, as Markdown and as CSV."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from chunkfilter.evaluate.arguments import counted
from chunkfilter.evaluate.comparison import Comparison, CorpusRow, FamilyTest, Row
from chunkfilter.evaluate.metrics import METRICS
from chunkfilter.evaluate.statistics import Difference, enough_without_loss, upper_share
from chunkfilter.text.inert import inert_cell, inert_line

Cells = list[list[str]]

_RETENTION = "evidence_retention"

#: Heads of the columns of optional measures, which are taken at k.
_HEADS = {metric.name: metric.head for metric in METRICS if metric.head}
#: Columns of the short table.
_SHORT = ("policy", "kept", "cut %", "R", "evidence", "source", "verdict")


def comparison_text(comparison: Comparison, by_corpus: bool = False) -> str:
    """The comparison for people: what was compared, the table, what it means.

    Args:
        comparison: what to show.
        by_corpus: add the rows per corpus.
    """
    parts = [comparison_table(comparison)]
    if by_corpus and comparison.corpora:
        parts.append(aligned(_corpus_cells(comparison)))
    return "\n\n".join([*parts, "\n".join(legend(comparison))])


def comparison_table(comparison: Comparison) -> str:
    """What was compared and the table, for several with one :func:`legend`."""
    return f"{heading(comparison)}\n\n{aligned(_cells(comparison))}"


def short_text(comparison: Comparison) -> str:
    """As :func:`comparison_text` with the columns that decide, which fit into 110 characters."""
    cells = _cells(comparison)
    budget = _budget(comparison)
    decides = f"R@{budget}"
    chosen = [at for at, name in enumerate(cells[0]) if name in _SHORT or name.endswith(decides)]
    table = aligned([[row[at] for at in chosen] for row in cells])
    recall = f"R: the reference's words in the top {comparison.k}; {decides}: in the first {budget} paid."
    return "\n\n".join([heading(comparison), table, "\n".join([recall, *_essentials(comparison)])])


def comparison_markdown(comparison: Comparison, by_corpus: bool = False) -> str:
    """As :func:`comparison_text`, for a Markdown file."""
    parts = [heading(comparison), markdown(_cells(comparison))]
    if by_corpus and comparison.corpora:
        parts.append(markdown(_corpus_cells(comparison)))
    return "\n\n".join([*parts, " ".join(legend(comparison))]) + "\n"


def comparison_csv(comparison: Comparison, by_corpus: bool = False) -> str:
    """Every figure, a line a variant; cells that a spreadsheet would run are neutralised.

    Args:
        comparison: what to write.
        by_corpus: add lines per corpus; their column ``corpus`` is empty in the others.
    """
    lines = [_flat({"corpus": "", **row.as_dict()}) for row in (*comparison.rows, comparison.baseline)]
    if by_corpus:
        lines += [_flat(row.as_dict()) for row in comparison.corpora]
    return csv_text(lines)


def csv_text(lines: Sequence[Mapping[str, Any]]) -> str:
    """Lines under the names of all their columns; cells that a spreadsheet would run are neutralised."""
    names = list(dict.fromkeys(name for line in lines for name in line))
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([inert_cell(name) for name in names])
    writer.writerows([inert_cell(line.get(name)) for name in names] for line in lines)
    return file.getvalue()


def heading(comparison: Comparison) -> str:
    """What was compared, in one line."""
    return (
        f"{counted(comparison.chunks, 'chunk')} ({comparison.blank} blank), "
        f"{counted(comparison.questions, 'question')}, "
        f"top {comparison.k} by {comparison.embedder}"
    )


def legend(comparison: Comparison) -> list[str]:
    """What the columns mean and what the verdicts hold for, in lines."""
    lines = [
        f"P, R, IoU, oracle: word tokens of the top {comparison.k}; R@N: recall of the first N paid tokens;",
        f"5-grams: the reference's runs of five words in the top {comparison.k}.",
    ]
    if _shown(comparison):
        lines += [
            f"Of the top {comparison.k}: doc F1: documents; credited: a kept chunk also counts for those",
            "of what it holds at least half of; sent F1: sentences; hit, MRR: a reference in the chunk;",
            "other readings and depths: --json, --csv.",
        ]
    return lines + _essentials(comparison)


def _essentials(comparison: Comparison) -> list[str]:
    """The part of the legend that is about losses and verdicts."""
    return [
        "evidence, source: questions whose reference sentences are still whole in a kept chunk, in one of",
        f"their own source ({comparison.with_evidence} of {counted(comparison.questions, 'question')} have "
        "one that is whole in a chunk).",
        f"Δ and verdict: R@{_budget(comparison)} minus that of the baseline, the last row: no filter, exact",
        "copies merged at query time; one-sided 97.5 % bounds,",
        f"{comparison.intervals}; margin {comparison.margin:g}.",
        *(line for test in comparison.family for line in _declared(comparison, test)),
        "Everything else is exploratory." if comparison.family else "All verdicts are exploratory.",
    ]


def _declared(comparison: Comparison, test: FamilyTest) -> list[str]:
    """What a declared test says; where no loss was seen and too few were asked to say more, that."""
    asked, margin = comparison.questions, comparison.margin
    row = next(row for row in comparison.rows if row.policy == test.policy)
    said = f"Declared beforehand: {test.policy} on {test.measure}: "
    unseen = test.measure == _RETENTION and not row.differences[_RETENTION].worse
    if unseen and margin > 0 and asked < enough_without_loss(margin):
        return [
            f"{said}none of {counted(asked, 'question')} lost,",
            f"so up to {100 * upper_share(0, asked):.1f} % of others may be (97.5 % bound); a verdict at "
            f"margin {margin:g} takes {enough_without_loss(margin)} questions.",
        ]
    return [f"{said}{test.verdict} (p {test.p_value:.4f}, Holm {test.adjusted:.4f})."]


def aligned(cells: Cells) -> str:
    """Columns of equal width, the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def markdown(cells: Cells) -> str:
    """A table in Markdown; the first row is its head."""
    escaped = [[inert_line(cell).replace("|", "\\|") for cell in row] for row in cells]
    rule = ["---", *("---:" for _ in cells[0][1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (escaped[0], rule, *escaped[1:]))


def _cells(comparison: Comparison) -> Cells:
    columns = _columns(comparison)
    rows = (*comparison.rows, comparison.baseline)
    return [[name for name, _ in columns], *([show(row) for _, show in columns] for row in rows)]


def _columns(comparison: Comparison) -> Sequence[tuple[str, Callable[[Row], str]]]:
    k, budget = comparison.k, _budget(comparison)

    def at(number: int) -> tuple[str, Callable[[Row], str]]:
        return f"R@{number}", lambda row: _rate(row.budget_recall[number])

    def optional(name: str) -> tuple[str, Callable[[Row], str]]:
        return _HEADS[name], lambda row: _rate(row.rates[f"{name}@{k}"])

    return (
        ("policy", lambda row: row.policy),
        ("kept", lambda row: str(row.kept)),
        ("cut %", lambda row: f"{row.reduction:.1f}"),
        (f"P top {k}", lambda row: _rate(row.precision)),
        ("R", lambda row: _rate(row.recall)),
        ("IoU", lambda row: _rate(row.iou)),
        ("oracle", lambda row: _rate(row.oracle_recall)),
        *map(at, comparison.baseline.budget_recall),
        ("evidence", lambda row: _rate(row.evidence_retention)),
        ("source", lambda row: _rate(row.source_retention)),
        ("5-grams", lambda row: _rate(row.evidence_recall)),
        *map(optional, _shown(comparison)),
        (f"Δ R@{budget}", lambda row: _difference(row.differences[row.delta_measure], row.kind)),
        ("verdict", lambda row: _verdict(comparison, row)),
    )


def _verdict(comparison: Comparison, row: Row) -> str:
    """Nothing is said of the baseline, nor a verdict passed on what removed nothing."""
    if row.kind == "baseline":
        return ""
    return "removes nothing" if row.kept == comparison.chunks else row.verdict


def _shown(comparison: Comparison) -> list[str]:
    """The optional measures that have a column."""
    return [name for name in _HEADS if f"{name}@{comparison.k}" in comparison.baseline.rates]


def _corpus_cells(comparison: Comparison) -> Cells:
    measure, budget = comparison.baseline.delta_measure, _budget(comparison)
    columns: Sequence[tuple[str, Callable[[CorpusRow], str]]] = (
        ("policy", lambda row: row.policy),
        ("corpus", lambda row: row.corpus),
        ("questions", lambda row: str(row.questions)),
        ("chunks", lambda row: str(row.chunks)),
        ("kept", lambda row: str(row.kept)),
        ("R", lambda row: _rate(row.rates["recall"])),
        (f"R@{budget}", lambda row: _rate(row.rates[measure])),
        ("evidence", lambda row: _rate(row.rates["evidence_retention"])),
        ("source", lambda row: _rate(row.rates["source_retention"])),
        ("5-grams", lambda row: _rate(row.rates["evidence_recall"])),
        (f"Δ R@{budget}", lambda row: _difference(row.differences[measure], "policy")),
        ("verdict", lambda row: row.differences[measure].verdict),
    )
    return [
        [name for name, _ in columns],
        *([show(row) for _, show in columns] for row in comparison.corpora),
    ]


def _budget(comparison: Comparison) -> str:
    return comparison.baseline.delta_measure.rpartition("@")[2]


def _rate(value: float) -> str:
    return f"{value:.3f}"


def _difference(one: Difference, kind: str) -> str:
    return "" if kind == "baseline" else f"{one.mean:+.3f} [{one.low:+.3f}, {one.high:+.3f}]"


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested objects as columns: ``differences.recall.low``."""
    line: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            line |= _flat(value, f"{prefix}{name}.")
        else:
            line[prefix + name] = value
    return line
