"""Vector stores that exist already: a port, its adapters, and plans that can be applied and undone."""

from chunkfilter.stores.apply import Applied, apply_plan
from chunkfilter.stores.health import Health, check_health
from chunkfilter.stores.open import open_store
from chunkfilter.stores.plan import Plan, make_plan, read_plan
from chunkfilter.stores.row import Row, RowId
from chunkfilter.stores.store import Index, ReadableStore, Store
from chunkfilter.stores.undo import Undone, undo_plan

__all__ = [
    "Applied",
    "Health",
    "Index",
    "Plan",
    "ReadableStore",
    "Row",
    "RowId",
    "Store",
    "Undone",
    "apply_plan",
    "check_health",
    "make_plan",
    "open_store",
    "read_plan",
    "undo_plan",
]
