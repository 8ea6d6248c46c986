"""The ledger: the record of an index, its sources, their chunks, what was removed and why."""

from chunkfilter.ledger.change import Change
from chunkfilter.ledger.ledger import Ledger

__all__ = ["Change", "Ledger"]
