"""Mark duplicates instead of deleting them: a ``duplicate_cluster_id`` in their metadata."""

from collections.abc import Iterator, Mapping
from typing import Any

from chunkfilter.stores.plan import Plan
from chunkfilter.stores.row import Row, RowId, batches
from chunkfilter.stores.store import Store

#: Equal for a kept row and the rows that it covers: the id of the kept one.
CLUSTER = "duplicate_cluster_id"
#: True for the rows that a plan without ``soft`` would delete.
DUPLICATE = "duplicate"


def mark_rows(store: Store, plan: Plan, *, resumed: bool) -> None:
    """Write the marks, after what the two keys held before is on disk.

    Args:
        store: the store.
        plan: a soft plan.
        resumed: that is on disk already.
    """
    marks = marks_of(plan, every_row=store.marks_all)
    if not resumed:
        digest = plan.save_marks(_before(store, marks))
        plan.journal.append("changing", store=store.address, rows=plan.removed, undo=digest)
    for part in batches(marks.items()):
        store.mark(dict(part))


def marks_of(plan: Plan, *, every_row: bool) -> dict[RowId, dict[str, Any]]:
    """What a soft plan writes into the metadata of each row that it marks."""
    clusters = {one["id"]: one["kept_by"][0] if one["kept_by"] else one["id"] for one in plan.removals()}
    kept = plan.digests() if every_row else clusters.values()
    marks: dict[RowId, dict[str, Any]] = {one: {CLUSTER: one} for one in kept}
    return marks | {one: {CLUSTER: cluster, DUPLICATE: True} for one, cluster in clusters.items()}


def _before(store: Store, marks: Mapping[RowId, object]) -> Iterator[dict[str, Any]]:
    for part in batches(marks):
        for row in store.rows(part):
            yield {"id": row.id, "before": held_keys(row)}


def held_keys(row: Row) -> dict[str, Any]:
    """The values of the two keys in a row, ``None`` where it lacks one."""
    metadata = row.metadata or {}
    return {key: metadata.get(key) for key in (CLUSTER, DUPLICATE)}
