"""What a model wrote, read as propositions."""

import json
import re

from chunkfilter.errors import PropositionError

_BULLET = re.compile(r"\s*(?:[-*•–]|\d{1,3}[.)])\s+(?P<text>\S.*)")

_ARRAY_OF_STRINGS = re.compile(r'\[\s*"')


def read_propositions(written: str) -> list[str]:
    """Read a JSON array of strings, or a list with a bullet or number before each line.

    What stands around the array or the list is passed over; equal propositions are given once.

    Raises:
        PropositionError: neither is there, or it holds nothing.
    """
    found = _array(written)
    if found is None:
        found = [match["text"] for line in written.splitlines() if (match := _BULLET.fullmatch(line))]
    sentences = list(dict.fromkeys(" ".join(sentence.split()) for sentence in found))
    if not any(sentences):
        raise PropositionError(f"got {written!r:.200}; expected a JSON array of sentences")
    return [sentence for sentence in sentences if sentence]


def _array(written: str) -> list[str] | None:
    """The first JSON array of strings."""
    decoder = json.JSONDecoder()
    for match in _ARRAY_OF_STRINGS.finditer(written):
        try:
            found, _ = decoder.raw_decode(written, match.start())
        except (json.JSONDecodeError, RecursionError):
            continue
        if isinstance(found, list) and all(isinstance(item, str) for item in found):
            return found
    return None
