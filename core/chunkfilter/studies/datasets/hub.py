"""SQuAD-like data sets through the hub's own library: ``hub:NAME:SPLIT``, ``hub:NAME:CONFIG:SPLIT``."""

from collections.abc import Iterable, Mapping
from typing import Any

from chunkfilter.errors import DatasetError, MissingExtraError
from chunkfilter.evaluate.datasets.format import Options
from chunkfilter.evaluate.datasets.reading import Entry
from chunkfilter.evaluate.datasets.squad import squad_dataset
from chunkfilter.evaluate.questions import Dataset

_FORM = "hub:NAME:SPLIT or hub:NAME:CONFIG:SPLIT, for example hub:rajpurkar/squad:validation"
_COLUMNS = ("id", "context", "question", "answers")


def read_hub(spec: str, options: Options) -> Dataset:
    """A data set of the hub, downloaded by its library if need be, or a folder that the library can read.

    Args:
        spec: ``hub:NAME:SPLIT`` or ``hub:NAME:CONFIG:SPLIT``.
        options: as for every format.

    Raises:
        MissingExtraError: the library ``datasets`` is not installed.
        DatasetError: the spec is not of that form, there is no such data set, or it has other columns.
    """
    fields = spec.removeprefix("hub:").split(":")
    if len(fields) not in (2, 3) or not all(fields):
        raise DatasetError(f"data set {spec!r}: expected {_FORM}")
    try:
        import datasets  # pyright: ignore[reportMissingImports]  # optional, and not among the pinned ones
    except ImportError as error:
        raise MissingExtraError("datasets", "datasets", f"the data set {spec!r}") from error
    name, *config, split = fields
    try:
        rows = datasets.load_dataset(name, *config, split=split)
    except (OSError, ValueError) as error:  # what the library raises for unknown names, configs and splits
        raise DatasetError(f"data set {spec!r}: {error}") from error
    missing = [column for column in _COLUMNS if column not in rows.column_names]
    if missing:
        raise DatasetError(
            f"data set {spec!r}: the columns are {', '.join(rows.column_names)}; "
            f"expected those of SQuAD: {', '.join(_COLUMNS)}"
        )
    return squad_dataset(name.rpartition("/")[2], _articles(spec, rows), options)


def _articles(spec: str, rows: Iterable[Mapping[str, Any]]) -> list[Entry]:
    """Rows grouped into articles by ``title`` and paragraphs by ``context``, in the order of the rows."""
    articles: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in rows:
        answers = row["answers"]
        listed = [
            {"text": text, "answer_start": start}
            for text, start in zip(answers["text"], answers["answer_start"], strict=True)
        ]
        paragraphs = articles.setdefault(str(row.get("title", spec)), {})
        question = {"id": row["id"], "question": row["question"], "answers": listed}
        paragraphs.setdefault(row["context"], []).append(question)
    return [
        Entry(
            f"{spec}, {title!r}",
            {
                "title": title,
                "paragraphs": [{"context": text, "qas": qas} for text, qas in paragraphs.items()],
            },
        )
        for title, paragraphs in articles.items()
    ]
