"""cl100k tokens: how many a text has, where each ends, and ``fixed:SIZE:OVERLAP``, windows of them.

Windows have SIZE tokens, each OVERLAP tokens into the one before.
"""

import contextlib
import functools
import hashlib
import importlib.util
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from chunkfilter.chunk import Span
from chunkfilter.errors import MissingExtraError
from chunkfilter.splitters.spec import Spec, plain_splitter
from chunkfilter.text.ragged import IntArray

if TYPE_CHECKING:
    import tiktoken

#: tiktoken's name for the stored table of cl100k_base, and the sha256 of its content.
_TABLE_NAME = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
_TABLE_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_FOLDER_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
_SURROGATE = re.compile("[\ud800-\udfff]")


@functools.cache
def cl100k() -> "tiktoken.Encoding":
    """The cl100k_base encoding, from a table that is on this machine; nothing is ever downloaded.

    The table is looked for in the folders tiktoken itself uses (``TIKTOKEN_CACHE_DIR``,
    ``DATA_GYM_CACHE_DIR``, ``data-gym-cache`` in the folder for temporary files) and then in the copy that
    llama-index-core ships. A damaged table is passed over.

    Raises:
        MissingExtraError: tiktoken is not installed, or none of the folders holds the table.
    """
    try:
        import tiktoken
    except ImportError as error:
        raise MissingExtraError("tiktoken", "splitters", "counting cl100k tokens") from error
    folder = next(filter(_holds_table, _table_folders()), None)
    if folder is None:
        raise MissingExtraError(
            "llama-index-core",
            "llama-index",
            "counting cl100k tokens, with no table of them in TIKTOKEN_CACHE_DIR,",
        )
    with _environment(_FOLDER_VARIABLES[0], str(folder)):
        return tiktoken.get_encoding("cl100k_base")


def _table_folders() -> Iterator[Path]:
    for variable in _FOLDER_VARIABLES:
        if os.environ.get(variable):
            yield Path(os.environ[variable])
    yield Path(tempfile.gettempdir()) / "data-gym-cache"
    # llama_index is a namespace: finding it imports nothing, finding llama_index.core would run its __init__
    namespace = importlib.util.find_spec("llama_index")
    for place in (namespace.submodule_search_locations or ()) if namespace else ():
        yield Path(place) / "core" / "_static" / "tiktoken_cache"


def _holds_table(folder: Path) -> bool:
    # tiktoken answers a wrong hash by deleting the file and downloading it anew: check before it does
    try:
        content = (folder / _TABLE_NAME).read_bytes()
    except OSError:
        return False
    return hashlib.sha256(content).hexdigest() == _TABLE_SHA256


@contextlib.contextmanager
def _environment(variable: str, value: str) -> Iterator[None]:
    before = os.environ.get(variable)
    os.environ[variable] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[variable]
        else:
            os.environ[variable] = before


def count_tokens(text: str) -> int:
    """Number of cl100k tokens; special tokens such as ``<|endoftext|>`` count as the text they are."""
    return len(cl100k().encode_ordinary(text))


def token_ends(text: str) -> IntArray:
    """For each cl100k token, one past the last character that begins in it, shape (t,), ascending.

    A token may end inside a character; that character belongs to the token that holds its first byte. A lone
    surrogate, which has no bytes, is read as U+FFFD.
    """
    readable = _SURROGATE.sub("\ufffd", text)
    encoding = cl100k()
    tokens = encoding.decode_tokens_bytes(encoding.encode_ordinary(readable))
    end_bytes = np.cumsum(np.fromiter(map(len, tokens), np.int64, len(tokens)))
    content = np.frombuffer(readable.encode(), np.uint8)
    begins_character = (content & 0xC0) != 0x80
    return np.cumsum(begins_character, dtype=np.int64)[end_bytes - 1]


def window_spans(ends: IntArray, size: int, overlap: int) -> list[Span]:
    """Spans of windows over the tokens of a text.

    Args:
        ends: for each of t tokens, one past its last character, ascending.
        size: tokens a window.
        overlap: tokens that a window shares with the one before, smaller than ``size``.

    Returns:
        Spans in characters. The last window may be shorter. Windows that add no character to the one before
        (tokens that are parts of one character) are left out.
    """
    if not len(ends):
        return []
    total = len(ends)
    bounds = np.concatenate([[0], ends])
    first = np.arange(0, max(total - overlap, 1), size - overlap)
    starts, stops = bounds[first], bounds[np.minimum(first + size, total)]
    adds = np.diff(stops, prepend=0) > 0
    return list(zip(starts[adds].tolist(), stops[adds].tolist(), strict=True))


def _read(spec: Spec) -> Callable[[str], list[Span]]:
    size, overlap = spec.size_and_overlap(smallest=1)
    cl100k()  # a missing table is reported before the first text
    return lambda text: window_spans(token_ends(text), size, overlap)


FIXED = plain_splitter("fixed:SIZE:OVERLAP", _read)
