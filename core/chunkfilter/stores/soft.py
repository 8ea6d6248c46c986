"""Mark duplicates instead of deleting them: a ``duplicate_cluster_id`` in their metadata."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chunkfilter.stores.plan import Plan
from chunkfilter.stores.row import Row, RowId, batches, canonical
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
    marks = _marks(plan, every_row=store.marks_all)
    if not resumed:
        digest = plan.save_marks(_before(store, marks))
        plan.journal.append("changing", store=store.address, rows=plan.removed, undo=digest)
    for part in batches(marks.items()):
        store.mark(dict(part))


@dataclass(frozen=True, slots=True)
class Unmarked:
    """What became of the rows that a soft plan marked.

    Args:
        restored: rows given back the values they had.
        present: rows that held those values already.
        conflicts: ids whose two keys hold neither what the plan wrote nor what they held before.
        missing: ids that are not in the store now.
    """

    restored: int
    present: int
    conflicts: tuple[RowId, ...]
    missing: tuple[RowId, ...]


def unmark_rows(store: Store, plan: Plan, *, every_row: bool = False) -> Unmarked:
    """Give the two keys the values they had, where they still hold what the plan wrote.

    Rows that could not be given back are noted, and only those are looked at the next time: other rows may
    have equal marks of a later plan by then.

    Args:
        store: the store.
        plan: a soft plan.
        every_row: look at rows that were given back before, too.

    Raises:
        StoreError: a file of the plan is damaged.
    """
    left = None if every_row else _left(plan)
    written = _marks(plan, every_row=store.marks_all)
    restored = present = 0
    conflicts, missing = list[RowId](), list[RowId]()
    for part in batches(line for line in plan.saved_marks() if left is None or line["id"] in left):
        now = {row.id: _held(row) for row in store.rows([line["id"] for line in part])}
        values = dict[RowId, dict[str, Any]]()
        for line in part:
            one, before = line["id"], line["before"]
            if one not in now:
                missing.append(one)
            elif canonical(now[one]) == canonical(before):
                present += 1
            elif canonical(now[one]) == canonical(before | written.get(one, {})):
                values[one] = before
            else:
                conflicts.append(one)
        if values:
            store.mark(values)
        restored += len(values)
    remaining = [*conflicts, *missing]
    if restored or not remaining:
        plan.journal.append("undone", restored=restored, left=remaining)
    return Unmarked(restored, present, tuple(conflicts), tuple(missing))


def _left(plan: Plan) -> set[RowId] | None:
    """The rows that an earlier undo could not give back, ``None`` if there was no undo."""
    state = plan.journal.state
    return set(state.get("left", ())) if state is not None and state["event"] == "undone" else None


def _marks(plan: Plan, *, every_row: bool) -> dict[RowId, dict[str, Any]]:
    clusters = {one["id"]: one["kept_by"][0] if one["kept_by"] else one["id"] for one in plan.removals()}
    kept = plan.digests() if every_row else clusters.values()
    marks: dict[RowId, dict[str, Any]] = {one: {CLUSTER: one} for one in kept}
    return marks | {one: {CLUSTER: cluster, DUPLICATE: True} for one, cluster in clusters.items()}


def _before(store: Store, marks: Mapping[RowId, object]) -> Iterator[dict[str, Any]]:
    for part in batches(marks):
        for row in store.rows(part):
            yield {"id": row.id, "before": _held(row)}


def _held(row: Row) -> dict[str, Any]:
    metadata = row.metadata or {}
    return {key: metadata.get(key) for key in (CLUSTER, DUPLICATE)}
