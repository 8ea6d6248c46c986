"""``recursive:SIZE:OVERLAP`` in characters, ``recursive-tokens:SIZE:OVERLAP`` in cl100k tokens.

Cut at blank lines, else lines, ``.``, ``?``, ``!``, spaces, characters; neighbours are merged while they fit.
Tokens are counted piece by piece: a chunk counted as a whole may have one or two more than SIZE.
"""

import functools
from collections.abc import Callable

from chunkfilter.chunk import Span
from chunkfilter.errors import MissingExtraError
from chunkfilter.splitters.spec import Spec, plain_splitter
from chunkfilter.splitters.tokens import cl100k, count_tokens

#: A character is one long; the library leaves pieces alone that are not shorter than the size.
SMALLEST_CHARACTERS = 2
#: A character is up to four bytes, each at most one token.
SMALLEST_TOKENS = 5
#: Texts whose token count is remembered while one text is split: pieces are measured up to eight times.
_REMEMBERED = 10_000


def recursion() -> Callable[[str, int, int, Callable[[str], int]], list[Span]]:
    """The recursive splitter, loaded on first use.

    Raises:
        MissingExtraError: langchain-text-splitters is not installed.
    """
    try:
        from chunkfilter.splitters.placing import recursive_spans
    except ImportError as error:
        raise MissingExtraError("langchain-text-splitters", "splitters", "recursive splitting") from error
    return recursive_spans


def token_spans(text: str, size: int, overlap: int) -> list[Span]:
    """Spans of recursive chunks whose pieces together have at most ``size`` cl100k tokens."""
    return recursion()(text, size, overlap, functools.lru_cache(_REMEMBERED)(count_tokens))


def _read_characters(spec: Spec) -> Callable[[str], list[Span]]:
    size, overlap = spec.size_and_overlap(SMALLEST_CHARACTERS)
    recursive_spans = recursion()
    return lambda text: recursive_spans(text, size, overlap, len)


def _read_tokens(spec: Spec) -> Callable[[str], list[Span]]:
    size, overlap = spec.size_and_overlap(SMALLEST_TOKENS)
    recursion()
    cl100k()
    return lambda text: token_spans(text, size, overlap)


RECURSIVE = plain_splitter("recursive:SIZE:OVERLAP", _read_characters)
RECURSIVE_TOKENS = plain_splitter("recursive-tokens:SIZE:OVERLAP", _read_tokens)
