"""``chunkfilter explain RESULT TEXTS``: each removed chunk beside what stands for it, shared runs marked."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from chunkfilter.chunk import Chunk, Span
from chunkfilter.cli.chunks import Input
from chunkfilter.cli.conflicts import conflict_json, conflict_text
from chunkfilter.cli.marks import CLOSE, OPEN, marked
from chunkfilter.cli.output import DONE, say, say_json
from chunkfilter.cli.saved import add_saved_arguments, read_saved
from chunkfilter.cli.shown import block, chunk_json
from chunkfilter.errors import InputError
from chunkfilter.result import FilterResult, Removal, digest
from chunkfilter.text.runs import SharedRun, shared_runs

_SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_saved_arguments(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--removal", metavar="N", help="only the removal of the chunk at position N, or of the one with id N"
    )
    which.add_argument(
        "--conflicts",
        action="store_true",
        help="instead, the pairs that a rule found alike and a guard kept apart, and what differs",
    )
    parser.add_argument(
        "--limit",
        metavar="N",
        type=int,
        default=_SHOWN,
        help="the first N removals or conflicts; 0 for all (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Show the removals."""
    result, given = read_saved(arguments)
    _refuse_other_texts("TEXTS", given.chunks, result.digests)
    _refuse_other_texts("--existing", given.existing, result.existing_digests)
    if arguments.conflicts:
        return _show_conflicts(result, given, arguments)
    chosen = _chosen(result, given, arguments)
    if arguments.json:
        removals = [_as_json(removal, given) for removal in chosen]
        say_json({"removed": len(result.removed), "policy": str(result.policy), "removals": removals})
        return DONE
    for removal in chosen:
        say(_as_text(removal, given) + "\n")
    if chosen:
        say(f"{OPEN} {CLOSE}: words that a removed chunk and a chunk that stands for it hold in one run\n")
    say(f"{len(chosen)} of {len(result.removed)} removals shown, policy {result.policy}")
    return DONE


def _show_conflicts(result: FilterResult, given: Input, arguments: argparse.Namespace) -> int:
    shown = result.conflicts[: _limit(arguments)]
    if arguments.json:
        conflicts = [conflict_json(veto, given) for veto in shown]
        say_json({"vetoed": len(result.conflicts), "policy": str(result.policy), "conflicts": conflicts})
        return DONE
    for veto in shown:
        say(conflict_text(veto, given) + "\n")
    say(f"{len(shown)} of {len(result.conflicts)} conflicts shown, policy {result.policy}")
    if not result.conflicts and (result.policy.verbatim or not result.policy.guarded):
        say("no guard is asked under this policy: conflicts come of rules like minhash@0.8 or similarity@0.9")
    return DONE


def _limit(arguments: argparse.Namespace) -> int | None:
    if arguments.limit < 0:
        raise InputError(f"--limit: got {arguments.limit}; expected a number from 0")
    return arguments.limit or None


def _refuse_other_texts(argument: str, chunks: Sequence[Chunk], digests: Sequence[str]) -> None:
    if len(chunks) != len(digests):
        raise InputError(f"{argument}: {len(chunks)} chunks; expected the {len(digests)} that were filtered")
    for position, (chunk, expected) in enumerate(zip(chunks, digests, strict=True)):
        if digest(chunk.text) != expected:
            raise InputError(
                f"{argument}: chunk {position} (id {chunk.id!r}) is not the text that was filtered"
            )


def _chosen(result: FilterResult, given: Input, arguments: argparse.Namespace) -> Sequence[Removal]:
    name = arguments.removal
    if name is None:
        return result.removed[: _limit(arguments)]
    by_id = {place for place, chunk in enumerate(given.chunks) if chunk.id == name}
    places = [{int(name)}, by_id] if name.isdecimal() else [by_id]
    found = ([one for one in result.removed if one.index in wanted] for wanted in places)
    chosen = next(filter(None, found), [])
    if not chosen:
        state = "was kept" if set().union(*places) & set(result.kept) else "does not exist"
        raise InputError(f"--removal {name}: chunk {name} {state}")
    return chosen


def _as_text(removal: Removal, given: Input) -> str:
    score = "" if removal.score is None else f", score {removal.score:.4g}"
    keepers = _keepers(removal, given)
    held = [run.removed for keeper in keepers for run in keeper.runs]
    chunk = given.chunks[removal.index]
    removed = block(f"removed by {removal.rule}{score}", removal.index, chunk, marked(chunk.text, held))
    beside = [
        block(keeper.state, keeper.position, keeper.chunk, marked(keeper.chunk.text, keeper.held))
        for keeper in keepers
    ]
    return "\n".join([removed, *beside])


@dataclass(frozen=True, slots=True)
class _Keeper:
    """A chunk that stands for a removed one, and the runs of words that both hold."""

    state: str
    position: int
    chunk: Chunk
    runs: list[SharedRun]

    @property
    def held(self) -> list[Span]:
        """Where the runs stand in it."""
        return [run.keeper for run in self.runs]


def _keepers(removal: Removal, given: Input) -> list[_Keeper]:
    text = given.chunks[removal.index].text
    named = [("kept", position, given.chunks[position]) for position in removal.kept_by]
    named += [("stored", position, given.existing[position]) for position in removal.kept_by_existing]
    return [
        _Keeper(state, position, chunk, shared_runs(text, chunk.text)) for state, position, chunk in named
    ]


def _as_json(removal: Removal, given: Input) -> dict[str, Any]:
    keepers = _keepers(removal, given)
    return {
        **chunk_json(removal.index, given.chunks[removal.index]),
        "rule": removal.rule,
        "score": removal.score,
        "kept_by": [_keeper_json(keeper) for keeper in keepers if keeper.state == "kept"],
        "kept_by_existing": [_keeper_json(keeper) for keeper in keepers if keeper.state == "stored"],
    }


def _keeper_json(keeper: _Keeper) -> dict[str, Any]:
    return {**chunk_json(keeper.position, keeper.chunk), "runs": [asdict(run) for run in keeper.runs]}
