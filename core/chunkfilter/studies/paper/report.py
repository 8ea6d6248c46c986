"""The tables and figures as CSV, and as text for people, beside the study's values.

The library ships none of the study's values: they come from a table that the user has.
"""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.reading import Entry
from chunkfilter.evaluate.report import aligned
from chunkfilter.studies.datasets.parts import table_rows
from chunkfilter.studies.paper.plan import CUTS, Cut, Method
from chunkfilter.studies.paper.tables import Line
from chunkfilter.text.inert import inert_cell

_PLACE = ("corpus", "chunker", "chunk_size", "chunk_overlap", "method", "threshold")
#: The published values that can be compared with ours.
VALUES = ("reduction_pct", "precision", "recall", "iou")
_ORACLE = "oracle"
_NONE = "-"

#: Differences up to these count as agreement: reductions in points or relatively, measures.
POINTS, RELATIVE, MEASURE = 0.3, 0.01, 0.0055

_MEASURES = ("precision", "recall", "iou", "oracle_recall", "oracle_precision")


@dataclass(frozen=True, slots=True)
class Published:
    """Values by place.

    Args:
        rows: (corpus, chunker, size, overlap, method in lower case, threshold) -> value by column.
    """

    rows: dict[tuple[str, ...], dict[str, float]]

    def of(self, corpus: str, cut: Cut, method: Method) -> dict[str, float]:
        """The values of a row by column, empty if the study has none such."""
        place = (corpus, cut.chunker, str(cut.size), str(cut.overlap), method.name.lower(), method.threshold)
        return self.rows.get(place, {})


def read_published(path: Path) -> Published:
    """Read a CSV with the columns table, corpus, chunker, chunk_size, chunk_overlap, method, threshold,
    reduction_pct, precision, recall, iou, oracle. A value may be ``-`` or ``NaN`` for none.

    Raises:
        DatasetError: a column is missing, or a value is no number; file, line and value are named.
    """
    columns = (*VALUES, _ORACLE)
    rows = {}
    for entry in table_rows(path, (*_PLACE, *columns)):
        *place, method, threshold = (entry.text(column) for column in _PLACE)
        values = {column: _number(entry, column) for column in columns if entry.text(column) != _NONE}
        known = {column: value for column, value in values.items() if math.isfinite(value)}
        rows[(*place, method.lower(), threshold)] = known
    return Published(rows)


def _number(entry: Entry, column: str) -> float:
    try:
        return float(entry.text(column))
    except ValueError:
        raise DatasetError(
            f"{entry.place}: {column!r} is {entry.text(column)!r:.80}; expected a number"
        ) from None


def values_of(line: Line, published: Published | None) -> dict[str, Any]:
    """A line's columns: where it stands, what was measured, what was published, whether they agree.

    ``agrees`` is ``all``, ``reduction``, ``measures`` or ``none``; empty where nothing was published for that
    very corpus. A reduction agrees within 0.3 points or 1 % of itself, the measures (P, R, IoU) within .005
    beyond rounding. ``recall_difference`` is that of recall at 5 to no filter at all, with its one-sided
    97.5 % bounds.
    """
    row, cut, study = line.row, line.cut, line.corpus.study
    table = "" if study.tables is None or line.swept else study.tables + CUTS.index(cut) + 1
    difference = row.get("differences_to_no_filter", {}).get("recall", {})
    theirs = published.of(study.published, cut, line.method) if published else {}
    values: dict[str, Any] = {
        "table": table,
        "corpus": line.corpus.name,
        "chunker": cut.chunker,
        "chunk_size": cut.size,
        "chunk_overlap": cut.overlap,
        "method": line.method.name,
        "threshold": line.method.threshold,
        "policy": row.get("policy", line.method.policy),
        "chunks": row.get("chunks"),
        "kept": row.get("kept"),
        "reduction_pct": row.get("reduction"),
        **{name: row.get(name) for name in _MEASURES},
        "recall_difference": difference.get("mean"),
        "recall_difference_low": difference.get("low"),
        "recall_difference_high": difference.get("high"),
        "evidence_retention": row.get("evidence_retention"),
        "filter_seconds": row.get("filter_seconds"),
        "published_corpus": study.published if theirs else "",
        **{f"published_{name}": theirs.get(name) for name in (*VALUES, "oracle")},
    }
    same_corpus = study.tables is not None and theirs and row
    return {**values, "agrees": _agreement(values) if same_corpus else "", "note": line.note}


def _agreement(values: dict[str, Any]) -> str:
    """Values that were not published disagree with nothing."""
    theirs = {name: values[f"published_{name}"] for name in VALUES}
    off = {name: 0.0 if value is None else abs(values[name] - value) for name, value in theirs.items()}
    reduction = off.pop("reduction_pct") <= max(POINTS, RELATIVE * (theirs["reduction_pct"] or 0.0))
    measures = max(off.values()) <= MEASURE
    return {
        (True, True): "all",
        (True, False): "reduction",
        (False, True): "measures",
        (False, False): "none",
    }[reduction, measures]


def tables_csv(lines: Iterable[Line], published: Published | None) -> str:
    """The rows of the tables."""
    return _csv([values_of(line, published) for line in lines if not line.swept])


def figures_csv(lines: Iterable[Line]) -> str:
    """The points of the figures: share of chunks kept against retrieval, per splitter and filter."""
    points = []
    for line in lines:
        if line.row and line.method.name != "Random":
            values = values_of(line, None)
            kept = 1 - values["reduction_pct"] / 100
            names = ("corpus", "chunker", "chunk_size", "chunk_overlap", "method", "threshold", "policy")
            points.append(
                {
                    **{name: values[name] for name in names},
                    "kept_share": kept,
                    **{name: values[name] for name in (*_MEASURES, "evidence_retention")},
                }
            )
    return _csv(points)


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(rows[0] if rows else [])
    writer.writerows([inert_cell(_rounded(value)) for value in row.values()] for row in rows)
    return file.getvalue()


def _rounded(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def tables_text(lines: Sequence[Line], published: Published | None) -> str:
    """The tables of one splitter for people."""
    head = [
        "method",
        "t",
        *(f"{name}{side}" for name in ("cut %", "P", "R", "IoU") for side in ("", " publ.")),
    ]
    cells = [[*head, "oracle R", "oracle P", "oracle publ.", "agrees"]]
    for values in (values_of(line, published) for line in lines if not line.swept):
        pairs = [values[f"{side}{name}"] for name in VALUES for side in ("", "published_")]
        oracles = [values["oracle_recall"], values["oracle_precision"], values["published_oracle"]]
        decimals = [2, 2, *[3] * (len(pairs) - 2 + len(oracles))]
        numbers = [_shown(value, places) for value, places in zip([*pairs, *oracles], decimals, strict=True)]
        cells.append([values["method"], values["threshold"], *numbers, values["agrees"] or values["note"]])
    return aligned(cells)


def _shown(value: float | None, places: int) -> str:
    return "" if value is None else f"{value:.{places}f}"
