"""``chunkfilter filter IN -o OUT``: write the chunks that are kept."""

import argparse
from pathlib import Path
from typing import Any

from chunkfilter.cli.arguments import add_chunk_arguments
from chunkfilter.cli.input import read_input
from chunkfilter.cli.output import DONE, add_json_argument, refuse_overwriting, say, say_json, write_records
from chunkfilter.filtering.run import filter_chunks
from chunkfilter.policy import Policy
from chunkfilter.result import FilterResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_chunk_arguments(parser, "IN")
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=Path, required=True, help="JSON lines of the kept chunks"
    )
    parser.add_argument(
        "--policy", default="coverage", help="the rule and its options (default: %(default)s)"
    )
    parser.add_argument(
        "--result", metavar="FILE", type=Path, help="save every decision, for explain and verify"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Filter, write, and say what was removed."""
    policy = Policy.parse(arguments.policy)
    refuse_overwriting(
        {"OUT": arguments.output, "--result": arguments.result},
        {"IN": arguments.texts, "--existing": arguments.existing},
    )
    given = read_input(arguments)
    result = filter_chunks(
        given.chunks,
        policy,
        existing=given.existing,
        embedder=given.embedder,
        entities=given.entities,
        show_progress=True,
    )
    write_records(arguments.output, (given.records[position] for position in result.kept))
    if arguments.result is not None:
        result.save(arguments.result)
    if arguments.json:
        say_json(_summary(result))
    else:
        say(_sentence(result))
    return DONE


def _summary(result: FilterResult) -> dict[str, Any]:
    report = result.report
    return {
        "chunks": len(result),
        "kept": len(result.kept),
        "removed": len(result.removed),
        "reduction": result.reduction,
        "removed_by_rule": result.removed_by_rule,
        "across_sources": report.across_sources,
        "vetoed": len(result.conflicts),
        "existing": len(result.existing_digests),
        "policy": str(result.policy),
        "fingerprint": result.policy.fingerprint,
        "window": report.window,
        "seconds": report.seconds,
        "warnings": list(report.warnings),
    }


def _sentence(result: FilterResult) -> str:
    rules = ", ".join(f"{rule} {count}" for rule, count in result.removed_by_rule.items())
    across = f"; {result.report.across_sources} for chunks of other sources"
    return (
        f"{len(result.kept)} of {len(result)} chunks kept, {result.reduction:.1f} % removed"
        + (f" ({rules}{across})" if rules else "")
        + f", policy {result.policy}"
    )
