"""The chunks that a command works on: JSON lines of chunks, or texts and a splitter."""

import argparse
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunkfilter.chunk import Chunk, Span
from chunkfilter.cli.output import warn_of_problems
from chunkfilter.errors import DatasetError, InputError
from chunkfilter.evaluate.datasets import load_dataset
from chunkfilter.evaluate.datasets.reading import Entry, json_lines
from chunkfilter.signals.embedders import Embedder, load_embedder
from chunkfilter.splitters import split_documents
from chunkfilter.storage import replacing


@dataclass(frozen=True, slots=True)
class Input:
    """What a command works on.

    Args:
        chunks: n chunks.
        records: what is written for each of them: the line as it was read, or the chunk's fields.
        existing: chunks stored earlier.
        embedder: ``None`` if none was named.
        entities: name of the model that finds entities, ``None`` if none was named.
    """

    chunks: list[Chunk]
    records: list[dict[str, Any]]
    existing: list[Chunk]
    embedder: Embedder | None
    entities: str | None


def add_chunk_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    """The arguments from which :func:`read_input` reads.

    Args:
        parser: the command's parser.
        name: how the positional argument is called, ``IN`` or ``TEXTS``.
    """
    parser.add_argument(
        "texts",
        metavar=name,
        type=Path,
        help="JSON lines of chunks {id, text, metadata, source}; with --chunker, documents: a folder of "
        "texts, one text, a data set",
    )
    parser.add_argument("--chunker", metavar="SPEC", help="cut documents, for example recursive:400:0")
    parser.add_argument(
        "--existing", metavar="FILE", type=Path, help="JSON lines of chunks stored earlier, which always stay"
    )
    parser.add_argument(
        "--embedder",
        metavar="NAME",
        help="model for policies that need vectors",
    )
    parser.add_argument("--entities", metavar="NAME", help="spaCy model for policies that need entities")
    parser.add_argument(
        "--passage-prefix",
        metavar="TEXT",
        default="",
        help="put before each text, if the model asks for it",
    )


def read_input(arguments: argparse.Namespace) -> Input:
    """Read the chunks, those stored earlier, and load the embedder.

    Raises:
        DatasetError: a file cannot be read; file, line and value are named.
        InputError, SplitterError, MissingSignalError, MissingExtraError: from the embedder and the splitter.
    """
    embedder = (
        load_embedder(arguments.embedder, passage_prefix=arguments.passage_prefix)
        if arguments.embedder
        else None
    )
    existing = [chunk for _, chunk in _read_chunks(arguments.existing)] if arguments.existing else []
    if arguments.chunker is None:
        pairs = _read_chunks(arguments.texts)
    else:
        pairs = [
            (_record(chunk), chunk)
            for chunk in split_documents(_documents(arguments.texts), arguments.chunker, embedder)
        ]
    return Input(
        [chunk for _, chunk in pairs],
        [record for record, _ in pairs],
        existing,
        embedder,
        arguments.entities,
    )


def write_records(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write JSON lines; the file is replaced whole or not at all."""
    with replacing(path) as file:
        for record in records:
            file.write(_line(record) + "\n")


def _line(record: dict[str, Any]) -> str:
    line = json.dumps(record, ensure_ascii=False)
    return line if line.isprintable() else json.dumps(record)  # a lone surrogate can only be written escaped


def _documents(path: Path) -> dict[str, str]:
    dataset = load_dataset(path)
    warn_of_problems(str(path), dataset.problems)
    return dict(dataset.documents)


def _record(chunk: Chunk) -> dict[str, Any]:
    spans = [list(span) for span in chunk.spans]
    place = ",".join(f"{start}-{end}" for start, end in spans)
    return {"id": f"{chunk.source}:{place}", "text": chunk.text, "source": chunk.source, "spans": spans}


def _read_chunks(path: Path) -> list[tuple[dict[str, Any], Chunk]]:
    if path.is_dir():
        raise DatasetError(f"{path}: a folder; expected JSON lines of chunks, or --chunker to cut its texts")
    return [(dict(entry.values), _chunk(entry)) for entry in json_lines(path)]


def _chunk(entry: Entry) -> Chunk:
    """A chunk from a line; fields that are none of a chunk's own count as metadata."""
    values = dict(entry.values)
    text, identifier, source = entry.text("text"), values.get("id"), values.get("source")
    metadata = values.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        raise DatasetError(f"{entry.place}: 'metadata' is {metadata!r:.80}; expected an object")
    for key in ("text", "id", "source", "spans", "metadata"):
        values.pop(key, None)
    try:
        return Chunk(
            text,
            None if identifier is None else str(identifier),
            {**values, **(metadata or {})},
            None if source is None else str(source),
            _spans(entry),
        )
    except InputError as error:
        raise DatasetError(f"{entry.place}: {error}") from error


def _spans(entry: Entry) -> tuple[Span, ...]:
    spans = entry.values.get("spans", [])
    pairs = isinstance(spans, list) and all(
        isinstance(span, list) and len(span) == 2 and all(type(place) is int for place in span)
        for span in spans
    )
    if not pairs:
        raise DatasetError(f"{entry.place}: 'spans' is {spans!r:.80}; expected a list of [start, end]")
    return tuple((start, end) for start, end in spans)
