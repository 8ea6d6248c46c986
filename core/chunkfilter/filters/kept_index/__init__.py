"""What is kept, on disk, so that tomorrow's chunks are compared with it without reading it all again.

The index holds the kept chunks, and for each the keys by which the rules of its policy find pairs: hashes of
words, of sentences and runs, bands of signatures, entities, vectors. New chunks are looked up by their keys;
only stored chunks that share one are read, and stand as ``existing`` in an ordinary run. A key may bring up a
chunk too many, never one too few, so the decisions are those of a run against everything that is stored.
"""

from chunkfilter.filters.kept_index.index import KeptIndex, Match
from chunkfilter.filters.kept_index.ledger import Orphan

__all__ = ["KeptIndex", "Match", "Orphan"]
