"""Remove redundant chunks, name the kept ones that contain each, prove it, and measure what that does.

Importing this module loads no model library: every name is loaded when it is first used.
"""

import importlib
import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunkfilter.chunk import Chunk
    from chunkfilter.errors import LedgerError
    from chunkfilter.evaluate.analyse import Redundancy, analyse
    from chunkfilter.evaluate.compare import compare
    from chunkfilter.evaluate.comparison import Comparison
    from chunkfilter.evaluate.datasets import load_dataset, load_questions
    from chunkfilter.evaluate.questions import Dataset, Question, Reference
    from chunkfilter.evaluate.retrieved import RetrievalReport, evaluate_retrieved
    from chunkfilter.evaluate.tune import Tuned, tune
    from chunkfilter.filtering.run import filter_chunks
    from chunkfilter.ledger import Change, Ledger
    from chunkfilter.policy import Policy
    from chunkfilter.result import Conflict, FilterResult, Removal
    from chunkfilter.signals.embedders import load_embedder
    from chunkfilter.signals.minhash import minhash_signatures
    from chunkfilter.splitters import split, split_documents

__version__ = "0.1.0"

_HOMES = {
    "Change": "ledger",
    "Chunk": "chunk",
    "Comparison": "evaluate.comparison",
    "Dataset": "evaluate.questions",
    "FilterResult": "result",
    "Ledger": "ledger",
    "LedgerError": "errors",
    "Policy": "policy",
    "Question": "evaluate.questions",
    "Redundancy": "evaluate.analyse",
    "Reference": "evaluate.questions",
    "Removal": "result",
    "RetrievalReport": "evaluate.retrieved",
    "Conflict": "result",
    "Tuned": "evaluate.tune",
    "analyse": "evaluate.analyse",
    "compare": "evaluate.compare",
    "evaluate_retrieved": "evaluate.retrieved",
    "filter_chunks": "filtering.run",
    "load_dataset": "evaluate.datasets",
    "load_embedder": "signals.embedders",
    "load_questions": "evaluate.datasets",
    "minhash_signatures": "signals.minhash",
    "split": "splitters",
    "split_documents": "splitters",
    "tune": "evaluate.tune",
}

__all__ = [
    "Change",
    "Chunk",
    "Comparison",
    "Conflict",
    "Dataset",
    "FilterResult",
    "Ledger",
    "LedgerError",
    "Policy",
    "Question",
    "Redundancy",
    "Reference",
    "Removal",
    "RetrievalReport",
    "Tuned",
    "analyse",
    "compare",
    "evaluate_retrieved",
    "filter_chunks",
    "load_dataset",
    "load_embedder",
    "load_questions",
    "minhash_signatures",
    "split",
    "split_documents",
    "tune",
]

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
