"""The study's own values, from a table the user has: the library ships none of them."""

import math
from dataclasses import dataclass
from pathlib import Path

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.reading import Entry, table_rows
from chunkfilter.evaluate.paper.plan import Cut, Method

_PLACE = ("corpus", "chunker", "chunk_size", "chunk_overlap", "method", "threshold")
#: The published values that can be compared with ours.
VALUES = ("reduction_pct", "precision", "recall", "iou")
_ORACLE = "oracle"
_NONE = "-"


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
