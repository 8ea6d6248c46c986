"""Vector stores that exist already: a port, its adapters, and plans that can be applied and undone."""

from chunkfilter.stores.apply import Applied, apply_plan
from chunkfilter.stores.open import open_store
from chunkfilter.stores.plan import Plan, make_plan, read_plan
from chunkfilter.stores.row import Row
from chunkfilter.stores.store import Index, ReadableStore, Store
from chunkfilter.stores.undo import Undone, undo_plan

__all__ = [
    "Applied",
    "Index",
    "Plan",
    "ReadableStore",
    "Row",
    "Store",
    "Undone",
    "apply_plan",
    "make_plan",
    "open_store",
    "read_plan",
    "undo_plan",
]
