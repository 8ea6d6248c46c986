"""A grid as an aligned table, as Markdown and as CSV."""

from collections.abc import Callable
from typing import Any

from chunkfilter.evaluate.arguments import counted
from chunkfilter.evaluate.report import Cells, aligned, csv_text, markdown
from chunkfilter.evaluate.statistics import Difference
from chunkfilter.studies.grid.outcome import Grid, GridRow

#: The depth whose F1 has a column of its own, as in the study.
_SHOWN = 5


def grid_text(grid: Grid) -> str:
    """The grid for people: what was compared, the table, what it means."""
    return "\n\n".join([_heading(grid), aligned(_cells(grid)), "\n".join(_legend(grid))])


def grid_markdown(grid: Grid) -> str:
    """The grid as Markdown."""
    return "\n\n".join([_heading(grid), markdown(_cells(grid)), " ".join(_legend(grid))]) + "\n"


def grid_csv(grid: Grid) -> str:
    """Every figure, a line a row; cells that a spreadsheet would run are neutralised."""
    return csv_text([_flat(row) for row in grid.rows])


def _heading(grid: Grid) -> str:
    left_out = f" ({grid.left_out} left out: documents in both folds)" if grid.left_out else ""
    documents, questions = counted(grid.documents, "document"), counted(grid.questions, "question")
    return (
        f"{grid.data}: {documents}, {questions}{left_out}; "
        f"F1 of {_WHAT[grid.measure]}, settings chosen on one half of the documents, reported on the other"
    )


_WHAT = {"evidence": "retrieved evidence sentences", "document": "retrieved documents"}


def _cells(grid: Grid) -> Cells:
    columns = _columns(grid)
    return [[name for name, _ in columns], *([show(row) for _, show in columns] for row in grid.rows)]


def _columns(grid: Grid) -> list[tuple[str, Callable[[GridRow], str]]]:
    shown = _SHOWN if _SHOWN in grid.depths else grid.depths[0]
    columns: list[tuple[str, Callable[[GridRow], str]]] = [
        ("splitter", lambda row: row.setting),
        ("policy", lambda row: row.policy),
        ("chunks", lambda row: str(row.chunks)),
        ("kept", lambda row: str(row.kept)),
        (f"F1@{shown}", lambda row: f"{row.rates[f'{grid.measure}_f1@{shown}']:.3f}"),
        ("mean F1", lambda row: f"{row.mean_f1:.3f}"),
        (f"Δ to {grid.rows[0].splitter}", lambda row: _difference(row.to_first)),
        (f"Δ to {grid.rows[0].policy}", lambda row: _difference(row.to_unfiltered)),
        ("Δ to merged", lambda row: _difference(row.to_merged)),
        ("split s", lambda row: f"{row.cost.splitting:.1f}"),
        ("its vectors s", lambda row: f"{row.cost.for_splitting:.1f}"),
        ("index s", lambda row: f"{row.cost.for_index:.1f}"),
        ("filter s", lambda row: f"{row.cost.filtering:.1f}"),
        ("all s", lambda row: f"{row.cost.seconds:.1f}"),
    ]
    if len({row.embedder for row in grid.rows}) > 1:
        columns.insert(1, ("embedder", lambda row: row.embedder))
    return columns


def _legend(grid: Grid) -> list[str]:
    depths = ", ".join(map(str, grid.depths))
    return [
        f"mean F1: over the top {depths}; Δ: of mean F1, one-sided 97.5 % bounds,",
        f"{grid.intervals}.",
        "Δ to merged: to the same settings without a filter, copies merged at query time; F1 counts what is",
        "found once, so copies in the top k raise it and a filter that drops them seems to lose.",
        "A / B: the halves chose two settings. split: finding sentences and borders; its vectors: embedding",
        "the texts that the splitter compares; index: embedding the kept chunks; both by what a few texts of",
        "two lengths took, whatever a cache held. Everything is exploratory.",
    ]


def _difference(one: Difference | None) -> str:
    return "" if one is None else f"{one.mean:+.3f} [{one.low:+.3f}, {one.high:+.3f}]"


def _flat(row: GridRow) -> dict[str, Any]:
    line: dict[str, Any] = {}
    for name, value in row.as_dict().items():
        if isinstance(value, dict):
            line |= {f"{name}.{inner}": one for inner, one in value.items()}
        else:
            line[name] = " / ".join(value) if isinstance(value, list) else value
    return line
