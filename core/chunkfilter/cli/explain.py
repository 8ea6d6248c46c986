"""``chunkfilter explain RESULT TEXTS``: each removed chunk beside what stands for it."""

import argparse
from collections.abc import Sequence
from typing import Any

from chunkfilter.chunk import Chunk
from chunkfilter.cli.chunks import Input
from chunkfilter.cli.output import DONE, quoted, say, say_json
from chunkfilter.cli.saved import add_saved_arguments, read_saved
from chunkfilter.errors import InputError
from chunkfilter.result import FilterResult, Removal, digest
from chunkfilter.text.inert import inert_line

_SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_saved_arguments(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--removal", metavar="N", type=int, help="only the removal of the chunk at position N")
    which.add_argument(
        "--limit",
        metavar="N",
        type=int,
        default=_SHOWN,
        help="the first N removals; 0 for all (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Show the removals."""
    result, given = read_saved(arguments)
    _refuse_other_texts("TEXTS", given.chunks, result.digests)
    _refuse_other_texts("--against", given.against, result.stored_digests)
    chosen = _chosen(result, arguments)
    if arguments.json:
        removals = [_as_json(removal, given) for removal in chosen]
        say_json({"removed": len(result.removed), "policy": str(result.policy), "removals": removals})
        return DONE
    for removal in chosen:
        say(_as_text(removal, given) + "\n")
    say(f"{len(chosen)} of {len(result.removed)} removals shown, policy {result.policy}")
    return DONE


def _refuse_other_texts(argument: str, chunks: Sequence[Chunk], digests: Sequence[str]) -> None:
    if len(chunks) != len(digests):
        raise InputError(f"{argument}: {len(chunks)} chunks; expected the {len(digests)} that were filtered")
    for position, (chunk, expected) in enumerate(zip(chunks, digests, strict=True)):
        if digest(chunk.text) != expected:
            raise InputError(
                f"{argument}: chunk {position} (id {chunk.id!r}) is not the text that was filtered"
            )


def _chosen(result: FilterResult, arguments: argparse.Namespace) -> Sequence[Removal]:
    if arguments.removal is None:
        if arguments.limit < 0:
            raise InputError(f"--limit: got {arguments.limit}; expected a number from 0")
        return result.removed[: arguments.limit or None]
    chosen = [removal for removal in result.removed if removal.index == arguments.removal]
    if not chosen:
        state = "was kept" if arguments.removal in result.kept else "does not exist"
        raise InputError(f"--removal {arguments.removal}: chunk {arguments.removal} {state}")
    return chosen


def _as_text(removal: Removal, given: Input) -> str:
    score = "" if removal.score is None else f", score {removal.score:.4g}"
    parts = [_block(f"removed by {removal.rule}{score}", removal.index, given.chunks)]
    parts += [_block("kept", position, given.chunks) for position in removal.kept_by]
    parts += [_block("stored", position, given.against) for position in removal.stored_by]
    return "\n".join(parts)


def _block(what: str, position: int, chunks: Sequence[Chunk]) -> str:
    chunk = chunks[position]
    names = [
        f"{key} {inert_line(value)}" for key, value in (("id", chunk.id), ("source", chunk.source)) if value
    ]
    return f"{what}: chunk {', '.join([str(position), *names])}\n{quoted(chunk.text)}"


def _as_json(removal: Removal, given: Input) -> dict[str, Any]:
    return {
        **_chunk_json(removal.index, given.chunks),
        "rule": removal.rule,
        "score": removal.score,
        "kept_by": [_chunk_json(position, given.chunks) for position in removal.kept_by],
        "stored_by": [_chunk_json(position, given.against) for position in removal.stored_by],
    }


def _chunk_json(position: int, chunks: Sequence[Chunk]) -> dict[str, Any]:
    chunk = chunks[position]
    return {"index": position, "id": chunk.id, "source": chunk.source, "text": chunk.text}
