"""``chunkfilter explain RESULT TEXTS``: each removed chunk beside those that cover it; conflicts."""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from chunkfilter.chunk import Chunk, Span
from chunkfilter.cli.arguments import add_saved_arguments
from chunkfilter.cli.input import Input, read_saved
from chunkfilter.cli.output import CLOSE, DONE, OPEN, block, chunk_json, marked, say, say_json
from chunkfilter.errors import InputError
from chunkfilter.result import Conflict, FilterResult, Removal, digest
from chunkfilter.text.inert import inert_line
from chunkfilter.text.normalise import tokens
from chunkfilter.text.runs import SharedRun, shared_runs

_SHOWN = 10
#: Differing words shown of each text of a conflict, and characters of each.
_WORDS, _CHARACTERS = 12, 40
#: What differs, for guards that do not ask for words.
_WHAT = {"order": "the same words in another order"}


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
        help="instead, the conflicts: pairs that a rule finds alike, and what differs",
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
        say(f"{OPEN} {CLOSE}: words in one run that a removed chunk and one that covers it both hold\n")
    say(f"{len(chosen)} of {len(result.removed)} removals shown, policy {result.policy}")
    return DONE


def _show_conflicts(result: FilterResult, given: Input, arguments: argparse.Namespace) -> int:
    shown = result.conflicts[: _limit(arguments)]
    if arguments.json:
        conflicts = [_conflict_json(conflict, given) for conflict in shown]
        say_json({"vetoed": len(result.conflicts), "policy": str(result.policy), "conflicts": conflicts})
        return DONE
    for conflict in shown:
        say(_conflict_text(conflict, given) + "\n")
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


@dataclass(frozen=True, slots=True)
class _Covering:
    """A chunk that covers a removed one, and the runs of words that both hold."""

    state: str
    position: int
    chunk: Chunk
    runs: list[SharedRun]

    def as_text(self) -> str:
        spans: list[Span] = [run.kept for run in self.runs]
        return block(self.state, self.position, self.chunk, marked(self.chunk.text, spans))

    def as_json(self) -> dict[str, Any]:
        return {**chunk_json(self.position, self.chunk), "runs": [asdict(run) for run in self.runs]}


def _covering(removal: Removal, given: Input) -> list[_Covering]:
    text = given.chunks[removal.index].text
    named = [("kept", position, given.chunks[position]) for position in removal.kept_by]
    named += [("existing", position, given.existing[position]) for position in removal.kept_by_existing]
    return [
        _Covering(state, position, chunk, shared_runs(text, chunk.text)) for state, position, chunk in named
    ]


def _as_text(removal: Removal, given: Input) -> str:
    score = "" if removal.score is None else f", score {removal.score:.4g}"
    covering = _covering(removal, given)
    spans = [run.removed for one in covering for run in one.runs]
    chunk = given.chunks[removal.index]
    removed = block(f"removed by {removal.rule}{score}", removal.index, chunk, marked(chunk.text, spans))
    return "\n".join([removed, *(one.as_text() for one in covering)])


def _as_json(removal: Removal, given: Input) -> dict[str, Any]:
    covering = _covering(removal, given)
    return {
        **chunk_json(removal.index, given.chunks[removal.index]),
        "rule": removal.rule,
        "score": removal.score,
        "kept_by": [one.as_json() for one in covering if one.state == "kept"],
        "kept_by_existing": [one.as_json() for one in covering if one.state == "existing"],
    }


def _conflict_text(conflict: Conflict, given: Input) -> str:
    """Both texts under each other, and what differs."""
    chunk, state, position, other = _pair(conflict, given)
    if conflict.guard in _WHAT:
        difference = _WHAT[conflict.guard]
    else:
        ours, theirs = map(_shown, _differing(chunk.text, other.text))
        difference = f"only in the first: {ours}; only in the second: {theirs}"
    head = f"conflict ({inert_line(conflict.guard)}): {difference}"
    return "\n".join([head, block("kept", conflict.index, chunk), block(state, position, other)])


def _conflict_json(conflict: Conflict, given: Input) -> dict[str, Any]:
    chunk, state, position, other = _pair(conflict, given)
    ours, theirs = _differing(chunk.text, other.text)
    return {
        "guard": conflict.guard,
        "chunk": chunk_json(conflict.index, chunk),
        state: chunk_json(position, other),
        "words_only_in_chunk": ours,
        f"words_only_in_{state}": theirs,
    }


def _pair(conflict: Conflict, given: Input) -> tuple[Chunk, str, int, Chunk]:
    """The chunk, and of the other one whether it is ``existing``, its position, and itself."""
    chunk, other = given.chunks[conflict.index], conflict.other
    if other >= 0:
        return chunk, "other", other, given.chunks[other]
    return chunk, "existing", -1 - other, given.existing[-1 - other]


def _differing(one: str, other: str) -> tuple[list[str], list[str]]:
    """Words of each text that the other lacks, or has less often, in their order."""
    counts, others = Counter(tokens(one)), Counter(tokens(other))
    return list((counts - others).keys()), list((others - counts).keys())


def _shown(found: Sequence[str]) -> str:
    if not found:
        return "nothing"
    more = f" and {len(found) - _WORDS} more" if len(found) > _WORDS else ""
    return inert_line(" ".join(word[:_CHARACTERS] for word in found[:_WORDS])) + more
