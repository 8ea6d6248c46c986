"""``chunkfilter inspect STORE``: what a store holds, and what of it is redundant, broken or in conflict."""

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from chunkfilter.cli.output import DONE, add_json_argument, quoted, say, say_json, shows_progress
from chunkfilter.errors import InputError
from chunkfilter.signals.embedders import load_embedder
from chunkfilter.stores import Health, ReadableStore, check_health, open_store
from chunkfilter.stores.health import CONFLICTS
from chunkfilter.text.inert import inert_line

#: Sources shown, and conflicts unless a number is given.
_SOURCES, _CONFLICTS = 20, 3


def add_store_arguments(parser: argparse.ArgumentParser) -> None:
    """The store, its model, and where its rows name their document."""
    parser.add_argument("store", metavar="STORE", help="URL of the store, for example chroma:PATH#COLLECTION")
    parser.add_argument(
        "--embedder", metavar="NAME", help="model of the stored vectors (default: what the store names)"
    )
    parser.add_argument("--passage-prefix", metavar="TEXT", default="", help="was put before each text")
    parser.add_argument(
        "--source-key",
        metavar="KEY",
        help="metadata key that names a row's document (default: the usual ones)",
    )
    add_json_argument(parser)


def embedder_of(arguments: argparse.Namespace, store: ReadableStore, query_prefix: str = "") -> Any:
    """The model that is named, else the one that the store names, else ``None``."""
    name = arguments.embedder or store.embedder
    if name is None:
        return None
    return load_embedder(name, query_prefix=query_prefix, passage_prefix=arguments.passage_prefix)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_store_arguments(parser)
    parser.add_argument(
        "--conflicts",
        metavar="N",
        type=int,
        help=f"conflicts shown (default: {_CONFLICTS}, with --json {CONFLICTS})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Report; nothing is written to the store."""
    usual = CONFLICTS if arguments.json else _CONFLICTS
    conflicts = usual if arguments.conflicts is None else arguments.conflicts
    if conflicts < 0:
        raise InputError(f"--conflicts: got {conflicts}; expected a number from 0")
    store = open_store(arguments.store)
    try:
        health = check_health(
            store,
            embedder_of(arguments, store),
            arguments.source_key,
            conflicts=conflicts,
            show_progress=shows_progress(),
        )
    finally:
        store.close()
    if arguments.json:
        say_json(asdict(health))
    else:
        say("\n".join(_health_lines(health)))
    return DONE


def _health_lines(health: Health) -> Iterator[str]:
    yield f"{health.store}: {health.rows} rows, index {health.index}"
    yield ""
    yield f"{health.copies:>9} exact copies of a kept row"
    yield f"{health.covered:>9} more rows covered by other rows"
    yield f"{health.near_copies:>9} more rows that are near copies (Jaccard 0.8)"
    yield f"{health.conflicts:>9} near copies that differ in a number, a name ...: conflicts to read"
    yield f"{health.blank:>9} blank rows"
    yield f"{health.without_text:>9} rows without a text"
    yield f"{health.past_window:>9} rows longer than the embedder reads ({health.window})"
    yield from _vector_lines(health)
    yield from _source_lines(health)
    for conflict in health.examples:
        yield ""
        yield f"conflict ({conflict.guard})"
        for one, text in zip(conflict.ids, conflict.texts, strict=True):
            yield f" {inert_line(str(one))}"
            yield quoted(text)
    if more := health.conflicts - len(health.examples):
        yield ""
        yield f"{more} more conflicts; --conflicts {health.conflicts} shows all of them"


def _vector_lines(health: Health) -> Iterator[str]:
    vectors = health.vectors
    if len(vectors.lengths) > 1:
        found = ", ".join(f"{length} ({rows} rows)" for length, rows in sorted(vectors.lengths.items()))
        yield f"{'':>9} vectors of several lengths: {found}: the work of more than one model"
    yield f"{vectors.missing:>9} rows without a vector"
    yield f"{vectors.broken:>9} vectors that are zero or hold NaN or infinity"
    yield f"{vectors.not_unit:>9} vectors that are not of length 1"
    yield f"{vectors.shared:>9} vectors that rows with different texts have in common"


def _source_lines(health: Health) -> Iterator[str]:
    found = [one for one in health.sources if one.copies or one.covered]
    if len(health.sources) > 1 and found:
        yield ""
        yield "by document: copies, covered, rows"
        for one in found[:_SOURCES]:
            yield f"{one.copies:>9} {one.covered:>9} {one.rows:>9}  {inert_line(one.source or '(none)')}"
        if len(found) > _SOURCES:
            yield f"          ... and {len(found) - _SOURCES} more documents"
