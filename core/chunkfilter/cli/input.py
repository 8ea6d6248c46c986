"""What a command works on: chunks, those indexed earlier, models, a saved result, policies."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunkfilter.chunk import Chunk, Span
from chunkfilter.cli.arguments import DEFAULT_CHUNKER, listed
from chunkfilter.cli.output import complain, warn_of_problems
from chunkfilter.errors import DatasetError, InputError
from chunkfilter.evaluate.datasets import load_dataset
from chunkfilter.evaluate.datasets.reading import Entry, first_object, json_lines
from chunkfilter.evaluate.sweep import expanded
from chunkfilter.policy import Policy
from chunkfilter.result import FilterResult
from chunkfilter.result_file import FORMAT
from chunkfilter.signals.embedders import Embedder, load_embedder
from chunkfilter.splitters import split_documents


@dataclass(frozen=True, slots=True)
class Input:
    """What a command works on.

    Args:
        chunks: n chunks.
        records: what is written for each of them: the line as it was read, or the chunk's fields.
        existing: chunks indexed earlier.
        embedder: ``None`` if none was named.
        entities: name of the model that finds entities, ``None`` if none was named.
    """

    chunks: list[Chunk]
    records: list[dict[str, Any]]
    existing: list[Chunk]
    embedder: Embedder | None
    entities: str | None


def read_input(arguments: argparse.Namespace) -> Input:
    """Read the chunks, those indexed earlier, and load the embedder.

    Raises:
        DatasetError: a file cannot be read; file, line and value are named.
        InputError, SplitterError, MissingSignalError, MissingExtraError: from the embedder and the splitter.
    """
    embedder = (
        load_embedder(arguments.embedder, passage_prefix=arguments.passage_prefix)
        if arguments.embedder
        else None
    )
    existing = arguments.existing
    earlier = _pairs(existing, arguments.chunker if existing.is_dir() else None, embedder) if existing else []
    pairs = _pairs(arguments.texts, arguments.chunker, embedder)
    return Input(
        [chunk for _, chunk in pairs],
        [record for record, _ in pairs],
        [chunk for _, chunk in earlier],
        embedder,
        arguments.entities,
    )


def read_saved(arguments: argparse.Namespace) -> tuple[FilterResult, Input]:
    """A saved result and the chunks it is about.

    Raises:
        ResultFileError: the result cannot be read.
        DatasetError: the texts cannot be read.
        InputError: the two are swapped.
    """
    if first_object(arguments.texts).get("format") == FORMAT:
        raise InputError(
            f"TEXTS: {arguments.texts} is a saved result; expected RESULT first, then the texts it is about"
        )
    return FilterResult.load(arguments.result), read_input(arguments)


def policies_of(arguments: argparse.Namespace) -> list[Policy]:
    """The policies of ``--policies``.

    Raises:
        InputError: there is none.
        PolicyError: one does not parse.
    """
    policies = expanded(listed(arguments.policies))
    if not policies:
        raise InputError(f"--policies: got {arguments.policies!r}; expected policies separated by ';'")
    return policies


def _pairs(path: Path, chunker: str | None, embedder: Embedder | None) -> list[tuple[dict[str, Any], Chunk]]:
    """What is written for each chunk, and the chunk; documents are cut."""
    if chunker is None and path.is_dir():
        chunker = DEFAULT_CHUNKER
        complain(f"{path}: a folder; its texts are cut by --chunker {chunker}, the default")
    if chunker is None:
        return [(dict(entry.values), _chunk(entry)) for entry in json_lines(path)]
    dataset = load_dataset(path)
    warn_of_problems(str(path), dataset.problems)
    return [(_record(chunk), chunk) for chunk in split_documents(dict(dataset.documents), chunker, embedder)]


def _record(chunk: Chunk) -> dict[str, Any]:
    spans = [list(span) for span in chunk.spans]
    place = ",".join(f"{start}-{end}" for start, end in spans)
    return {"id": f"{chunk.source}:{place}", "text": chunk.text, "source": chunk.source, "spans": spans}


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
