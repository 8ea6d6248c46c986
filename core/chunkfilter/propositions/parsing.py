"""What a model wrote, read as propositions."""

import json
import re

import regex

from chunkfilter.errors import InputError, PropositionError

_BULLET = re.compile(r"\s*(?:[-*•–]|\d{1,3}[.)])\s+(?P<text>\S.*)")

_SPACE = r"[ \t\n\r]*+"
_PLAIN = r'[^"\\\x00-\x1f]*+'
_STRING = rf'"{_PLAIN}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}){_PLAIN})*+"'
#: Possessive, so that one try reads the text once. Where a later try begins, inside a string, an earlier one
#: that is still going ends, so all of them together read it twice at most.
_ARRAY_OF_STRINGS = regex.compile(rf"\[{_SPACE}{_STRING}{_SPACE}(?:,{_SPACE}{_STRING}{_SPACE})*+\]")


def read_propositions(written: str) -> list[str]:
    """Read a JSON array of strings, or a list with a bullet or number before each line.

    What stands around the array or the list is passed over; equal propositions are given once.

    Raises:
        PropositionError: neither is there, or it holds nothing.
        InputError: what was written is no text.
    """
    if not isinstance(written, str):
        raise InputError(f"written: got {written!r:.80}; expected the text that a model wrote")
    found = _array(written)
    if found is None:
        found = [match["text"] for line in written.splitlines() if (match := _BULLET.fullmatch(line))]
    sentences = list(dict.fromkeys(" ".join(sentence.split()) for sentence in found))
    if not any(sentences):
        raise PropositionError(f"got {written!r:.200}; expected a JSON array of sentences")
    return [sentence for sentence in sentences if sentence]


def _array(written: str) -> list[str] | None:
    """The first JSON array of strings."""
    match = _ARRAY_OF_STRINGS.search(written)
    if match is None:
        return None
    found: list[str] = json.loads(match[0])
    return found
