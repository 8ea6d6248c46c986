"""Drop redundant chunks, name for each what stands for it, prove it, and measure what that does to retrieval.

Importing this module loads no model library: every name is loaded when it is first used.
"""

import importlib
import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunkfilter.chunk import Chunk
    from chunkfilter.filters.run import filter_chunks
    from chunkfilter.policy import Policy
    from chunkfilter.result import FilterResult, Removal, Veto
    from chunkfilter.splitters import split

__version__ = "0.1.0"

_HOMES = {
    "Chunk": "chunk",
    "FilterResult": "result",
    "Policy": "policy",
    "Removal": "result",
    "Veto": "result",
    "filter_chunks": "filters.run",
    "split": "splitters",
}

__all__ = ["Chunk", "FilterResult", "Policy", "Removal", "Veto", "filter_chunks", "split"]

logging.getLogger("chunkfilter").addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'chunkfilter' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"chunkfilter.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
