"""``chunkfilter explain --conflicts``: pairs that a rule found alike and a guard kept apart."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from chunkfilter.chunk import Chunk
from chunkfilter.cli.chunks import Input
from chunkfilter.cli.shown import block, chunk_json
from chunkfilter.result import Conflict
from chunkfilter.text.inert import inert_line
from chunkfilter.text.normalise import tokens as words

#: Differing words shown of each text, and characters of each.
_WORDS, _CHARACTERS = 12, 40
_WHAT = {
    "order": "the same words in another order",
    "window": "text beyond what the embedder reads",
    "language": "another language or script",
}


def conflict_text(veto: Conflict, given: Input) -> str:
    """Both texts under each other, and what differs."""
    chunk, kept, state = _pair(veto, given)
    position = veto.other if veto.other >= 0 else -1 - veto.other
    return "\n".join(
        [
            f"conflict ({inert_line(veto.guard)}): {_difference(veto, chunk, kept)}",
            block("kept", veto.index, chunk),
            block(state, position, kept),
        ]
    )


def conflict_json(veto: Conflict, given: Input) -> dict[str, Any]:
    """The same for machines."""
    chunk, kept, state = _pair(veto, given)
    ours, theirs = _differing(chunk.text, kept.text)
    return {
        "guard": veto.guard,
        "chunk": chunk_json(veto.index, chunk),
        state: chunk_json(veto.other if veto.other >= 0 else -1 - veto.other, kept),
        "words_only_in_chunk": ours,
        f"words_only_in_{state}": theirs,
    }


def _pair(veto: Conflict, given: Input) -> tuple[Chunk, Chunk, str]:
    if veto.other >= 0:
        return given.chunks[veto.index], given.chunks[veto.other], "other"
    return given.chunks[veto.index], given.existing[-1 - veto.other], "stored"


def _difference(veto: Conflict, chunk: Chunk, kept: Chunk) -> str:
    if veto.guard in _WHAT:
        return _WHAT[veto.guard]
    ours, theirs = _differing(chunk.text, kept.text)
    return f"only in the first: {_shown(ours)}; only in the second: {_shown(theirs)}"


def _differing(one: str, other: str) -> tuple[list[str], list[str]]:
    """Words of each text that the other lacks, or has less often, in their order."""
    counts, others = Counter(words(one)), Counter(words(other))
    return list((counts - others).keys()), list((others - counts).keys())


def _shown(found: Sequence[str]) -> str:
    if not found:
        return "nothing"
    more = f" and {len(found) - _WORDS} more" if len(found) > _WORDS else ""
    return inert_line(" ".join(word[:_CHARACTERS] for word in found[:_WORDS])) + more
